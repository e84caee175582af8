"""Flow formulation with the last level disaggregated into stumps.

A branch n of the last level and its two leaves are one choice, of a test and of both labels, which
differ. Over the variables and rows (1)-(9) of `formulations.linear.flow_oct`, for these n:

    x[n,t,k,l] = 1  n asks t, the yes side predicts k, the no side l != k

    (a)  b[n,t] = sum over k, l of x[n,t,k,l]
    (b)  c[2n,k] = sum over t, l of x[n,t,k,l];   c[2n+1,l] = sum over t, k of x[n,t,k,l]
    (c)  g[n,u,k] <= c[n,k] + sum of x[n,t,.,.] over the choices that predict k for u
    (d)  sum_k g[n,u,k] <= z[n,u]

and no flow below n, unless leaves are limited, or tests or features on paths are counted. At
depth 1 the linear relaxation is exact; once the upper tests are fixed it is integral, so that a
solver branches on the levels above the last only. There are T K (K - 1) variables for each n.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from formulations.linear.flow_oct import FlowTree
from formulations.linear.position_tree import CompleteTreeFormulation
from formulations.linear.sizes import Sizes
from formulations.model import Goal
from formulations.program.base import Ints, Values
from formulations.tree.positions import Flow, HeapTree
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem

PORTION = 2**22
"""Pairs times choices that are looked at together."""


@dataclass(frozen=True)
class FlowStump(CompleteTreeFormulation):
    """FlowOCT with a stronger last level."""

    name: ClassVar[str] = "flow-stump"
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
    reference: ClassVar[str] = "Aghaei, Gomez, Vayanos, arXiv 2103.15965, strengthened"

    def n_entries(self, problem: Problem) -> int:
        """Return about how many entries the program has."""
        size = Sizes.of(problem)
        inner, stumps = size.branches // 2, size.branches - size.branches // 2
        entries = self.tree_entries(size) + size.flow(inner, inner) + size.stumps
        if _needs_leaf_flow(problem, Goal.of(problem)):
            entries += size.flow(stumps, 3 * stumps)
        return entries

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> StumpTree:
        """Write the problem as a model; see the module's docstring."""
        return StumpTree(problem, goal, self, stop)


class StumpTree(FlowTree):
    """Rows (a)-(d) for the last branches, (7)-(12) above."""

    def add_flow(self, goal: Goal) -> int:
        """Add the variables of the flow and of the choices of stumps."""
        last: int = max(self.n_branches, 1)
        self._flows_on = _needs_leaf_flow(self.problem, goal)
        self.z = self.add_positions(
            "z", self.n_positions if self._flows_on else last, self.compiled.n_groups
        )
        self.g = self.add_positions("g", last, len(self._u))
        self._stumps = range(last // 2 + 1, self.n_branches + 1)
        self._test, self._yes, self._no = self._choices()
        self.x = np.full((self.n_branches + 1, len(self._test)), -1)
        if self._stumps:
            self.x[self._stumps[0] :] = self.program.variables(
                "x", len(self._stumps), len(self._test), continuous=True
            )
        return last

    def add_rows(self, n: int) -> None:
        """Write the rows of one position."""
        if n in self._stumps:
            self._add_stump(n)
        else:
            super().add_rows(n)

    def _choices(self) -> tuple[Values, Values, Values]:
        k = self.c.shape[1]
        test, yes, no = np.indices((self.compiled.n_tests, k, k)).reshape(3, -1)
        differ = yes != no
        return test[differ], yes[differ], no[differ]

    def _hits(self) -> tuple[Ints, Ints]:
        """Return which pair of a group and a class each choice hits, worked out in portions."""
        found = [np.zeros((2, 0), dtype=np.int64)]
        step = max(1, PORTION // max(len(self._test), 1))
        for first in range(0, len(self._u), step):
            self.poll()
            part = slice(first, first + step)
            holds = self.compiled.outcomes[self._u[part]][:, self._test]
            predicted = np.where(holds, self._yes, self._no)
            pair, choice = np.nonzero(predicted == self._k[part, None])
            found.append(np.stack([pair + first, choice]))
        pairs, choices = np.concatenate(found, axis=1)
        return pairs, choices

    def _add_stump(self, n: int) -> None:
        """Rows (a)-(d)."""
        program = self.program
        for total, part in (
            (self.b[n], self._test),
            (self.c[2 * n], self._yes),
            (self.c[2 * n + 1], self._no),
        ):
            row = np.concatenate([np.arange(len(total)), part])
            values = np.repeat([1, -1], [len(total), len(part)])
            program.rows(row, np.concatenate([total, self.x[n]]), values, 0, 0, n=len(total))
        pair, choice = self._hits()
        own = np.arange(len(self._u))
        row = np.concatenate([own, own, pair])
        variables = np.concatenate([self.g[n], self.c[n, self._k], self.x[n, choice]])
        values = np.repeat([1, -1, -1], [len(own), len(own), len(pair)])
        program.rows(row, variables, values, None, 0, n=len(own))  # (c)
        self.limit_hits(n, self.z[[n]], np.array([[1]]))  # (d)
        if self._flows_on:
            for position in (n, 2 * n, 2 * n + 1):
                self.split_flow(position)

    def move(self, heap: HeapTree, flow: Flow, values: Values) -> None:
        """Let every group flow, and choose the stumps."""
        last = self.n_positions if self._flows_on else max(self.n_branches, 1)
        values[self.z[1 : last + 1]] = flow.reach[1 : last + 1]
        hits = flow.reach[:, self._u] & (heap.label[:, None] == self._k)
        for n in self._stumps:
            hits[n] |= hits[2 * n] | hits[2 * n + 1]
            is_chosen = self._test == heap.test[n]
            is_chosen &= self._yes == heap.label[2 * n]
            values[self.x[n, is_chosen & (self._no == heap.label[2 * n + 1])]] = 1
        upper = max(self.n_branches, 1) + 1
        values[self.g[1:upper]] = hits[1:upper]


def _needs_leaf_flow(problem: Problem, goal: Goal) -> bool:
    limited = not problem.limits.allows_leaf(1, 0)
    prices = (goal.prices, *(limit.prices for limit in goal.limits))
    return limited or any(p.tests or p.explanation for p in prices)
