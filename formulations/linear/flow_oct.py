"""Flow formulation of optimal classification trees, with the full flow of all rows.

Aghaei, Gomez, Vayanos, Strong optimal classification trees, Operations Research (2025; arXiv
2103.15965). Published, only correctly classified rows flow, so that the tests asked of the others
cannot be counted. Here every group u of equal rows flows to its leaf. Over one-hot columns this is
also the formulation known as MFOCT. Over the variables and rows (1)-(6) of
`formulations.linear.position_tree`:

    z[n,u] = 1    group u visits position n
    g[n,u,k] = 1  it ends in n, a leaf of class k that occurs in u

    (7)   z[1,u] = 1
    (8)   z[2n,u] + z[2n+1,u] <= z[n,u]
    (9)   z[n,u] - z[2n,u] - z[2n+1,u] <= p[n];    z[n,u] <= p[n] at the bottom
    (10)  z[2n,u]   <= sum of b[n,t] over the tests that hold for u
          z[2n+1,u] <= sum of b[n,t] over the others
    (11)  g[n,u,k] <= c[n,k]
    (12)  sum_k g[n,u,k] <= z[n,u] - z[2n,u] - z[2n+1,u]   (z[n,u] at the bottom)
    (13)  errors = total weight - sum W[u,k] g[n,u,k]

Only b and c are integer: given them, the flow is forced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from formulations.linear.limits import by_class, limit_class_errors, separate
from formulations.linear.position_tree import CompleteTree, CompleteTreeFormulation
from formulations.linear.sizes import Sizes
from formulations.model import Goal
from formulations.program.base import Expression, Ints, Values
from formulations.tree.positions import Flow, HeapTree
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    STRUCTURE,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem


@dataclass(frozen=True)
class FlowOct(CompleteTreeFormulation):
    """FlowOCT with full flow: every measure and limit, for a given depth."""

    name: ClassVar[str] = "flow-oct"
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.MAX_NODES, Capability.MAX_FEATURES}
        | STRUCTURE
    )
    reference: ClassVar[str] = "Aghaei, Gomez, Vayanos, arXiv 2103.15965"

    def n_entries(self, problem: Problem) -> int:
        """Return about how many entries the program has."""
        size = Sizes.of(problem)
        return self.tree_entries(size) + size.flow(size.branches, size.positions)

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> FlowTree:
        """Write the problem as a model; see the module's docstring."""
        return FlowTree(problem, goal, self, stop)


class FlowTree(CompleteTree):
    """Rows (7)-(13).

    Attributes
    ----------
    z : ndarray of int64, shape (positions, G)
    g : ndarray of int64, shape (positions, number of pairs of a group and a class in it)
    """

    def __init__(
        self,
        problem: Problem,
        goal: Goal,
        options: CompleteTreeFormulation,
        stop: Callable[[], bool],
    ) -> None:
        super().__init__(problem, options, stop)
        self._u, self._k = np.nonzero(self.compiled.weights)
        last = self.add_flow(goal)
        self.start_flow()
        for n in range(1, last + 1):
            self.poll()
            self.add_rows(n)
        self.finish(goal)

    def add_flow(self, goal: Goal) -> int:
        """Add the variables of the flow; return the last position with rows."""
        self.z = self.add_positions("z", self.n_positions, self.compiled.n_groups)
        self.g = self.add_positions("g", self.n_positions, len(self._u))
        return int(self.n_positions)

    def add_rows(self, n: int) -> None:
        """Write the rows of one position."""
        self.split_flow(n)
        self.count_hits(n)

    def finish(self, goal: Goal) -> None:
        """Write objective and limits."""
        hits = self.g[self.g[:, 0] >= 0]
        limit_class_errors(
            self.program, self.problem, hits, by_class(self.problem, self._u, self._k)
        )
        if not self.is_movable:
            separate(self.program, self.z, self.split)
        gained = -self.compiled.weights[self._u, self._k]
        total = self.problem.dataset.total_weight
        missed = Expression.of(hits, np.broadcast_to(gained, hits.shape), total)  # (13)
        self.add_goal(goal, self.z, missed)

    def add_positions(self, name: str, last: int, width: int) -> Ints:
        """Add continuous variables for the positions 1 .. last; the array has all positions."""
        array = np.full((self.n_positions + 1, width), -1)
        array[1 : last + 1] = self.program.variables(name, last, width, continuous=True)
        return array

    def start_flow(self) -> None:
        """Rows (7)."""
        n_groups = self.compiled.n_groups
        self.program.rows(np.arange(n_groups), self.z[1], 1, 1, 1, n=n_groups)

    def split_flow(self, n: int) -> None:
        """Rows (8)-(10) of one position."""
        group = np.arange(self.compiled.n_groups)
        ends, signs = self.ends_at(n)
        if n <= self.n_branches:
            self.program.rows(group, ends, signs, 0, n=len(group))  # (8)
            self.follow_tests(n)
        variables = np.concatenate([ends, np.full((1, len(group)), self.p[n])])
        values = np.concatenate([signs, [[-1]]])
        self.program.rows(group, variables, values, None, 0, n=len(group))  # (9)

    def follow_tests(self, n: int) -> None:
        """Rows (10) of one branch; the tests of a chain hold from the rank of a group on."""
        group = np.arange(self.compiled.n_groups)
        yes, no = [(group, self.z[2 * n], 1)], [(group, self.z[2 * n + 1], 1)]
        for chain in self.chains:
            some = np.flatnonzero(chain.rank < len(chain.tests))  # some test holds
            lower = np.flatnonzero(chain.rank)  # some does not
            total = np.full(len(group), self.tests.total[n, chain.tests[0]])
            below = self.tests.s[n, chain.tests[chain.rank - 1]]
            both = np.intersect1d(some, lower)
            yes += [(some, total[some], -1), (both, below[both], 1)]
            no += [(lower, below[lower], -1)]
        for parts in (yes, no):
            row, variables = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
            signs = np.repeat([part[2] for part in parts], [len(part[0]) for part in parts])
            self.program.rows(row, variables, signs, None, 0, n=len(group))

    def count_hits(self, n: int) -> None:
        """Rows (11) and (12) of one position."""
        pairs = np.arange(len(self._u))
        labels = np.stack([self.g[n], self.c[n, self._k]])
        self.program.rows(pairs, labels, [[1], [-1]], None, 0, n=len(pairs))  # (11)
        self.limit_hits(n, *self.ends_at(n))

    def limit_hits(self, n: int, flow: Ints, signs: Ints) -> None:
        """Rows (12): hits of a group at ``n`` are at most a flow, a sum of rows of variables."""
        group = np.arange(self.compiled.n_groups)
        row = np.concatenate([self._u, np.broadcast_to(group, flow.shape).reshape(-1)])
        variables = np.concatenate([self.g[n], flow.reshape(-1)])
        minus = np.broadcast_to(-signs, flow.shape).reshape(-1)
        values = np.concatenate([np.ones(len(self._u)), minus])
        self.program.rows(row, variables, values, None, 0, n=len(group))

    def ends_at(self, n: int) -> tuple[Ints, Ints]:
        """Return the flow that ends at ``n``: variables of shape (m, G) and their signs (m, 1)."""
        if n > self.n_branches:
            return self.z[[n]], np.array([[1]])
        return self.z[[n, 2 * n, 2 * n + 1]], np.array([[1], [-1], [-1]])

    def move(self, heap: HeapTree, flow: Flow, values: Values) -> None:
        """Let every group flow to its leaf."""
        values[self.z[1:]] = flow.reach[1:]
        hits = flow.reach[:, self._u] & (heap.label[:, None] == self._k)
        values[self.g[1:]] = hits[1:]
