"""Exact dynamic programming over the tree MDP, for every measure, sum and lexicographic order.

Bellman's equation on the process of `odt.mdp`: the cost of a set of examples is that of a leaf,
or of the best test plus the costs of its two sides. Depth and worst explanation are maxima, not
sums; they are fixed in turn and what is left is additive. Lexicographic orders are one integer
cost (`odt.model.costs`). The recursion is depth first with memoised sets and bounds: a set is
searched only as far as it can still beat the best tree, and the memo keeps either its exact cost or
the bound that was proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.dp.coupled import Frontier
from odt.engine.dp.search import Search
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
from odt.model.measure import ADDITIVE, MAXIMA
from odt.model.problem import Problem

COUPLING = frozenset({Capability.MAX_NODES, Capability.MAX_ERROR, Capability.CLASS_ERROR})
"""Limits that tie the two sides of a test to each other."""


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
    planner = _Planner(mdp, run)
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


class _Planner:
    """Reduces an objective with maxima and coupled limits to a series of additive searches."""

    def __init__(self, mdp: TreeMDP, run: Run) -> None:
        self.mdp, self.run = mdp, run
        self.tree = run.tree
        self.cost = mdp.problem.costs.upper + 1 if run.cost is None else run.cost
        self.n_states = 0

    def plan(self) -> None:
        """Search every case that may hold a better tree than the cases before."""
        problem = self.mdp.problem
        if not self.mdp.large_enough(self.mdp.initial.examples):
            return  # not even the root may be a leaf
        costs = problem.costs
        engine = Frontier if problem.needs & COUPLING else Search
        for features in self._feature_sets():
            for worst in self._worst_limits():
                search = engine(self.mdp, self.run, features, worst)
                if not self.mdp.is_restricted:
                    self.run.report(bound=search.lower_bound(self.mdp.initial))
                for depth in self._depth_limits():
                    surcharge = costs.prices.depth * depth + costs.prices.worst * (worst or 0)
                    try:
                        found = search.best(depth, self.cost - surcharge)
                    finally:
                        self.n_states = max(self.n_states, search.n_states)
                    if found is not None:
                        self.tree, self.cost = found[1], found[0] + surcharge
                        self.run.report(tree=self.tree)

    def _depth_limits(self) -> Iterator[int]:
        """Small depths first: each gives a tree to report and an upper bound for the next."""
        deepest = self.mdp.problem.limits.useful_depth
        if self.mdp.problem.costs.prices.depth:
            yield from range(deepest + 1)
        else:
            yield from range(min(3, deepest))
            yield deepest

    def _worst_limits(self) -> Iterator[int | None]:
        problem = self.mdp.problem
        if problem.costs.prices.worst == 0:
            yield None
        else:
            yield from range(min(problem.limits.useful_depth, problem.dataset.n_features) + 1)

    def _feature_sets(self) -> Iterator[int | None]:
        """Each largest set of features that the tree may use; None stands for all."""
        problem = self.mdp.problem
        everything = frozenset(range(problem.dataset.n_features))
        if problem.limits.allows_features(everything):
            yield None
            return
        for chosen in _allowed_sets(problem, frozenset(), 0):
            Stopped.poll(self.run.should_stop)
            if not any(problem.limits.allows_features(chosen | {f}) for f in everything - chosen):
                yield sum(1 << feature for feature in chosen)


def _allowed_sets(problem: Problem, chosen: frozenset[int], first: int) -> Iterator[frozenset[int]]:
    """Yield ``chosen`` and every allowed set that adds features numbered from ``first`` on."""
    yield chosen
    for feature in range(first, problem.dataset.n_features):
        larger = chosen | {feature}
        if problem.limits.allows_features(larger):
            yield from _allowed_sets(problem, larger, feature + 1)
