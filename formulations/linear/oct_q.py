"""OCT with hits instead of misses, and routing rows summed over the leaves of a side.

After Ales et al., New optimization models for optimal classification trees, Computers &
Operations Research (2024): their quadratic model, linearised. No weight of the whole data stands in
a row, and each routing row serves all leaves of a side. Over the variables and rows of
`formulations.linear.assignment_tree`, with R the largest rank:

    t[n]           threshold of branch n, 0 <= t[n] <= R d[n]
    g[l,u,k] <= 1  group u ends in leaf l, which predicts k

    (5)  sum_j a[n,j] (r[u,j] + 1) <= t[n] + (R + 1) (1 - sum of z[l,u] over the leaves left of n)
    (6)  sum_j a[n,j] r[u,j]       >= t[n] - R (1 - sum of z[l,u] over the leaves right of n)
    (7)  g[l,u,k] <= c[l,k];   sum_k g[l,u,k] <= z[l,u]
    (8)  errors = total weight - sum of W[u,k] g[l,u,k]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from formulations.linear.base import LinearFormulation
from formulations.linear.limits import by_class, limit_class_errors
from formulations.linear.oct import RankTree
from formulations.linear.sizes import Sizes
from formulations.model import Goal
from formulations.program.base import Expression, Ints, Values
from odt.errors import Stopped
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem


@dataclass(frozen=True)
class OctQ(LinearFormulation):
    """OCT after Ales et al. (2024)."""

    name: ClassVar[str] = "oct-q"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {
            Capability.MAX_NODES,
            Capability.MAX_FEATURES,
            Capability.FEATURE_BUDGET,
            Capability.CLASS_ERROR,
        }
    )
    reference: ClassVar[str] = "Ales et al., Computers & Operations Research 2024"

    def n_entries(self, problem: Problem) -> int:
        """Return about how many entries the program has."""
        size = Sizes.of(problem)
        routes = 2 * size.branches * size.groups * (size.chains + 1)
        hits = size.leaves * (size.depth * size.groups + 3 * size.pairs + size.groups)
        return size.assignment + routes + hits

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> OctQTree:
        """Write the problem as a model; see the module's docstring."""
        return OctQTree(problem, goal, stop)


class OctQTree(RankTree):
    """Rows (5)-(8)."""

    def __init__(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> None:
        super().__init__(problem)
        for n in range(1, self.n_branches + 1):
            Stopped.poll(stop)
            self.keep_left(n, self.z[self.leaves_below(2 * n)])
            self.keep_right(n, self.z[self.leaves_below(2 * n + 1)])
        self._u, self._k = np.nonzero(self.compiled.weights)
        n_leaves = self.n_branches + 1
        self.g = self.program.variables("g", n_leaves, len(self._u), continuous=True)
        self._add_hits()
        pairs = by_class(problem, self._u, self._k)
        limit_class_errors(self.program, problem, self.g, pairs)
        gained = -self.compiled.weights[self._u, self._k]
        total = problem.dataset.total_weight
        self.add_goal(goal, Expression.of(self.g, np.broadcast_to(gained, self.g.shape), total))

    def _add_hits(self) -> None:
        """Rows (7)."""
        pairs, group = np.arange(len(self._u)), np.arange(self.n_groups)
        for i, leaf in enumerate(self.leaves_below(1).tolist()):
            labels = np.stack([self.g[i], self.c[leaf, self._k]])
            self.program.rows(pairs, labels, [[1], [-1]], None, 0, n=len(pairs))
            row = np.concatenate([self._u, group])
            variables = np.concatenate([self.g[i], self.z[leaf]])
            values = np.repeat([1, -1], [len(pairs), len(group)])
            self.program.rows(row, variables, values, None, 0, n=len(group))

    def assign(self, leaf_of: Ints, label: Ints, values: Values) -> None:
        """Hit where the leaf of a group predicts its class."""
        hits = label[leaf_of[self._u]] == self._k
        leaves = self.leaves_below(1)[:, None]
        values[self.g] = hits & (leaf_of[self._u] == leaves)
