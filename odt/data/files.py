"""Datasets from text and Parquet files, and from data frames that may hold missing values."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterable
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, Literal, get_args

from odt.data.columnar import read_parquet
from odt.data.dataset import Dataset, TaskKind
from odt.data.delimited import TextFormat, read_delimited
from odt.data.tables import check_distinct
from odt.errors import DataError, DataWarning, MissingDependencyError

FileMissing = Literal["error", "drop", "learned", "category"]
_FEW_ROWS = 10
"""Tables of fewer rows have columns of distinct values by chance."""


def read_dataset(
    source: str | Path | IO[Any],
    target: str | None = None,
    *,
    weight: str | None = None,
    drop: Iterable[str] = (),
    categorical: Iterable[str] = (),
    test_costs: Any = None,
    missing: FileMissing = "error",
    task: TaskKind = "classification",
    **form: Any,
) -> Dataset:
    """Read a text file of rows and fields, or a Parquet file.

    Parameters
    ----------
    source : path or stream
        Compressed text (``.csv.gz``, ``.bz2``, ``.xz``) is fine; a stream holds text; Parquet is
        told by its suffix.
    target : str, optional
        Label column; by default the one called ``class``.
    weight : str, optional
        Column of example weights.
    drop : iterable of str, optional
        Columns to leave out, such as numbers and names of the rows.
    categorical : iterable of str, optional
        Columns to read as categories although they hold numbers.
    test_costs : mapping of name to cost, optional
        See `odt.Dataset`.
    missing : {"error", "drop", "learned", "category"}, default "error"
        What to do about missing values: refuse them, leave out their rows, or keep them as
        `odt.Dataset` says.
    task : {"classification", "regression"}, default "classification"
        See `odt.Dataset`.
    **form
        ``separator``, ``decimal``, ``encoding``, ``header`` and ``na_values`` of
        `odt.data.delimited.TextFormat`; what is not given is found out.

    Warns
    -----
    DataWarning
        Says how many rows were left out by ``missing="drop"``, what was guessed about the file,
        and which columns look as if they numbered the rows.

    Raises
    ------
    DataError
        If the file cannot be read, has no header or repeats a name, a column is unknown, or
        values are missing.
    """
    return from_frame(
        read_frame(source, TextFormat(**form)),
        target,
        weight=weight,
        drop=drop,
        categorical=categorical,
        test_costs=test_costs,
        missing=missing,
        task=task,
    )


def read_frame(source: str | Path | IO[Any], form: TextFormat | None = None) -> Any:
    """Return a text or Parquet file as a DataFrame; what stands for a missing value becomes one.

    Parameters
    ----------
    source : path or stream
    form : TextFormat, optional
        Of a text file; found out by default.

    Raises
    ------
    DataError
        If it cannot be read as a table.
    MissingDependencyError
        If Parquet cannot be read here.
    """
    try:
        if isinstance(source, str | Path) and Path(source).suffix in (".parquet", ".pq"):
            return read_parquet(source)
        return read_delimited(source, form or TextFormat())
    except DataError:
        raise
    except ImportError:
        raise MissingDependencyError(
            "Reading Parquet needs pyarrow, which is not installed: pip install pyarrow."
        ) from None
    except (OSError, ValueError, EOFError, zlib.error, LZMAError) as error:
        name = source if isinstance(source, str | Path) else "the standard input"
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"Cannot read {name} as a table: {reason}") from None


def from_frame(
    frame: Any,
    target: str | None = None,
    *,
    weight: str | None = None,
    drop: Iterable[str] = (),
    categorical: Iterable[str] = (),
    test_costs: Any = None,
    missing: FileMissing = "error",
    task: TaskKind = "classification",
) -> Dataset:
    """Build a dataset from a DataFrame; parameters as for `read_dataset`."""
    check_distinct(tuple(frame.columns))
    target = _default_target(frame) if target is None else target
    drop = list(drop)
    for name, role in ((target, "target"), (weight, "weight"), *((d, "drop") for d in drop)):
        if name is not None and name not in frame.columns:
            what = "to drop" if role == "drop" else f"to use as {role}"
            raise DataError(f"There is no column {name!r} {what}. {_columns(frame)}")
    if target in drop or weight in drop:
        raise DataError(f"Column {target if target in drop else weight!r} is used and dropped.")
    frame = frame.drop(columns=drop)
    frame = _settle_missing(frame, target, weight, missing)
    _warn_of_names(frame.drop(columns=[target] if weight is None else [target, weight]))
    weights = None if weight is None else frame[weight]
    return Dataset.from_frame(
        frame if weight is None else frame.drop(columns=[weight]),
        target,
        sample_weight=weights,
        categorical=categorical,
        test_costs=test_costs,
        missing="error" if missing == "drop" else missing,
        task=task,
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
        f"Values are missing (empty, '?', 'N/A', ...) in {n_columns} columns ({listing}). "
        "Impute them, or leave their rows out with missing='drop', or keep those of features with "
        "missing='learned' or missing='category'."
    )


def _warn_of_names(features: Any) -> None:
    """Warn of columns of text or whole numbers that differ in every row: names of the rows."""
    n = len(features)
    found = [
        name
        for name in features.columns
        if features[name].dtype.kind in "iuOUT" and n >= _FEW_ROWS and features[name].is_unique
    ]
    if found:
        warnings.warn(
            f"Every row has another value of {', '.join(map(repr, found))}: if they only name or "
            f"number the rows, leave them out with drop={found!r}.",
            DataWarning,
            stacklevel=4,
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
