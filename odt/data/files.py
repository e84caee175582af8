"""Datasets from CSV and Parquet files, and from data frames that may hold missing values."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Literal, get_args

from odt.data.dataset import Dataset
from odt.data.headers import check_header, check_names
from odt.data.tables import check_distinct
from odt.errors import DataError, DataWarning, MissingDependencyError

FileMissing = Literal["error", "drop", "learned", "category"]
MISSING_VALUES = ("", "?", "NaN", "nan")
"""What stands for a missing value in a text file."""


def read_dataset(
    source: str | Path | IO[str],
    target: str | None = None,
    *,
    weight: str | None = None,
    categorical: Iterable[str] = (),
    test_costs: Any = None,
    missing: FileMissing = "error",
    header: bool | None = None,
) -> Dataset:
    """Read a CSV or Parquet file.

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
    missing : {"error", "drop", "learned", "category"}, default "error"
        What to do about missing values, that is empty fields and ``?``: refuse them, leave out
        their rows, or keep them as `odt.Dataset` says.
    header : bool, optional
        Whether the first line of a CSV file holds the names. By default it must, and a line that
        looks like data is refused; True takes it as it is; False names the columns ``x0``,
        ``x1``, ...

    Warns
    -----
    DataWarning
        Says how many rows were left out by ``missing="drop"``.

    Raises
    ------
    DataError
        If the file cannot be read, has no header or repeats a name, a column is unknown, or
        values are missing.
    """
    return from_frame(
        read_frame(source, header),
        target,
        weight=weight,
        categorical=categorical,
        test_costs=test_costs,
        missing=missing,
    )


def read_frame(source: str | Path | IO[str], header: bool | None = None) -> Any:
    """Return a CSV or Parquet file as a DataFrame; empty fields and ``?`` become missing.

    Parameters
    ----------
    source : path or text stream
    header : bool, optional
        As for `read_dataset`.
    """
    import pandas as pd

    try:
        if isinstance(source, str | Path) and Path(source).suffix in (".parquet", ".pq"):
            return pd.read_parquet(source)
        return _read_csv(source, header)
    except ImportError:
        raise MissingDependencyError(
            "Reading Parquet needs pyarrow, which is not installed: pip install pyarrow."
        ) from None
    except (OSError, ValueError) as error:  # ValueError covers parser and decoding errors
        name = source if isinstance(source, str | Path) else "the standard input"
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"Cannot read {name} as a table: {reason}") from None


def _read_csv(source: str | Path | IO[str], header: bool | None) -> Any:
    """Read CSV, without taking row numbers for a feature or a column for row numbers."""
    import pandas as pd

    text = None if isinstance(source, str | Path) else source.read()  # a pipe is read only once

    def read(**options: Any) -> Any:
        again = source if text is None else io.StringIO(text)
        return pd.read_csv(again, keep_default_na=False, skipinitialspace=True, **options)

    first = read(header=None, nrows=1, dtype=str).iloc[0].tolist()
    if header is not False:
        check_names(first)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = read(
                header=None if header is False else 0,
                names=[f"x{j}" for j in range(len(first))] if header is False else first,
                index_col=False,
                na_values=list(MISSING_VALUES),
                **_exact_floats(pd.__version__),
            )
        except pd.errors.ParserWarning:
            raise ValueError("some rows have more fields than the first line") from None
    if header is None:
        check_header(first, [frame[name].tolist() for name in first])
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
    missing: FileMissing = "error",
) -> Dataset:
    """Build a dataset from a DataFrame; parameters as for `read_dataset`."""
    check_distinct(tuple(frame.columns))
    target = _default_target(frame) if target is None else target
    for name, role in ((target, "target"), (weight, "weight")):
        if name is not None and name not in frame.columns:
            raise DataError(f"There is no column {name!r} to use as {role}. {_columns(frame)}")
    frame = _settle_missing(frame, target, weight, missing)
    weights = None if weight is None else frame[weight]
    return Dataset.from_frame(
        frame if weight is None else frame.drop(columns=[weight]),
        target,
        sample_weight=weights,
        categorical=categorical,
        test_costs=test_costs,
        missing="error" if missing == "drop" else missing,
    )


def _default_target(frame: Any) -> str:
    found = [name for name in frame.columns if str(name).lower() == "class"]
    if len(found) != 1:
        raise DataError(
            f"Say which column is the target (none is called 'class'). {_columns(frame)}"
        )
    return str(found[0])


def _settle_missing(frame: Any, target: str, weight: str | None, missing: FileMissing) -> Any:
    """Return the frame with gaps in features only where they are kept, and none elsewhere."""
    if missing not in get_args(FileMissing):
        raise DataError(
            f"'missing' must be one of {', '.join(map(repr, get_args(FileMissing)))}. Got "
            f"{missing!r} instead."
        )
    if missing == "drop":
        return _without_gaps(frame)
    needed = frame if missing == "error" else frame[[c for c in (target, weight) if c is not None]]
    n_columns, listing = _gaps(needed)
    if not n_columns:
        return frame
    raise DataError(
        f"Values are missing (empty or '?') in {n_columns} columns ({listing}). "
        "Impute them, or leave their rows out with missing='drop', or keep those of features with "
        "missing='learned' or missing='category'."
    )


def _without_gaps(frame: Any) -> Any:
    """Return the rows without missing values, and say how many were left out."""
    kept = frame.dropna()
    if len(kept) == len(frame):
        return frame
    listing = _gaps(frame)[1]
    if not len(kept):
        raise DataError(f"missing='drop' leaves no row: each has a missing value ({listing}).")
    warnings.warn(
        f"{len(frame) - len(kept)} of {len(frame)} rows have missing values and are left out "
        f"({listing}).",
        DataWarning,
        stacklevel=5,
    )
    return kept


def _gaps(frame: Any) -> tuple[int, str]:
    """Return how many columns have missing values, and which have how many."""
    counts = frame.isna().sum()
    counts = counts[counts > 0]
    return len(counts), ", ".join(f"{name!r}: {n}" for name, n in counts.items())


def _columns(frame: Any) -> str:
    return f"Columns: {', '.join(map(str, frame.columns))}."
