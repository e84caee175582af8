"""The clause model of a complete tree: `sat-tests` and `sat-order`, mixed feature by feature.

Positions n of a complete binary tree, groups u of examples, features j, tests t:

1. split[n]        n is a branch; a branch below a leaf is forbidden.
2. uses[n, j]      exactly one j if split[n], else none.
3. asks[n, t]      for a feature with few tests: exactly one of its tests if uses[n, j]. It fixes
                   left[n, u] for every group; backward support links them the other way.
4. For a feature with many thresholds there are no ``asks``: with the groups in the order of the
   feature, uses[n, j] makes left[n, .] a prefix that splits no ties and is neither empty nor full;
   the threshold is read off where it ends.
5. reach[2n, u]   <-> reach[n, u] and left[n, u];
   reach[2n+1, u] <-> reach[n, u] and split[n] and not left[n, u].
6. Labels, one class a position; positions that are not leaves have class 0.

Errors are in `formulations.clause.errors`, symmetry and dominance in
`formulations.clause.dominance`, measures and limits in `formulations.tree.measures`.

References: Shati, Cohen, McIlraith, "SAT-based optimal classification trees for non-binary data",
Constraints 2023 (order encoding); Hu, Siala, Hebrard, Huguet, IJCAI 2020 (MaxSAT trees).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from formulations.base import Formulation
from formulations.clause.dominance import (
    commuting,
    distinct_leaves,
    dominance,
    useful_splits,
)
from formulations.clause.errors import ClauseErrors
from formulations.clause.links import link_orders, link_reach, link_tests
from formulations.clause.variables import ClauseVariables
from formulations.model import Goal, Model
from formulations.program.base import Values
from formulations.program.clauses import ClauseIR
from formulations.tree.demands import demands
from formulations.tree.measures import TreeMeasures, TreeVariables
from formulations.tree.positions import Placement, model_depth
from odt.errors import ProblemError, Stopped, TooLargeError
from odt.model.compiled import Compiled
from odt.model.problem import Problem
from odt.model.tree import Tree

FEW_TESTS = 8
LARGEST_MODEL = 2 * 10**7

Encoding = Literal["auto", "tests", "order"]


@dataclass(frozen=True)
class ClauseFormulation(Formulation[ClauseIR]):
    """Options of the clause model; a subclass adds the emitter.

    Parameters
    ----------
    encoding : {"auto", "tests", "order"}, default "auto"
        How thresholds are written: one variable a test, the order of the examples, or the first
        for features with at most 8 tests and the second for others.
    dominance : bool, default True
        Forbid tests that an earlier answer on the path decides (S3, S4).
    distinct_leaves : bool, default True
        Forbid two sibling leaves of one class (S5).
    useful_splits : bool, default True
        Forbid branches that separate nothing (S6).
    commuting : bool, default True
        Where both children ask the same test, allow one of the two orders of levels (S7).
    merged_errors : bool, default True
        Pull out the errors that every tree makes (E0).
    """

    bytes_per_literal: ClassVar[int] = 40
    """Memory of a literal here and in the library."""

    encoding: Encoding = "auto"
    dominance: bool = True
    distinct_leaves: bool = True
    useful_splits: bool = True
    commuting: bool = True
    merged_errors: bool = True

    def __post_init__(self) -> None:
        if self.encoding not in ("auto", "tests", "order"):
            raise ProblemError(
                f"'encoding' must be 'auto', 'tests' or 'order'. Got {self.encoding!r} instead."
            )

    def most_asked(self, problem: Problem) -> int:
        """Return up to how many tests a feature has that is written test by test."""
        n_tests = problem.compiled.n_tests
        if problem.limits.positions is not None:
            return n_tests
        return {"auto": FEW_TESTS, "tests": n_tests, "order": 1}[self.encoding]

    def n_bytes(self, problem: Problem) -> int:
        """Return about how much memory the literals take."""
        depth, limit = model_depth(problem), self.most_asked(problem)
        return self.bytes_per_literal * _n_literals(problem.compiled, depth, limit)

    def build(self, problem: Problem, goal: Goal, stop: Callable[[], bool]) -> ClauseTree:
        """Write the clause model; see the module."""
        return ClauseTree(problem, goal, self, stop)


class ClauseTree(Model[ClauseIR]):
    """The clause model of one problem.

    Parameters
    ----------
    problem : Problem
    goal : Goal
    options : ClauseFormulation
    stop : callable

    Attributes
    ----------
    program : ClauseIR
    variables : ClauseVariables

    Raises
    ------
    Stopped
        If the run must stop.
    """

    def __init__(
        self, problem: Problem, goal: Goal, options: ClauseFormulation, stop: Callable[[], bool]
    ) -> None:
        compiled, depth = problem.compiled, model_depth(problem)
        limit, movable = options.most_asked(problem), problem.limits.positions is None
        self._problem = problem
        self.program = program = ClauseIR()
        self.variables = v = ClauseVariables.add(program, compiled, depth, limit)
        for step in (link_tests, link_orders, link_reach):
            step(program, compiled, v, stop)
        self._errors = ClauseErrors(program, compiled, v, options.merged_errors)
        for wanted, rows in (
            (options.dominance, dominance),
            (options.distinct_leaves and movable, distinct_leaves),
            (options.useful_splits or not movable, useful_splits),
            (options.commuting and movable, commuting),
        ):
            Stopped.poll(stop)
            if wanted:
                rows(program, compiled, v)
        if problem.limits.positions is not None:
            demands(program, compiled, v.asks, problem.limits.positions)
        if problem.limits.class_errors is not None:
            self._errors.limit(problem.limits.class_errors)
        tree = TreeVariables(v.split, v.reach, v.uses, self._errors.terms)
        self._measures = TreeMeasures(program, problem, tree)
        self._measures.apply(goal)

    def decode(self, values: Values) -> Tree:
        """Return the tree that ``values`` stand for."""
        compiled = self._problem.compiled
        return self.variables.heap(values, compiled).tree(compiled)

    def encode(self, tree: Tree) -> Values | None:
        """Return values of all variables that stand for ``tree``; None if it cannot be said.

        Branches that separate nothing are removed and levels that commute are put in order, as
        the symmetry rows demand; no measure grows by that.
        """
        compiled, placement = self._problem.compiled, Placement(self._problem)
        heap = placement.place(tree)
        while heap is not None and self._problem.limits.positions is None and heap.swap_levels():
            heap = placement.place(heap.tree(compiled))
        if heap is None:
            return None
        flow = heap.flow(compiled)
        values = np.zeros(self.program.n_variables, dtype=np.int64)
        self.variables.assign(values, heap, flow)
        self._errors.assign(values, flow)
        self._measures.assign(values, flow)
        return values


def _n_literals(compiled: Compiled, depth: int, limit: int) -> int:
    """Return about how many literals a model has.

    Raises
    ------
    TooLargeError
        Beyond `LARGEST_MODEL`.
    """
    count = np.bincount(compiled.features)
    n_asked, n_ordered = int(count[count <= limit].sum()), int((count > limit).sum())
    n_literals: int = 2**depth * compiled.n_groups * (3 * n_asked + 6 * n_ordered + 20)
    if n_literals > LARGEST_MODEL:
        raise TooLargeError(
            f"A complete tree of depth {depth} over {compiled.n_groups} groups of examples needs "
            f"about 10^{len(str(n_literals)) - 1} literals, more than the {LARGEST_MODEL:.0e} "
            "allowed. Give a smaller max_depth, fewer tests (odt.TestSet.quantiles), or use "
            "another solver such as 'dp'."
        )
    return n_literals
