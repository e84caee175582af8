"""Names and codes: what a tree needs to know about data it has not seen."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.encode import GAP, MISSING, filled, missing_values
from odt.data.tables import Table, dense_array, is_table
from odt.errors import DataError, DataWarning

KINDS = ("numeric", "binary", "categorical")
_SHOWN = 5


@dataclass(frozen=True)
class Schema:
    """Feature names, kinds and categories, and the classes in code order.

    Attributes
    ----------
    feature_names : tuple of str
    kinds : tuple of str
        ``"numeric"``, ``"binary"`` (two numbers) or ``"categorical"`` for each feature.
    categories : tuple
        For a categorical feature its values in code order, otherwise an empty tuple.
    classes : tuple
        Labels in code order.
    has_gaps : tuple of bool
        Whether values were missing in training, for each feature.
    """

    feature_names: tuple[str, ...]
    kinds: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    classes: tuple[Any, ...]
    has_gaps: tuple[bool, ...]

    def matrix(self, X: Any, *, new_gaps: bool = False) -> NDArray[np.float64]:
        """Return ``X`` as the float64 matrix that tests are evaluated on.

        Parameters
        ----------
        X : array-like or table of shape (n, p)
            A table is matched by column name. An array must have the features in order; its
            categorical columns hold the category values. Missing values are allowed in the
            columns that had some in training: a missing number becomes infinity, a missing
            category the category ``"?"``. A category never seen in training gets the code -1, for
            which every categorical test answers no.
        new_gaps : bool, default False
            Whether a missing value is allowed where training had none; every test of its column
            then answers no.

        Warns
        -----
        DataWarning
            For categories never seen in training, and for such missing values.

        Raises
        ------
        DataError
            For missing columns, a wrong number of columns, infinity or text in a numeric column,
            missing values where training had none, numbers in place of text categories and the
            other way round.
        """
        columns = self._columns(X)
        n = len(columns[0]) if columns else len(X)
        matrix = np.empty((n, len(self.feature_names)))
        for j, column in enumerate(columns):
            matrix[:, j] = self.encoded(j, column, new_gaps)
        return matrix

    def encoded(
        self, feature: int, column: NDArray[Any], new_gaps: bool = False
    ) -> NDArray[np.float64]:
        """Return the values of one feature as `matrix` does."""
        name = self.feature_names[feature]
        if self.kinds[feature] == "categorical":
            return _codes(column, self.categories[feature], name, new_gaps)
        return _numbers(column, self.has_gaps[feature], new_gaps, name)

    def values(self, matrix: NDArray[np.float64]) -> NDArray[Any]:
        """Return what encoded rows stand for, as objects: numbers, categories, None for gaps."""
        table = np.empty(matrix.shape, dtype=object)
        for j, known in enumerate(self.categories):
            if self.kinds[j] == "categorical":
                table[:, j] = [known[int(code)] for code in matrix[:, j]]
            else:
                table[:, j] = [None if x == GAP else x for x in matrix[:, j].tolist()]
        return table

    def labels(self, codes: NDArray[np.int64]) -> NDArray[Any]:
        """Return the labels of an array of class codes."""
        return self.class_array[codes]

    @property
    def class_array(self) -> NDArray[Any]:
        """The classes as an array (of objects if they have no common type)."""
        array = np.array(self.classes)
        is_kept = array.dtype.kind in "mM" or array.tolist() == list(self.classes)
        if array.shape == (len(self.classes),) and is_kept:
            return array
        array = np.empty(len(self.classes), dtype=object)
        array[:] = self.classes
        return array

    def _columns(self, X: Any) -> list[NDArray[Any]]:
        if is_table(X):
            table = Table.of(X)
            position = {str(name): j for j, name in enumerate(table.names)}
            missing = [name for name in self.feature_names if name not in position]
            if missing:
                raise DataError(f"X lacks the features {', '.join(missing)}.")
            return [table.columns[position[name]] for name in self.feature_names]
        array = dense_array(X, "X", "(n, p)")
        if array.ndim != 2 or array.shape[1] != len(self.feature_names):
            raise DataError(
                f"X must have shape (n, {len(self.feature_names)}). Got {array.shape} instead."
            )
        return list(array.T)


def _numbers(
    column: NDArray[Any], has_gaps: bool, new_gaps: bool, name: str
) -> NDArray[np.float64]:
    """Return a column of numbers with `GAP` where they are missing."""
    gone = missing_values(column)
    if gone.any() and not has_gaps:
        _meet_new_gaps(name, int(gone.sum()), new_gaps)
    numbers = np.full(len(column), GAP)
    try:
        if column.dtype.kind in "mMc":
            raise TypeError(f"got {column.dtype}")
        numbers[~gone] = column[~gone].astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"Column {name!r} must hold numbers: {error}.") from None
    if not np.isfinite(numbers[~gone]).all():
        raise DataError(f"Column {name!r} holds infinity.")
    return numbers


def _meet_new_gaps(name: str, n_missing: int, allowed: bool) -> None:
    """Warn of gaps where training had none, or refuse them."""
    found = (
        f"Column {name!r} holds {n_missing} missing values, and the training data had none there"
    )
    if not allowed:
        raise DataError(
            f"{found}: no branch is meant for them. Impute them, or train on data with gaps and "
            "missing='learned' or missing='category'."
        )
    warnings.warn(f"{found}: its tests answer no.", DataWarning, stacklevel=6)


def _codes(
    column: NDArray[Any], categories: tuple[Any, ...], name: str, new_gaps: bool
) -> NDArray[np.float64]:
    """Return the codes of the values of a categorical column, -1 for values not among them."""
    code = {value: c for c, value in enumerate(categories)}
    gone = missing_values(column)
    if gone.any() and MISSING not in code:
        _meet_new_gaps(name, int(gone.sum()), new_gaps)
    values = filled(column, gone)
    told = {*code, MISSING} if gone.any() else code
    unseen = [value for value in dict.fromkeys(values) if value not in told]
    if unseen:
        _check_sort(unseen[0], categories, name)
        shown = ", ".join(map(repr, unseen[:_SHOWN])) + (", ..." if len(unseen) > _SHOWN else "")
        warnings.warn(
            f"Column {name!r} holds categories never seen in training ({shown}): tests whether it "
            "is one of the known categories answer no.",
            DataWarning,
            stacklevel=6,
        )
    return np.array([code.get(value, -1) for value in values], dtype=np.float64)


def _check_sort(value: Any, categories: tuple[Any, ...], name: str) -> None:
    """Refuse numbers where categories are text, and text where they are numbers: none would fit."""
    known = [category for category in categories if category != MISSING]
    if known and all(isinstance(value, str) != isinstance(other, str) for other in known):
        raise DataError(
            f"Column {name!r} holds {value!r}, but its categories in training were such as "
            f"{known[0]!r}: text and numbers are never equal. Convert the column."
        )
