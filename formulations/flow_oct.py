"""Flow formulation of optimal classification trees, with the full flow of all rows.

Aghaei, Gomez, Vayanos, Strong optimal classification trees, Operations Research (2025; arXiv
2103.15965). Published, only correctly classified rows flow, so that the tests asked of the others
cannot be counted. Here every group u of equal rows flows to its leaf. Over one-hot columns this is
also the formulation known as MFOCT. Over the variables and rows (1)-(6) of
`formulations.complete_tree`:

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

from formulations.base import Goal, Stopped
from formulations.complete_tree import CompleteTree, CompleteTreeFormulation, unused_first
from formulations.heap import Flow, HeapTree
from formulations.program import Terms, Values
from odt.features import ALL, Feature
from odt.problem import Problem


@dataclass(frozen=True)
class FlowOct(CompleteTreeFormulation):
    """FlowOCT with full flow: every measure and limit, for a given depth."""

    name: ClassVar[str] = "flow-oct"
    supports: ClassVar[frozenset[Feature]] = ALL - {Feature.UNLIMITED_DEPTH}
    reference: ClassVar[str] = "Aghaei, Gomez, Vayanos, arXiv 2103.15965"

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> FlowTree:
        """Write the problem as a model; see the module's docstring."""
        return FlowTree(problem, goal, self, stop)


class FlowTree(CompleteTree):
    """Rows (7)-(13)."""

    def __init__(
        self, problem: Problem, goal: Goal, options: FlowOct, stop: Callable[[], bool]
    ) -> None:
        super().__init__(problem, options)
        n_groups = self.compiled.n_groups
        self.z = unused_first(
            self.program.variables("z", self.n_positions, n_groups, continuous=True)
        )
        self._u, self._k = np.nonzero(self.compiled.weights)
        self.g = unused_first(
            self.program.variables("g", self.n_positions, len(self._u), continuous=True)
        )
        group = np.arange(n_groups)
        self.program.rows(group, self.z[1], 1, 1, 1, n=n_groups)  # (7)
        for n in range(1, self.n_positions + 1):
            if stop():
                raise Stopped
            self._add_flow(n)
        weight = -self.compiled.weights[self._u, self._k]
        gained = np.broadcast_to(weight, self.g[1:].shape)
        self.add_goal(goal, self.z, Terms.of(self.g[1:], gained, problem.dataset.total_weight))

    def _add_flow(self, n: int) -> None:
        """Rows (8)-(12) of one position."""
        n_groups = self.compiled.n_groups
        group = np.arange(n_groups)
        ends, signs = self.z[[n]], np.array([[1]])  # expression of the flow that ends here
        if n <= self.n_branches:
            ends, signs = self.z[[n, 2 * n, 2 * n + 1]], np.array([[1], [-1], [-1]])
            self.program.rows(group, ends, signs, 0, None, n=n_groups)  # (8)
            for side in (0, 1):  # (10)
                u, t = np.nonzero(self.compiled.outcomes == (side == 0))
                row = np.concatenate([group, u])
                variables = np.concatenate([self.z[2 * n + side], self.b[n, t]])
                values = np.repeat([1, -1], [n_groups, len(u)])
                self.program.rows(row, variables, values, None, 0, n=n_groups)
        here = np.full((1, n_groups), self.p[n])
        stop_here = np.concatenate([ends, here])
        self.program.rows(
            group, stop_here, np.concatenate([signs, [[-1]]]), None, 0, n=n_groups
        )  # (9)
        pairs = np.arange(len(self._u))
        labels = np.stack([self.g[n], self.c[n, self._k]])
        self.program.rows(pairs, labels, [[1], [-1]], None, 0, n=len(pairs))  # (11)
        row = np.concatenate([self._u, np.broadcast_to(group, ends.shape).reshape(-1)])
        values = np.concatenate(
            [np.ones(len(pairs)), np.broadcast_to(-signs, ends.shape).reshape(-1)]
        )
        variables = np.concatenate([self.g[n], ends.reshape(-1)])
        self.program.rows(row, variables, values, None, 0, n=n_groups)  # (12)

    def move(self, heap: HeapTree, flow: Flow, values: Values) -> None:
        """Let every group flow to its leaf."""
        values[self.z[1:]] = flow.reach[1:]
        ends = flow.reach[:, self._u] & (heap.label[:, None] == self._k)
        values[self.g[1:]] = ends[1:]
