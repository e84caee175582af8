"""OCT: thresholds as continuous variables, big-M routing, one binary a group and leaf.

Bertsimas, Dunn, Optimal classification trees, Machine Learning 106 (2017). Feature values are
replaced by ranks, so that the constants are integers and no tolerance of a solver can confuse two
values. Over the variables and rows of `formulations.linear.assignment_tree`, with R the largest
rank:

    t[n]          threshold of branch n, 0 <= t[n] <= R d[n]
    e[l] >= 0     misclassified weight of leaf l

    (5)  l left of n:   sum_j a[n,j] (r[u,j] + 1) <= t[n] + (R + 1) (1 - z[l,u])
    (6)  l right of n:  sum_j a[n,j] r[u,j]       >= t[n] - R (1 - z[l,u])
    (7)  e[l] >= sum over u, k' != k of W[u,k'] z[l,u] - w (1 - c[l,k])  for every k;  w the weight
         for each digit of the weights by itself, where they are large
         (`formulations.program.digits`)

The relaxation has the value 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from formulations.linear.assignment_tree import AssignmentTree
from formulations.linear.base import LinearFormulation
from formulations.linear.sizes import Sizes
from formulations.model import Goal
from formulations.program.base import Expression, Ints, Values
from formulations.program.digits import weight_digits
from formulations.tree.nested_tests import NestedTests
from formulations.tree.positions import by_position
from odt.errors import Stopped
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem


@dataclass(frozen=True)
class Oct(LinearFormulation):
    """OCT on ranks, for axis-parallel tests."""

    name: ClassVar[str] = "oct"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.MAX_NODES, Capability.MAX_FEATURES, Capability.FEATURE_BUDGET}
    )
    reference: ClassVar[str] = "Bertsimas, Dunn, Machine Learning 2017"

    def n_entries(self, problem: Problem) -> int:
        """Return about how many entries the program has."""
        size = Sizes.of(problem)
        routes = size.depth * size.leaves * size.groups * (size.chains + 2)
        errors = size.leaves * size.classes * (size.groups + 2)
        return size.assignment + routes + errors

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> OctTree:
        """Write the problem as a model; see the module's docstring."""
        return OctTree(problem, goal, stop)


class RankTree(AssignmentTree):
    """Variables t and what is common to `OctTree` and `OctQTree`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, integer_assignment=True)
        self.largest = max((len(chain.tests) for chain in self.chains), default=1)
        self.t = by_position(
            self.program.variables("t", self.n_branches, upper=self.largest, continuous=True)
        )
        for n in range(1, self.n_branches + 1):
            limit = Expression.of([self.t[n], self.split[n]], [1, -self.largest])
            self.program.row(limit, upper=0)

    def keep_left(self, n: int, arrivals: Ints) -> None:
        """Rows (5); ``arrivals``, shape (m, G), are the variables whose sum says that u is left."""
        self._steer(n, arrivals, 1, self.largest + 1)

    def keep_right(self, n: int, arrivals: Ints) -> None:
        """Rows (6)."""
        self._steer(n, arrivals, 0, -self.largest)

    def _steer(self, n: int, arrivals: Ints, shift: int, slack: int) -> None:
        """Demand ``sum a (r + shift) - t + slack * arrivals`` <= slack, or >= slack if negative."""
        rank = np.array([chain.rank + shift for chain in self.chains]).reshape(
            -1, arrivals.shape[1]
        )
        group = np.arange(arrivals.shape[1])
        here = np.broadcast_to(self.a[n][:, None], rank.shape)
        limit = np.full((1, len(group)), self.t[n])
        variables = np.concatenate([here, limit, arrivals])
        values = np.concatenate([rank, limit * 0 - 1, arrivals * 0 + slack])
        bounds = (None, slack) if slack > 0 else (slack, None)
        self.program.rows(group, variables, values, *bounds, n=len(group))

    # ---- values ---------------------------------------------------------------------------

    def threshold(self, n: int, chain: NestedTests, values: Values) -> int:
        """Ranks up to ``t - 1`` go left."""
        return int(np.floor(values[self.t[n]] + 1e-4)) - 1

    def set_threshold(self, n: int, q: int, values: Values) -> None:
        """Put the threshold after rank ``q``."""
        values[self.t[n]] = q + 1


class OctTree(RankTree):
    """Rows (5)-(7)."""

    def __init__(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> None:
        super().__init__(problem)
        for n in range(1, self.n_branches + 1):
            Stopped.poll(stop)
            for leaf in self.leaves_below(2 * n).tolist():
                self.keep_left(n, self.z[[leaf]])
            for leaf in self.leaves_below(2 * n + 1).tolist():
                self.keep_right(n, self.z[[leaf]])
        self._add_errors()
        self.add_goal(goal, Expression.total((f, Expression.of(e)) for f, _, e in self._digits))

    def _add_errors(self) -> None:
        """Rows (7), for each digit of the weights by itself."""
        n_leaves, most = self.n_branches + 1, self.program.largest_sum
        self._digits: list[tuple[int, Ints, Ints]] = []
        for factor, digit in weight_digits(self.compiled.weights, most, n_leaves):
            name, total = f"e{factor}" if factor > 1 else "e", int(digit.sum())
            e = self.program.variables(name, n_leaves, upper=total, continuous=True)
            self._digits.append((factor, digit, e))
            for leaf, errors in zip(self.leaves_below(1).tolist(), e.tolist(), strict=True):
                self._count_errors(leaf, errors, digit)

    def _count_errors(self, leaf: int, errors: int, weights: Ints) -> None:
        others = weights.sum(axis=1, keepdims=True) - weights
        total, (u, k) = int(weights.sum()), np.nonzero(others)
        classes = np.arange(weights.shape[1])
        row = np.concatenate([classes, classes, k])
        variables = np.concatenate([classes * 0 + errors, self.c[leaf], self.z[leaf, u]])
        values = np.concatenate([classes * 0 + 1, classes * 0 - total, -others[u, k]])
        self.program.rows(row, variables, values, -total, None, n=len(classes))

    def assign(self, leaf_of: Ints, label: Ints, values: Values) -> None:
        """Count the errors of each leaf."""
        for _, weights, e in self._digits:
            wrong = weights.sum(axis=1) - weights[np.arange(self.n_groups), label[leaf_of]]
            values[e] = [wrong[leaf_of == leaf].sum() for leaf in self.leaves_below(1)]
