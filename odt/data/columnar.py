"""Tables from Parquet files, of a size that was looked at before they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from odt.errors import DataError

MOST_CELLS = 2**29
"""Rows times columns of a Parquet file beyond which it is refused: 4 GiB of numbers."""


def read_parquet(path: str | Path) -> Any:
    """Return a Parquet file as a DataFrame.

    Raises
    ------
    DataError
        For more than `MOST_CELLS` cells: a value that repeats takes no room in the file, so a small
        file may unpack to anything.
    ImportError
        Without pyarrow.
    """
    from pyarrow.parquet import ParquetFile

    with open(path, "rb") as file:
        table = ParquetFile(file)
        rows, columns = table.metadata.num_rows, table.metadata.num_columns
        if rows * columns > MOST_CELLS:
            raise DataError(
                f"The table has {rows} rows and {columns} columns; at most {MOST_CELLS} cells are "
                "read of a Parquet file. Keep fewer columns, or read it yourself and pass a table."
            )
        return table.read().to_pandas()
