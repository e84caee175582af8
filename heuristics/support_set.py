"""Solving within few features that still tell all classes apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from odt.core.registry import make_solver, solver_class
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.errors import ProblemError, Stopped
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    STRUCTURE,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA, Amounts
from odt.model.problem import Problem
from odt.transform import SupportSets, restrict


@dataclass(frozen=True)
class SupportSetHeuristic(Solver):
    """Restrict the problem to a support set and solve the rest exactly.

    The result is a tree of the full problem with the best value within the chosen features, and
    its status is never optimal: Theorems 15 to 17 of the paper say how much can be lost. Its
    bound is one of the full problem (a consistent tree has a branch for each feature of a
    smallest support set).

    Parameters
    ----------
    features : tuple of int, optional
        The support set; by default one of the fewest features, found by CP-SAT.
    solver : str, optional
        The solver to use within the features; by default ``min-size`` where it applies, ``dp``
        elsewhere.
    """

    features: tuple[int, ...] | None = None
    solver: str | None = None

    name: ClassVar[str] = "support-set"
    exact: ClassVar[bool] = False
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
    requires: ClassVar[tuple[str, ...]] = ("ortools",)
    reference: ClassVar[str] = (
        "Eiben, Ordyniak, Paesani, Szeider, Learning Small Decision Trees with Large Domain, "
        "IJCAI 2023, section 6"
    )

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Choose the features and solve within them."""
        try:
            features, fewest = self._choose(problem, run)
        except Stopped:
            return Solution(Status.UNKNOWN)
        restricted = restrict(problem, features)
        inner = _inner_solver(self.solver, restricted)
        found = inner.solve(restricted, run.part(restricted))
        status = Status.UNKNOWN if found.tree is None else Status.FEASIBLE
        stats = {"features": features, "within_features": found.status.value, **found.stats}
        return Solution(status, found.tree, _bound(problem, round(fewest)), stats)

    def _choose(self, problem: Problem, run: Run) -> tuple[tuple[int, ...], float]:
        """Return the features, and a lower bound on their number if they were looked for."""
        Stopped.poll(run.should_stop)
        sets = SupportSets(problem, run.should_stop)
        if self.features is None:
            remaining = run.remaining()
            smallest = sets.smallest(time_limit=None if remaining > 1e6 else 0.1 + remaining / 4)
            return smallest.features, smallest.bound
        if not sets.contains(self.features):
            raise ProblemError(
                f"The features {self.features} are not a support set: some examples of different "
                "class are equal in all of them. See odt.transform.SupportSets(problem).minimal()."
            )
        return self.features, 0.0


def _inner_solver(name: str | None, problem: Problem) -> Solver:
    if name is not None:
        return make_solver(name, {})
    suits = problem.needs <= solver_class("min-size").supports
    return make_solver("min-size" if suits else "dp", {})


def _bound(problem: Problem, fewest: int) -> int | None:
    """Return the cost that the features of every consistent tree alone imply."""
    if Capability.CONSISTENT not in problem.needs:
        return None
    return problem.costs.of(Amounts(nodes=2 * fewest + 1, depth=fewest.bit_length()))
