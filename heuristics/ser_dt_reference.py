"""The tree of SER-DT's authors, in their floating-point arithmetic and with their asymmetries.

For comparison with published figures alone; see `heuristics.ser_dt` for the repaired algorithm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.errors import ProblemError
from odt.model.capability import Capability
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem
from odt.model.testset import Test
from odt.model.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_HONOURED = (
    ADDITIVE
    | MAXIMA
    | {
        Capability.WEIGHTED_SUM,
        Capability.LEXICOGRAPHIC,
        Capability.TEST_COSTS,
        Capability.UNLIMITED_DEPTH,
    }
)


def reference_tree(
    problem: Problem, factor: float, gamma: float, should_stop: Callable[[], bool]
) -> Tree:
    """Return the tree that the authors' code grows; weights are ignored.

    Parameters
    ----------
    problem : Problem
        On numeric features, with no limit but ``max_depth``.
    factor, gamma : float
        As in `heuristics.ser_dt.SerDt`.
    should_stop : callable
        When it says so, open nodes become leaves.

    Raises
    ------
    ProblemError
        For a problem that needs more.
    """
    beyond = problem.needs - _HONOURED
    if beyond:
        raise ProblemError(
            "reference=True takes numeric features and no limit but max_depth. Got also: "
            f"{', '.join(sorted(f.value for f in beyond))}. Leave them out, or reference=False."
        )
    data = problem.dataset
    order = np.argsort(np.argsort([str(label) for label in data.classes]))
    rank = data.n_classes - 1 - order  # the authors number the classes from the last name
    grower = _Grower(data.X, rank[data.y], np.argsort(rank), factor, gamma, should_stop)
    return grower.grow(np.arange(data.n_samples), problem.limits.useful_depth, frozenset())


class _Column(NamedTuple):
    """One attribute on the rows of a node: class counts up to and at each distinct value."""

    values: Floats
    up_to: Floats
    at: Floats


@dataclass(frozen=True, eq=False)
class _Grower:
    """Grows below a set of rows."""

    X: Floats
    y: Ints
    label_of: Ints
    factor: float
    gamma: float
    should_stop: Callable[[], bool]

    def grow(self, rows: Ints, levels: int, path: frozenset[int]) -> Tree:
        counts = np.bincount(self.y[rows], minlength=len(self.label_of)).astype(np.float64)
        if levels == 0 or (counts > 0).sum() < 2 or self.should_stop():
            return self._leaf(counts)
        columns = [self._column(rows, f) for f in range(self.X.shape[1])]
        admissible, best = self._best(columns, counts, path)
        if best is not None:
            feature, i = best
            return self._split(rows, feature, [_between(columns[feature], i)], levels, path)
        heavy = None if admissible else self._heavy(columns, counts)
        if heavy is None:
            return self._leaf(counts)
        feature, i = heavy
        thresholds = [_between(columns[feature], j) for j in (i, i - 1) if j >= 0]
        return self._split(rows, feature, thresholds, levels, path)

    def _split(
        self, rows: Ints, feature: int, thresholds: list[float], levels: int, path: frozenset[int]
    ) -> Tree:
        """Ask the first threshold, and the others on its left side."""
        left = self.X[rows, feature] <= thresholds[0]
        below, path = levels - 1, path | {feature}
        if len(thresholds) > 1 and below > 0:
            smaller = self._split(rows[left], feature, thresholds[1:], below, path)
        elif len(thresholds) > 1:
            smaller = self.grow(rows[left], 0, path)
        else:
            smaller = self.grow(rows[left], below, path)
        larger = self.grow(rows[~left], below, path)
        if smaller.n_nodes == larger.n_nodes == 1 and smaller.label[0] == larger.label[0]:
            return smaller
        return Tree.branch(Test(feature, thresholds[0]), smaller, larger)

    def _leaf(self, counts: Floats) -> Tree:
        return Tree.leaf(int(self.label_of[counts.argmax()]))

    def _column(self, rows: Ints, feature: int) -> _Column:
        values, code = np.unique(self.X[rows, feature], return_inverse=True)
        at = np.zeros((len(values), len(self.label_of)))
        np.add.at(at, (code, self.y[rows]), 1.0)
        return _Column(values, at.cumsum(axis=0), at)

    def _best(
        self, columns: list[_Column], counts: Floats, path: frozenset[int]
    ) -> tuple[bool, tuple[int, int] | None]:
        """Say whether any test is admissible, and which permissible one is best."""
        whole, limit = float(_gini(counts[None])[0]), self.gamma * float(_pairs(counts[None])[0])
        any_admissible, best, least = False, None, np.inf
        for feature, column in enumerate(columns):
            left = column.up_to[:-1]
            right = counts - left
            fits = np.flatnonzero(np.maximum(_pairs(left), _pairs(right)) <= limit)
            if not len(fits):
                continue
            any_admissible = True
            left, right = left[fits], right[fits]
            n_left, n_right = left.sum(axis=1), right.sum(axis=1)
            impurity = (n_left * _gini(left) + n_right * _gini(right)) / counts.sum()
            i = int(impurity.argmin())
            adjusted = impurity[i] * self.factor if feature in path else impurity[i]
            if impurity[i] < whole and adjusted < least:
                best, least = (feature, int(fits[i])), adjusted
        return any_admissible, best

    def _heavy(self, columns: list[_Column], counts: Floats) -> tuple[int, int] | None:
        """Return the attribute whose heaviest value is lightest, and where its side flips."""
        limit = self.gamma * float(_pairs(counts[None])[0])
        best, least = None, np.inf
        for feature, column in enumerate(columns):
            heavy = np.flatnonzero(_pairs(column.up_to[:-1]) > limit)
            heaviest = _pairs(column.at).max()
            if len(heavy) and heaviest < least:
                best, least = (feature, int(heavy[0])), heaviest
        return best


def _between(column: _Column, i: int) -> float:
    """Return the midpoint of a value and the next one."""
    return float((column.values[i] + column.values[i + 1]) / 2)


def _gini(counts: Floats) -> Floats:
    """Gini impurity of each row of class counts, summed in class order."""
    n, squares = counts.sum(axis=1), np.zeros(len(counts))
    for k in range(counts.shape[1]):
        squares += (counts[:, k] / n) ** 2
    return np.asarray(1.0 - squares)


def _pairs(counts: Floats) -> Floats:
    """Pairs of different class times examples, for each row of class counts."""
    n = counts.sum(axis=1)
    return np.asarray(n * (n * n - (counts * counts).sum(axis=1)) / 2)
