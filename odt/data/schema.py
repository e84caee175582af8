"""Names and codes: what a tree needs to know about data it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.encode import plain_values
from odt.errors import DataError

KINDS = ("numeric", "binary", "categorical")


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
    """

    feature_names: tuple[str, ...]
    kinds: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    classes: tuple[Any, ...]

    def matrix(self, X: Any) -> NDArray[np.float64]:
        """Return ``X`` as the float64 matrix that tests are evaluated on.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, p)
            A DataFrame is matched by column name. An array must have the features in order; its
            categorical columns hold the category values. A category never seen in training gets
            the code -1, for which every categorical test is false.

        Raises
        ------
        DataError
            For missing columns, a wrong number of columns, NaN, infinity or text in a numeric
            column.
        """
        columns = self._columns(X)
        n = len(columns[0]) if columns else len(X)
        matrix = np.empty((n, len(self.feature_names)))
        for j, column in enumerate(columns):
            if self.kinds[j] == "categorical":
                code = {value: c for c, value in enumerate(self.categories[j])}
                matrix[:, j] = [code.get(value, -1) for value in plain_values(column)]
            else:
                matrix[:, j] = self._numbers(column, self.feature_names[j])
        return matrix

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
        if hasattr(X, "columns"):
            position = {str(name): j for j, name in enumerate(X.columns)}
            missing = [name for name in self.feature_names if name not in position]
            if missing:
                raise DataError(f"X lacks the features {', '.join(missing)}.")
            return [np.asarray(X.iloc[:, position[name]]) for name in self.feature_names]
        array = np.asarray(X)
        if array.ndim != 2 or array.shape[1] != len(self.feature_names):
            raise DataError(
                f"X must have shape (n, {len(self.feature_names)}). Got {array.shape} instead."
            )
        return list(array.T)

    @staticmethod
    def _numbers(column: NDArray[Any], name: str) -> NDArray[np.float64]:
        try:
            if column.dtype.kind in "mMc":
                raise TypeError(f"got {column.dtype}")
            numbers = column.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"Column {name!r} must hold numbers: {error}.") from None
        if not np.isfinite(numbers).all():
            raise DataError(f"Column {name!r} holds NaN or infinity.")
        return numbers
