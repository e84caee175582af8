"""The solver ``auto``: a heuristic tree first, then the exact engine that fits the problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from odt.core.registry import make_solver, solver_class
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.auto.choice import engines, is_tiny
from odt.engine.dp.solver import DynamicProgramming
from odt.errors import DataError, Stopped, UnsupportedProblemError
from odt.model.capability import Need
from odt.model.problem import Problem

FIRST = ("dpdt", "cart")
"""Heuristics, the better one first; the first that supports a problem starts it."""


@dataclass(frozen=True)
class Auto(Solver):
    """Chooses for every problem: first the tree of ``dpdt``, then the exact engine that fits.

    The tree is never worse than that of ``dpdt`` alone. An engine that finds a problem too large
    is followed by the next one. ``stats`` says which engine the result comes from (``engine``),
    for what reason (``why``), and which were given up (``given_up``).
    """

    name: ClassVar[str] = "auto"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Need]] = DynamicProgramming.supports  # the last engine
    requires: ClassVar[tuple[str, ...]] = ("numba",)

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Run the heuristic and then the engines, until one has a proof or the run must stop."""
        first = "" if is_tiny(problem) else _first_tree(problem, run)
        solution, stats = Solution(Status.UNKNOWN), {"first": first} if first else {}
        given_up: dict[str, str] = {}
        for engine in engines(problem):
            stats = {**stats, "engine": engine.name, "why": engine.why}
            try:
                solution = make_solver(engine.name, {}).solve(problem, run)
            except (UnsupportedProblemError, DataError) as error:  # beyond its numbers or tables
                given_up[engine.name] = str(error)
                continue
            except Stopped:
                break
            if solution.status in (Status.OPTIMAL, Status.INFEASIBLE) or run.should_stop():
                break
            given_up[engine.name] = "it ended without a proof"
        return replace(solution, stats=_described(solution, stats, given_up))


def _first_tree(problem: Problem, run: Run) -> str:
    """Report the tree of the first heuristic that supports the problem, and return its name."""
    for name in FIRST:
        if problem.needs <= solver_class(name).supports:
            try:
                run.report(tree=make_solver(name, {}).solve(problem, run).tree)
            except DataError:  # more rows or classes than its kernels take
                continue
            return name
    return ""


def _described(
    solution: Solution, stats: dict[str, str], given_up: dict[str, str]
) -> dict[str, Any]:
    return {**stats, **({"given_up": given_up} if given_up else {}), **solution.stats}
