"""Tables of pandas, polars and Arrow as named NumPy columns, and arrays that are no tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.errors import DataError


@dataclass(frozen=True, eq=False)
class Table:
    """Columns with names, whatever library they came from.

    Attributes
    ----------
    names : tuple
        Distinct labels of the columns, as the library had them.
    columns : tuple of ndarray
        One for each name, all of one length.
    categorical : frozenset of int
        Positions of the columns whose type says that they hold categories.
    n_rows : int
    """

    names: tuple[Hashable, ...]
    columns: tuple[NDArray[Any], ...]
    categorical: frozenset[int]
    n_rows: int

    @classmethod
    def of(cls, X: Any) -> Table:
        """Return a DataFrame of pandas or polars, or a pyarrow Table or RecordBatch, as a table.

        Raises
        ------
        DataError
            For repeated names, and for tables that are not in memory, such as a LazyFrame.
        """
        if isinstance(X, Table):
            return X
        if not hasattr(X, "__len__"):
            raise DataError(
                f"A {type(X).__name__} is not in memory. Collect it into a DataFrame first."
            )
        read = _pandas if hasattr(X, "iloc") else _arrow if _is_arrow(X) else _polars
        names = tuple(X.column_names if _is_arrow(X) else X.columns)
        check_distinct(names)
        columns, categorical = read(X, names)
        return cls(names, columns, frozenset(np.flatnonzero(categorical).tolist()), len(X))

    def __getitem__(self, name: Hashable) -> NDArray[Any]:
        return self.columns[self.names.index(name)]

    def without(self, name: Hashable) -> Table:
        """Return the table without one of its columns."""
        at = self.names.index(name)
        return Table(
            self.names[:at] + self.names[at + 1 :],
            self.columns[:at] + self.columns[at + 1 :],
            frozenset(j - (j > at) for j in self.categorical if j != at),
            self.n_rows,
        )


def is_table(X: Any) -> bool:
    """Say whether an object has named columns; everything else is read as an array."""
    return isinstance(X, Table) or hasattr(type(X), "columns")


def check_distinct(names: Sequence[Hashable]) -> None:
    """Raise DataError if columns share a name, also one that differs in its type only."""
    repeated = sorted(text for text, times in Counter(map(str, names)).items() if times > 1)
    if repeated:
        raise DataError(f"Feature names must be distinct. Repeated: {', '.join(repeated)}.")


def dense_array(values: Any, what: str, shape: str = "(n,)") -> NDArray[Any]:
    """Return array-like values as an array.

    Parameters
    ----------
    values : array-like
    what : str
        Name of the argument, for messages.
    shape : str
        The shape to say that it must have; not checked here.

    Raises
    ------
    DataError
        For sparse matrices, rows of different lengths and objects that are no arrays.
    """
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise DataError(
            f"{what} is a sparse {type(values).__name__}, but dense data are required. Use "
            f"{what}.toarray() where it fits in memory."
        )
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise DataError(f"{what} must have shape {shape}: {error}") from None
    if array.ndim == 0:
        raise DataError(f"{what} must have shape {shape}. Got a {type(values).__name__} instead.")
    return array


def _is_arrow(X: Any) -> bool:
    return hasattr(type(X), "column_names")


_Read = tuple[tuple[NDArray[Any], ...], list[bool]]


def _pandas(X: Any, names: Sequence[Hashable]) -> _Read:
    columns = tuple(np.asarray(X.iloc[:, j]) for j in range(len(names)))
    return columns, [hasattr(dtype, "categories") for dtype in X.dtypes]


def _polars(X: Any, names: Sequence[Hashable]) -> _Read:
    columns = tuple(np.asarray(X[name]) for name in names)
    return columns, [hasattr(dtype, "categories") for dtype in X.dtypes]


def _arrow(X: Any, names: Sequence[Hashable]) -> _Read:
    coded = [hasattr(X.schema.field(name).type, "index_type") for name in names]
    columns = (
        # NumPy loses the nulls of an Arrow column that is coded by a dictionary
        np.array([*X[name].to_pylist(), None], dtype=object)[:-1] if c else np.asarray(X[name])
        for name, c in zip(names, coded, strict=True)
    )
    return tuple(columns), coded
