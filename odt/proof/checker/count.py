"""A set of groups as the chains sort it, and what its parts cost with at most one test."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .problem import Problem

Array = NDArray[Any]
_CHUNK = 1 << 18
"""Numbers that are counted at once: few enough to stay near the processor."""


class Sorted:
    """A set of groups as each chain sorts it.

    Position i of a chain stands for the split of its first i + 1 groups from the others, which
    some test makes where ``is_split[chain, i]``.
    """

    def __init__(self, problem: Problem, groups: Array) -> None:
        self.problem, self.groups, self.m = problem, groups, len(groups)
        place = np.full(problem.codes.shape[1], -1)
        place[groups] = np.arange(self.m)
        order = place[problem.order]
        self.order = order[order >= 0].reshape(len(order), self.m)
        self.sorted = np.take_along_axis(problem.codes[:, groups], self.order, axis=1)
        self.is_split = self.sorted[:, :-1] != self.sorted[:, 1:]
        self.weights, self.counts = problem.weights[:, groups], problem.counts[groups]

    def side(self, to_right: int, chain: int, i: int) -> Array:
        """Return the groups of one side of a position."""
        order = self.order[chain]
        return np.asarray(self.groups[order[i + 1 :] if to_right else order[: i + 1]])

    def count(self, chain: int, sides: Array, prices: Array) -> Array:
        """Return the least cost of sides of a chain with at most one more test.

        Parameters
        ----------
        chain : int
        sides : ndarray, shape (N, 2)
            1 for the right and 0 for the left side, and the position; m - 1 for the whole set.
        prices : ndarray, shape (G,)
            What a test of each chain costs by weight; negative if it may not be asked.
        """
        rank = np.empty(self.m, dtype=np.int32)
        rank[self.order[chain]] = np.arange(self.m)
        step = max(1, _CHUNK // max(self.order.size, 1))
        parts = np.split(sides.astype(np.int32), range(step, len(sides), step))
        return np.concatenate([self._count(rank, part, prices) for part in parts])

    def _count(self, rank: Array, sides: Array, prices: Array) -> Array:
        problem, (to_right, at) = self.problem, sides.T
        members = (rank <= at[:, None]) != to_right[:, None]
        inside = (rank[self.order] <= at[:, None, None]) != to_right[:, None, None]
        totals = np.array([(members * own).sum(axis=1) for own in self.weights])
        correct = np.repeat(totals.max(axis=0)[:, None], len(self.order), axis=1)
        may_split = self._may_split(inside)
        kind: Any = np.int32 if problem.total < 2**31 else problem.type
        present = np.flatnonzero(self.weights.any(axis=1)).tolist()
        for a, b in combinations(present, 2):  # each class gets one side of the test
            gained = (self.weights[a] - self.weights[b]).astype(kind)[self.order]
            gained = np.cumsum(inside * gained, axis=2, dtype=kind)[..., :-1] * may_split
            for base, most in ((b, gained.max(2, initial=0)), (a, -gained.min(2, initial=0))):
                correct = np.maximum(correct, totals[base][:, None] + most)
        weight = totals.sum(axis=0)
        errors = weight[:, None] - correct
        cost = problem.error * errors + 3 * problem.node + prices * weight[:, None]
        cost = np.where((prices < 0) | (problem.pure & (errors > 0)), problem.infinite, cost)
        leaf = problem.leaves(totals, members @ self.counts)
        least = np.minimum(leaf, cost.min(axis=1, initial=problem.infinite))
        small = problem.too_small(weight, members @ self.counts)
        return np.asarray(np.where(small, problem.infinite, least))

    def _may_split(self, inside: Array) -> Array:
        """Say where a test leaves its leaves large enough; elsewhere it counts as a leaf."""
        problem, allowed = self.problem, self.is_split
        if problem.limited:
            parts = self.counts, self.weights.sum(axis=0)
            left = [np.cumsum(inside * part[self.order], axis=2) for part in parts]
            for sums in ([x[..., :-1] for x in left], [x[..., -1:] - x[..., :-1] for x in left]):
                allowed = allowed & ~problem.too_small(sums[1], sums[0])
        return np.asarray(allowed)
