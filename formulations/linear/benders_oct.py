"""BendersOCT: the flow of FlowOCT projected out, as cuts added when a solution violates them.

Aghaei, Gomez, Vayanos, Strong optimal classification trees, Operations Research (2025; arXiv
2103.15965). Over the variables and rows (1)-(6) of `formulations.linear.position_tree`:

    g[u,k] = 1  group u ends in a leaf of class k, one that occurs in u

    (7)  sum_k g[u,k] <= 1;   errors = total weight - sum of W[u,k] g[u,k]
    (8)  g[u,k] <= value of every cut of u's network between the root and the leaves of class k

The network of (u, k) is a tree: into child m of n flows at most the sum of b[n,t] over the tests
that lead u there, and out of n at most c[n,k]. Its least cut is found from the bottom up in one
pass over the positions: val(n) = min(capacity into n, c[n,k] + val(2n) + val(2n+1)). The master
problem holds (8) once SCIP or Gurobi has found it violated, at integer solutions, or
also at fractional ones (``fractional``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from formulations.linear.limits import by_class, limit_class_errors
from formulations.linear.position_tree import CompleteTree, CompleteTreeFormulation
from formulations.linear.sizes import Sizes
from formulations.model import Goal
from formulations.program.base import Expression, Ints, Values
from formulations.program.linear import LazyRow
from formulations.tree.positions import Flow, HeapTree
from odt.errors import ProblemError
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, Capability, Need
from odt.model.measure import MAXIMA, Measure
from odt.model.problem import Problem

Floats = NDArray[np.float64]
_VIOLATION = 1e-6


@dataclass(frozen=True)
class BendersOct(CompleteTreeFormulation):
    """BendersOCT through SCIP's constraint handlers or Gurobi's lazy constraints.

    Parameters
    ----------
    backend : {"scip", "gurobi"}, default "scip"
        No other backend takes cuts while it runs.
    fractional : bool, default False
        Separate fractional solutions as well.
    """

    name: ClassVar[str] = "benders-oct"
    supports: ClassVar[frozenset[Need]] = (
        frozenset({Measure.ERROR, Measure.SIZE})
        | MAXIMA
        | COMBINATIONS
        | ERROR_LIMITS
        | {
            Capability.CATEGORICAL,
            Capability.FIXED_TESTS,
            Capability.MAX_NODES,
            Capability.MAX_FEATURES,
            Capability.FEATURE_BUDGET,
            Capability.CLASS_ERROR,
        }
    )
    reference: ClassVar[str] = "Aghaei, Gomez, Vayanos, arXiv 2103.15965"

    works_apart: ClassVar[bool] = False

    backend: str = "scip"
    fractional: bool = False

    def __post_init__(self) -> None:
        if self.backend not in ("scip", "gurobi"):
            raise ProblemError(
                "'benders-oct' adds cuts while the solver runs, which only the backends 'scip' and "
                f"'gurobi' do. Got {self.backend!r} instead; 'flow-oct' is the same model in full."
            )

    def n_entries(self, problem: Problem) -> int:
        """Return about how many entries the program has."""
        size = Sizes.of(problem)
        return self.tree_entries(size) + 2 * size.pairs

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> BendersTree:
        """Write the master problem as a model; see the module's docstring."""
        return BendersTree(problem, goal, self, stop)


class BendersTree(CompleteTree):
    """Rows (7), and (8) on demand."""

    def __init__(
        self, problem: Problem, goal: Goal, options: BendersOct, stop: Callable[[], bool]
    ) -> None:
        super().__init__(problem, options, stop)
        weights = self.compiled.weights
        self._u, self._k = np.nonzero(weights)
        self.g = self.program.variables("g", len(self._u), continuous=True)
        n_groups = self.compiled.n_groups
        self.program.rows(self._u, self.g, 1, None, 1, n=n_groups)
        self.program.lazy = self.violated
        self.program.lazy_at_fractions = options.fractional
        gained = -weights[self._u, self._k]
        pairs = by_class(problem, self._u, self._k)
        limit_class_errors(self.program, problem, self.g[None, :], pairs)
        nowhere = np.full((self.n_positions + 1, n_groups), -1)
        self.add_goal(goal, nowhere, Expression.of(self.g, gained, problem.dataset.total_weight))

    def violated(self, values: Values) -> list[LazyRow]:
        """Return the rows (8) that ``values`` violate, at most one for each g."""
        room, into = self._room(values)
        too_much = values[self.g] > room[1] + _VIOLATION
        return [self._cut(pair, values, room, into) for pair in np.flatnonzero(too_much).tolist()]

    def _room(self, values: Values) -> tuple[Floats, Floats]:
        """Return val(n) of each pair, and the capacity into n of each group, by position."""
        into = np.full((self.n_positions + 1, self.compiled.n_groups), np.inf)
        holds = self.compiled.outcomes.T.astype(float)
        for n in range(1, self.n_branches + 1):
            asked = values[self.b[n]]
            into[2 * n], into[2 * n + 1] = asked @ holds, asked @ (1 - holds)
        room = np.zeros((self.n_positions + 1, len(self._u)))
        for n in range(self.n_positions, 0, -1):
            room[n] = values[self.c[n, self._k]]
            if n <= self.n_branches:
                room[n] += room[2 * n] + room[2 * n + 1]
            room[n] = np.minimum(room[n], into[n, self._u])
        return room, into

    def _cut(self, pair: int, values: Values, room: Floats, into: Floats) -> LazyRow:
        """Return row (8) of one pair for its least cut."""
        u, k = self._u[pair], self._k[pair]
        variables: list[Ints] = [self.g[[pair]]]
        waiting = [1]
        while waiting:
            n = waiting.pop()
            through = values[self.c[n, k]]
            if n <= self.n_branches:
                through += room[2 * n, pair] + room[2 * n + 1, pair]
            if into[n, u] < through:
                leads_here = self.compiled.outcomes[u] == (n % 2 == 0)
                variables.append(self.b[n // 2, leads_here])
                continue
            variables.append(self.c[n, [k]])
            waiting += [2 * n, 2 * n + 1] if n <= self.n_branches else []
        every = np.concatenate(variables)
        signs = np.full(len(every), -1)
        signs[0] = 1
        return LazyRow(Expression.of(every, signs), 0)

    def move(self, heap: HeapTree, flow: Flow, values: Values) -> None:
        """Count what the leaves hit."""
        hits = flow.reach[:, self._u] & (heap.label[:, None] == self._k)
        values[self.g] = hits.any(axis=0)
