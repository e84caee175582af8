"""The measures in programs where groups of rows flow: stronger rows, in fewer variables.

The visits to two children add up to those that their branch passes on. Where that holds in a linear
relaxation too (the flow models), the rows below are stronger than those of
`formulations.tree.measures` that they replace; in the others they are as valid.
Numbers with a dash stand for those there:

3'. tests        sum_u w_u (sum of reach[u, m] over all children m); those of the root are split[1]
4'. new[n]       >= split[n] - sum_j old[n, j],  old[n, j] <= uses[n, j],
                 old[n, j] <= sum_{a above n} uses[a, j], for the features j with several tests
5'. visit[u, n]  >= reach[u, 2n] + reach[u, 2n+1] + mark[n] - split[n]

In 5' the mark is new[n], or that the test of n is dear. A relaxation with split[n] = 1/2 counts
half a visit there, where reach + mark - 1 counts none.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from formulations.program.base import Expression, Ints
from formulations.program.linear import LinearProgram
from formulations.tree.measures import TreeMeasures, TreeVariables
from formulations.tree.positions import Flow, ancestors
from odt.model.problem import Problem


class FlowMeasures(TreeMeasures):
    """Measures of a linear program with flow; parameters as for `TreeMeasures`."""

    def __init__(self, program: LinearProgram, problem: Problem, tree: TreeVariables) -> None:
        super().__init__(program, problem, tree)
        self._linear = program

    @cached_property
    def _visits_to_branches(self) -> Expression:
        """Rows 3'."""
        children = self._tree.reach[4:]
        below = Expression.of(children, np.broadcast_to(self._weight, children.shape))
        return Expression.total(
            [(1, below), (1, Expression.of(self._tree.split[1:2], self._weight.sum()))]
        )

    def _count_visits(self, visit: Ints, reach: Ints, marks: Ints) -> None:
        """Rows 5'."""
        split = np.broadcast_to(self._tree.split[2:, None], reach.shape)
        onward = self._tree.reach[4::2], self._tree.reach[5::2]
        parts = np.stack([*onward, marks, split, visit], axis=-1).reshape(-1, 5)
        row = np.arange(len(parts))[:, None]
        self._linear.rows(row, parts, [1, 1, 1, -1, -1], None, 0, n=len(parts))

    def _mark_new(self, new: Ints) -> None:
        """Rows 4'."""
        uses, n_several = self._tree.uses[:, self._several], len(self._several)
        shape = len(new), n_several
        old = self._define("old", lambda flow: self._are_old(flow).reshape(shape), *shape)
        j = np.arange(n_several)
        for n in self._positions:
            once = [self._tree.split[[n]], new[[n - 1]], old[n - 1]]
            self._linear.row(
                Expression.of(np.concatenate(once), [1] + [-1] * (n_several + 1)), upper=0
            )
            for above in (uses[[n]], uses[ancestors(n)]):
                entries = np.concatenate([old[[n - 1]], above])
                signs = np.array([[1]] + [[-1]] * len(above))
                self._linear.rows(j, entries, signs, None, 0, n=n_several)

    def _are_old(self, flow: Flow) -> Any:
        asked = flow.uses[:, self._several]
        return np.array([asked[n] & asked[ancestors(n)].any(axis=0) for n in self._positions])
