"""Exact dynamic programming over the tree MDP, for every measure, sum and lexicographic order.

Bellman's equation on the process of `odt.mdp`: the cost of a set of examples is that of a leaf,
or of the best test plus the costs of its two sides. Depth and worst explanation are maxima, not
sums; they are fixed in turn and what is left is additive. Lexicographic orders are one integer
cost (`odt.model.costs`). The recursion is depth first with memoised sets and bounds: a set is
searched only as far as it can still beat the best tree, and the memo keeps either its exact cost or
the bound that was proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.dp.planner import Planner
from odt.errors import Stopped
from odt.mdp import TestGenerator, TreeMDP
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    STRUCTURE,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA, Measure
from odt.model.problem import Problem


@dataclass(frozen=True)
class DynamicProgramming(Solver):
    """Exact for small and medium problems; the test oracle of everything that scales."""

    name: ClassVar[str] = "dp"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.UNLIMITED_DEPTH, Capability.MAX_NODES, Capability.MAX_FEATURES}
        | {Measure.SQUARED_ERROR}
        | STRUCTURE
    )
    reference: ClassVar[str] = "Bellman's equation; Kohler, Akrour, Preux, arXiv 2309.12701"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve to optimality, or return the best tree and bound when the run must stop."""
        return solve_mdp(problem, run, None)


def solve_mdp(problem: Problem, run: Run, generator: TestGenerator | None) -> Solution:
    """Return the optimal policy of a problem's decision process, as a tree.

    Parameters
    ----------
    problem : Problem
    run : Run
    generator : TestGenerator or None
        None stands for all tests. With any other generator the tree is best only among the trees
        it offers, so the status is FEASIBLE and no bound is sent.

    Returns
    -------
    Solution
        ``stats`` holds the number of states.
    """
    if generator is None:
        run.compile()
    mdp = TreeMDP(problem, generator)
    planner = Planner(mdp, run)
    stopped = False
    try:
        planner.plan()
    except Stopped:
        stopped = True
    stats = {"states": planner.n_states}
    if generator is not None:
        status = Status.UNKNOWN if planner.tree is None else Status.FEASIBLE
        return Solution(status, planner.tree, None, stats)
    if stopped:
        status = Status.UNKNOWN if planner.tree is None else Status.FEASIBLE
        return Solution(status, planner.tree, run.bound, stats)
    if planner.tree is None:
        return Solution(Status.INFEASIBLE, stats=stats)
    return Solution(Status.OPTIMAL, planner.tree, planner.cost, stats)
