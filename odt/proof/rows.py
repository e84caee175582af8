"""The groups of an instance as the rows of the kernels of `bnb`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import Frame, Table, arrange, smallest_integers
from odt.proof.instance import Instance
from odt.proof.view import View

Array = NDArray[Any]
LARGEST_FRAME = 1 << 28
"""Bytes of the largest set of rows that is arranged for the kernels."""


def _integers(instance: Instance) -> type[np.signedinteger[Any]]:
    return smallest_integers(int(instance.weights.sum()))


class Rows:
    """A row for each group and class in it, a column for each chain.

    Parameters
    ----------
    instance : Instance
        See `suit`.

    Attributes
    ----------
    table : Table
    """

    def __init__(self, instance: Instance) -> None:
        self._group, label = np.nonzero(instance.weights)
        n_classes = instance.weights.shape[1]
        self._ranks = np.array([np.unique(row, return_inverse=True)[1] for row in instance.codes])
        weight = instance.weights[self._group, label]
        features = np.array(instance.features, dtype=np.int64)
        by_weight = instance.coefficients(0, instance.any_features) - instance.explain
        self.table = Table(
            rank=self._ranks[:, self._group].astype(_integers(instance)),
            row=np.column_stack([label, weight, np.zeros_like(label)]).astype(np.int64),
            column=np.column_stack([features, by_weight, np.full(len(features), instance.explain)]),
            error_price=instance.error,
            node_price=instance.node,
            classes=n_classes,
            min_count=0,
            min_weight=0,
        )
        self._order = np.argsort(self.table.rank, axis=1, kind="stable").astype(np.int32)

    @staticmethod
    def suit(instance: Instance) -> bool:
        """Say whether the kernels can count: nothing but prices, machine integers, enough room."""
        plain = instance.type is np.int64
        plain &= not (instance.limited or instance.pure or instance.problem.costs.prices.worst)
        n_rows, n_columns = int(np.count_nonzero(instance.weights)), len(instance.codes)
        size = n_columns**2 * n_rows * np.dtype(_integers(instance)).itemsize
        return plain and 0 < size <= LARGEST_FRAME

    def frame(self, groups: Array) -> Frame:
        """Return the rows of a set of groups."""
        inside = np.zeros(self._ranks.shape[1], dtype=np.bool_)
        inside[groups] = True
        order = self._order[inside[self._group[self._order]]]
        return arrange(self.table, order.reshape(len(self._order), -1))

    def cuts(self, view: View) -> Array:
        """Return the rank of the group at each position of each chain."""
        return np.take_along_axis(self._ranks[:, view.numbers], view.groups.order, axis=1)

    def used(self, features: int) -> Array:
        """Return the features of a bit mask as numbers."""
        n = int(self.table.column[:, 0].max()) + 1
        return np.array([features >> f & 1 for f in range(n)], dtype=np.int64)
