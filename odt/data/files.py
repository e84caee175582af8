"""Datasets from CSV and Parquet files, and from data frames that may hold missing values."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Literal

from odt.data.dataset import Dataset
from odt.errors import DataError, MissingDependencyError

Missing = Literal["error", "drop", "category"]
MISSING_VALUES = ("", "?", "NaN", "nan")
"""What stands for a missing value in a text file."""


def read_dataset(
    source: str | Path | IO[str],
    target: str | None = None,
    *,
    weight: str | None = None,
    categorical: Iterable[str] = (),
    test_costs: Any = None,
    missing: Missing = "error",
) -> Dataset:
    """Read a CSV or Parquet file with a header.

    Parameters
    ----------
    source : path or text stream
        Compressed CSV (``.csv.gz``) is fine; a stream holds CSV; Parquet is told by its suffix.
    target : str, optional
        Label column; by default the one called ``class``.
    weight : str, optional
        Column of example weights.
    categorical : iterable of str, optional
        Columns to read as categories although they hold numbers.
    test_costs : mapping of name to cost, optional
        See `odt.Dataset`.
    missing : {"error", "drop", "category"}, default "error"
        What to do about missing values, that is empty fields and ``?``: refuse them, leave out
        their rows, or make them a category of their own (text columns only).

    Raises
    ------
    DataError
        If the file cannot be read, a column is unknown, or values are missing.
    """
    return from_frame(
        read_frame(source),
        target,
        weight=weight,
        categorical=categorical,
        test_costs=test_costs,
        missing=missing,
    )


def read_frame(source: str | Path | IO[str]) -> Any:
    """Return a CSV or Parquet file as a DataFrame; empty fields and ``?`` become missing."""
    import pandas as pd

    try:
        if isinstance(source, str | Path) and Path(source).suffix in (".parquet", ".pq"):
            return pd.read_parquet(source)
        return _read_csv(source)
    except ImportError:
        raise MissingDependencyError(
            "Reading Parquet needs pyarrow, which is not installed: pip install pyarrow."
        ) from None
    except (OSError, ValueError) as error:  # ValueError covers parser and decoding errors
        name = source if isinstance(source, str | Path) else "the standard input"
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"Cannot read {name} as a table: {reason}") from None


def _read_csv(source: str | Path | IO[str]) -> Any:
    """Read CSV, without taking row numbers for a feature or a column for row numbers."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                source,
                index_col=False,
                keep_default_na=False,
                na_values=list(MISSING_VALUES),
                skipinitialspace=True,
                **_exact_floats(pd.__version__),
            )
        except pd.errors.ParserWarning:
            raise ValueError("the rows have more fields than the header has names") from None
    if str(frame.columns[0]).startswith("Unnamed: "):
        raise ValueError("its first column has no name; if it numbers the rows, leave it out")
    return frame


def _exact_floats(pandas_version: str) -> dict[str, Any]:
    """Reading floats to the last bit is the default from pandas 3.1 on, where asking warns."""
    major, minor = pandas_version.split(".")[:2]
    return {} if (int(major), int(minor)) >= (3, 1) else {"float_precision": "round_trip"}


def from_frame(
    frame: Any,
    target: str | None = None,
    *,
    weight: str | None = None,
    categorical: Iterable[str] = (),
    test_costs: Any = None,
    missing: Missing = "error",
) -> Dataset:
    """Build a dataset from a DataFrame; parameters as for `read_dataset`."""
    target = _default_target(frame) if target is None else target
    for name, role in ((target, "target"), (weight, "weight")):
        if name is not None and name not in frame.columns:
            raise DataError(f"There is no column {name!r} to use as {role}. {_columns(frame)}")
    frame = _settle_missing(frame, target, missing)
    weights = None if weight is None else frame[weight]
    return Dataset.from_frame(
        frame if weight is None else frame.drop(columns=[weight]),
        target,
        sample_weight=weights,
        categorical=categorical,
        test_costs=test_costs,
    )


def _default_target(frame: Any) -> str:
    found = [name for name in frame.columns if str(name).lower() == "class"]
    if len(found) != 1:
        raise DataError(
            f"Say which column is the target (none is called 'class'). {_columns(frame)}"
        )
    return str(found[0])


def _settle_missing(frame: Any, target: str, missing: Missing) -> Any:
    if missing not in ("error", "drop", "category"):
        raise DataError(
            f"'missing' must be 'error', 'drop' or 'category'. Got {missing!r} instead."
        )
    if missing == "drop":
        frame = frame.dropna()
    if missing == "category":
        text = [c for c in frame.columns if c != target and not _is_numeric(frame[c])]
        frame = frame.fillna(dict.fromkeys(text, "?"))
    counts = frame.isna().sum()
    if not counts.any():
        return frame
    listing = ", ".join(f"{name!r}: {n}" for name, n in counts[counts > 0].items())
    raise DataError(
        f"Values are missing (empty or '?') in {int((counts > 0).sum())} columns ({listing}). "
        "Impute them, or leave their rows out with missing='drop', or, in text columns, make them "
        "a category with missing='category'."
    )


def _is_numeric(column: Any) -> bool:
    return column.dtype.kind in "iufb"


def _columns(frame: Any) -> str:
    return f"Columns: {', '.join(map(str, frame.columns))}."
