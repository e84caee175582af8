"""The features of a dataset on [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Self

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.data.schema import Schema
from odt.errors import ProblemError
from odt.model.testset import Test, midpoints

FINEST = 1 << 30
"""Most parts that [0, 1] can be cut into."""


@dataclass(frozen=True)
class Column:
    """One coordinate of the boxes: a numeric feature, or a category against the others.

    Attributes
    ----------
    feature : int
        Column number of the dataset.
    category : int or None
        The category code that has the value 0, all others having 1; None for numbers.
    """

    feature: int
    category: int | None = None

    def values(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of the coordinate before scaling, shape (n,)."""
        found = X[:, self.feature]
        return found if self.category is None else (found != self.category).astype(np.float64)

    def describe(self, schema: Schema) -> str:
        """Return what the coordinate is called."""
        name = schema.feature_names[self.feature]
        if self.category is None:
            return name
        return f"({name} != {schema.categories[self.feature][self.category]})"

    def test(self, values: NDArray[np.float64], left: NDArray[np.bool_]) -> Test:
        """Return the test that sends the rows ``left`` to the left, halfway to the others."""
        if self.category is not None:
            return Test(self.feature, categories=(self.category,))
        ends = np.array([values[left].max(), values[~left].min()])
        return Test(self.feature, threshold=float(midpoints(ends)[0]))


@dataclass(frozen=True, eq=False)
class Columns:
    """All coordinates of a dataset, min-max scaled; constant features have none.

    A categorical feature gives one coordinate for each category, or one in all if there are
    two categories, so that a threshold at 1/2 is a test that trees of the problem may use.

    Attributes
    ----------
    dataset : Dataset
    columns : tuple of Column
    values : ndarray of float64, shape (n, d)
        Unscaled coordinates of the examples.
    scaled : ndarray of float64, shape (n, d)
        ``(value - least) / (largest - least)`` of the coordinates, in floating point. These are
        the numbers that the process is about: from here on all comparisons are exact.
    """

    dataset: Dataset
    columns: tuple[Column, ...]
    values: NDArray[np.float64]
    scaled: NDArray[np.float64]
    _codes: dict[int, NDArray[np.int64]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, dataset: Dataset) -> Self:
        """Return the coordinates of a dataset."""
        columns = tuple(c for f in range(dataset.n_features) for c in _columns(dataset, f))
        values = np.zeros((dataset.n_samples, len(columns)))
        for k, column in enumerate(columns):
            values[:, k] = column.values(dataset.X)
        return cls(dataset, columns, values, _scaled(values))

    @property
    def d(self) -> int:
        """Number of coordinates."""
        return len(self.columns)

    def codes(self, parts: int) -> NDArray[np.int64]:
        """Return for each example and coordinate the part of [0, 1] it is in, from 1 to ``parts``.

        The parts are half-open, ``((c - 1)/parts, c/parts]``, and 0 is in the first, so that a
        scaled value is at most ``t/parts`` exactly where its code is at most t.

        Parameters
        ----------
        parts : int

        Returns
        -------
        ndarray of int64, shape (n, d)

        Raises
        ------
        ProblemError
            If there are more than ``FINEST`` parts.
        """
        if parts > FINEST:
            raise ProblemError(
                f"Boxes would be cut into {parts} parts. Use a smaller max_depth or p: "
                f"(p + 1)**max_depth may be at most {FINEST}."
            )
        if parts not in self._codes:
            self._codes[parts] = self._coded(parts)
        return self._codes[parts]

    def _coded(self, parts: int) -> NDArray[np.int64]:
        codes = np.ones((self.dataset.n_samples, self.d), dtype=np.int64)
        for k, column in enumerate(self.scaled.T):
            distinct, inverse = np.unique(column, return_inverse=True)
            part = [max(1, ceil(Fraction(value) * parts)) for value in distinct.tolist()]
            codes[:, k] = np.array(part)[inverse]
        return codes


def _columns(dataset: Dataset, feature: int) -> list[Column]:
    values = np.unique(dataset.X[:, feature])
    if len(values) < 2:
        return []
    if dataset.kinds[feature] != "categorical":
        return [Column(feature)]
    codes = values[:1] if len(values) == 2 else values
    return [Column(feature, int(code)) for code in codes]


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = values.min(axis=0), values.max(axis=0)
    with np.errstate(over="ignore"):
        factor = np.where(np.isinf(high - low), 0.5, 1.0)  # exact, and the difference is finite
    low, high, values = low * factor, high * factor, values * factor
    return np.asarray((values - low) / (high - low), dtype=np.float64)
