"""CART grown by the compiled kernel, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odt.engine.front.columns import CRITERIA, Columns
from odt.engine.front.kernels.cart import COLUMN, CUT, LEFT, UNLIMITED, grow
from odt.model.measure import Amounts


@dataclass(frozen=True, eq=False)
class Grown:
    """A greedy tree; node 0 is the root and children come after their parents.

    Attributes
    ----------
    column, cut : ndarray of int64, shape (nodes,)
        Test of each node; column -1 at leaves.
    left : ndarray of int64, shape (nodes,)
        Left child, -1 at leaves; the right child is the next node.
    counts : ndarray of int64, shape (nodes, K)
        Class weights.
    """

    column: NDArray[np.int64]
    cut: NDArray[np.int64]
    left: NDArray[np.int64]
    counts: NDArray[np.int64]


def grow_cart(
    columns: Columns,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    criterion: str = "gini",
) -> Grown:
    """Grow a CART: deterministic, exact comparisons, ties to the lowest feature and threshold.

    Parameters
    ----------
    columns : Columns
        The limits on leaves come from its problem.
    max_depth : int, optional
    max_leaves : int, optional
        Grow best first, until there are this many leaves.
    criterion : {"gini", "entropy"}, default "gini"
    """
    data = columns.data(Amounts(), frozenset({criterion}))
    size = columns.n_rows
    if columns.columns:
        nodes, _ = grow(
            data,
            data.keys.copy(),
            size,
            UNLIMITED if max_depth is None else max_depth,
            UNLIMITED if max_leaves is None else max_leaves,
            CRITERIA[criterion],
            np.zeros(size, dtype=np.uint8),
            np.empty(size, dtype=np.int64),
            np.empty((0, 0), dtype=np.int64),
        )
        left, column, cut = nodes[:, LEFT], nodes[:, COLUMN], nodes[:, CUT]
    else:
        left, column, cut = np.array([-1]), np.array([-1]), np.array([0])
    return Grown(np.where(left < 0, -1, column), cut, left, _counts(columns, left, column, cut))


def _counts(
    columns: Columns, left: NDArray[np.int64], column: NDArray[np.int64], cut: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Class weights of every node, by sending the rows down."""
    classes = columns.problem.dataset.n_classes
    counts = np.zeros((len(left), classes), dtype=np.int64)
    rows = {0: np.arange(columns.n_rows)}
    for node in range(len(left)):
        here = rows.pop(node)
        np.add.at(counts[node], columns.label[here], columns.weight[here])
        if left[node] >= 0:
            goes_left = columns.codes[column[node], here] <= cut[node]
            rows[int(left[node])], rows[int(left[node]) + 1] = here[goes_left], here[~goes_left]
    return counts
