"""Reading columns and labels: text and categories to codes, numbers to float64, with checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.data.tables import Table, check_distinct, dense_array, is_table
from odt.errors import DataError

GAP = float("inf")
"""A missing number in an encoded column; infinities in the data themselves are refused."""
MISSING = "?"
"""The category that stands for a missing value, in training as in prediction."""


class Columns(NamedTuple):
    """Encoded columns: the matrix, and name, kind, categories and presence of gaps of each."""

    matrix: NDArray[np.float64]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    has_gaps: tuple[bool, ...]


def encode_columns(
    X: Any,
    feature_names: Sequence[str] | None,
    categorical: Iterable[str | int],
    gaps_allowed: bool = False,
) -> Columns:
    """Return the columns of ``X`` as numbers and codes.

    Parameters
    ----------
    X : array-like or table of shape (n, p)
    feature_names : sequence of str or None
        Defaults to the DataFrame's own, or ``x0, x1, ...``.
    categorical : iterable of str or int
        Columns to read as categories; in a DataFrame, text, boolean and categorical columns are
        read so in any case.
    gaps_allowed : bool, default False
        Keep missing values: as `GAP` in columns of numbers, as the category `MISSING` in others.

    Raises
    ------
    DataError
        See `odt.Dataset`.
    """
    table = _table(X, feature_names)
    columns, names = table.columns, tuple(map(str, table.names))
    forced = _positions(categorical, names) | table.categorical
    gaps = [missing_values(column) for column in columns]
    _check_complete(columns, names, gaps, gaps_allowed)
    encoded = [
        _encode(column, name, j in forced, gaps[j])
        for j, (column, name) in enumerate(zip(columns, names, strict=True))
    ]
    matrix = np.empty((table.n_rows, len(columns)))
    for j, (values, _, _) in enumerate(encoded):
        matrix[:, j] = values
    return Columns(
        matrix,
        names,
        tuple(e[1] for e in encoded),
        tuple(e[2] for e in encoded),
        tuple(bool(gone.any()) for gone in gaps),
    )


def encode_labels(y: Any) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Return the class codes of ``y`` and its distinct labels, sorted where they can be.

    Raises
    ------
    DataError
        If ``y`` is not one-dimensional or holds missing labels.
    """
    labels = dense_array(y, "y")
    if labels.dtype.kind in "US" and isinstance(y, list | tuple):
        labels = np.array(y, dtype=object)  # NumPy would make text of numbers among text
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"y must be one-dimensional. Got shape {labels.shape} instead.")
    missing = missing_values(labels)
    if missing.any():
        raise DataError(f"y holds {int(missing.sum())} missing labels. Drop these rows.")
    values = plain_values(labels)
    distinct = _sorted_distinct(values, "y")
    code = {value: c for c, value in enumerate(distinct)}
    return np.array([code[value] for value in values], dtype=np.int64), tuple(distinct)


def plain_values(column: NDArray[Any]) -> list[Any]:
    """Return values as Python's own; dates stay NumPy's, which would become plain integers."""
    if column.dtype.kind in "mM":
        return list(column)
    return [v.item() if isinstance(v, np.generic) else v for v in column.tolist()]


def finite_numbers(values: Any, what: str) -> NDArray[np.float64]:
    """Return ``values`` as float64, or say which of them are no finite numbers."""
    dtype = dense_array(values, what).dtype
    if dtype.kind in "mMc":
        raise DataError(
            f"{what} must hold real numbers. Got {dtype} instead: convert dates, say to days since "
            "one of them."
        )
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{what} must hold numbers: {error}.") from None
    if not np.isfinite(numbers).all():
        raise DataError(
            f"{what} holds {int((~np.isfinite(numbers)).sum())} NaN or infinite values."
        )
    return numbers


def _table(X: Any, feature_names: Sequence[str] | None) -> Table:
    """Return the columns of ``X`` under the given names or their own."""
    if is_table(X):
        table = Table.of(X)
    else:
        array = dense_array(X, "X", "(n, p)")
        if array.ndim != 2:
            raise DataError(f"X must have shape (n, p). Got {array.shape} instead.")
        names = tuple(f"x{j}" for j in range(array.shape[1]))
        table = Table(names, tuple(array.T), frozenset(), len(array))
    if table.n_rows == 0:
        raise DataError("X has no rows: at least one example is needed.")
    if feature_names is None:
        return table
    names = tuple(map(str, feature_names))
    if len(names) != len(table.columns):
        raise DataError(f"{len(names)} feature names were given for {len(table.columns)} columns.")
    check_distinct(names)
    return replace(table, names=names)


def _positions(categorical: Iterable[str | int], names: tuple[str, ...]) -> set[int]:
    positions = set()
    for item in categorical:
        if isinstance(item, str) and item in names:
            positions.add(names.index(item))
        elif not isinstance(item, str) and 0 <= int(item) < len(names):
            positions.add(int(item))
        else:
            raise DataError(
                f"categorical names an unknown column {item!r}. Columns: {', '.join(names)}."
            )
    return positions


def missing_values(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are missing: None, NaN, pandas' NA, dates that are none."""
    if column.dtype.kind in "fc":
        return np.asarray(np.isnan(column))
    if column.dtype.kind in "Mm":
        return np.asarray(np.isnat(column))
    if column.dtype.kind == "O":
        # None, float nan and pandas' NA: the only common values that are not equal to themselves
        # or have no truth value
        return np.array([v is None or not _equals_itself(v) for v in column.tolist()], dtype=bool)
    return np.zeros(column.shape, dtype=bool)


def _equals_itself(value: Any) -> bool:
    try:
        return bool(value == value)
    except (TypeError, ValueError):
        return False


def _check_complete(
    columns: Sequence[NDArray[Any]],
    names: tuple[str, ...],
    gaps: Sequence[NDArray[np.bool_]],
    gaps_allowed: bool,
) -> None:
    counts = {}
    for column, name, gone in zip(columns, names, gaps, strict=True):
        n_missing = 0 if gaps_allowed else int(gone.sum())
        n_infinite = int(np.isinf(column).sum()) if column.dtype.kind == "f" else 0
        if n_missing or n_infinite:
            counts[name] = ", ".join(
                f"{count} {what}"
                for count, what in ((n_missing, "NaN"), (n_infinite, "inf"))
                if count
            )
    if counts:
        listing = "; ".join(f"{name!r}: {count}" for name, count in counts.items())
        raise DataError(
            f"X holds missing or infinite values in {len(counts)} columns ({listing}). Infinities "
            "are never allowed. Say what gaps mean with missing='learned' (a test may send them "
            "either way) or missing='category' (a value of their own), drop these rows, or impute."
        )


def _encode(
    column: NDArray[Any], name: str, forced: bool, gaps: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], str, tuple[Any, ...]]:
    whole, column = column, column[~gaps]
    kind = column.dtype.kind
    if forced or kind == "b" or (kind in "OUT" and len(column) and _is_text(column, name)):
        values = filled(whole, gaps)
        distinct = _sorted_distinct(values, f"Column {name!r}")
        code = {value: c for c, value in enumerate(distinct)}
        return np.array([code[v] for v in values], dtype=np.float64), "categorical", tuple(distinct)
    numbers = finite_numbers(column, f"Column {name!r}")
    n_distinct = len(np.unique(numbers))
    if kind in "iu" and len(np.unique(column)) > n_distinct:
        raise DataError(
            f"Column {name!r} holds integers beyond 2**53 that float64 cannot tell apart. Subtract "
            f"an offset, or list it in categorical=[{name!r}]."
        )
    matrix = np.full(len(whole), GAP)
    matrix[~gaps] = numbers
    return matrix, "binary" if n_distinct <= 2 and not gaps.any() else "numeric", ()


def filled(column: NDArray[Any], gaps: NDArray[np.bool_]) -> list[Any]:
    """Return the values of a categorical column as Python's own, with `MISSING` for the gaps."""
    return [
        MISSING if gone else value
        for value, gone in zip(plain_values(column), gaps.tolist(), strict=True)
    ]


def _is_text(column: NDArray[Any], name: str) -> bool:
    """Say whether an object column holds categories; refuse dates, and numbers mixed with text."""
    if any(hasattr(value, "isoformat") for value in column.tolist()):
        raise DataError(
            f"Column {name!r} holds dates. Convert it to numbers, say to days since one of them, "
            f"or list it in categorical=[{name!r}]."
        )
    readable = [_is_number(v) for v in column.tolist()]
    if not any(readable):
        return True
    if all(readable):
        return False
    wrong = [(row, v) for row, v in enumerate(column.tolist()) if not readable[row]]
    if 2 * len(wrong) > len(readable):
        return True
    row, value = wrong[0]
    raise DataError(
        f"Column {name!r} looks numeric but {len(wrong)} of {len(readable)} values are not "
        f"numbers, first {value!r} at row {row}. Clean it, or list it in categorical=[{name!r}]."
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    except OverflowError:
        return True
    return not isinstance(value, bool | np.bool_)


def _sorted_distinct(values: list[Any], what: str) -> list[Any]:
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError as error:
        raise DataError(f"{what} must hold plain values: {error}.") from None
    try:
        return sorted(distinct)
    except TypeError:
        return sorted(distinct, key=lambda v: (type(v).__name__, str(v)))
