"""A solver that only solves the linear relaxation of a formulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from scipy.optimize import Bounds, LinearConstraint, milp

import odt
from formulations.model import Goal, limits_of
from odt.core.registry import make_solver
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.model.capability import Need
from odt.model.measure import Measure


@dataclass(frozen=True)
class Relaxation(Solver):
    """The value of a linear relaxation, as ``root`` in the statistics; no tree.

    Parameters
    ----------
    model : str
        Name of a formulation that is a linear program, such as ``"flow-oct"``.
    """

    name: ClassVar[str] = "relaxation"
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = frozenset({Measure.ERROR})
    model: str = "flow-oct"

    def solve(self, problem: odt.Problem, run: Run) -> Solution:
        """Solve the relaxation with HiGHS."""
        kind: Any = make_solver(self.model, {})
        goal = Goal(kind.first_prices(problem), limits_of(problem))
        program = kind.build(problem, goal, run.should_stop).program
        constraints = LinearConstraint(program.matrix, *program.limits)
        bounds = Bounds(0, program.upper)
        seconds = min(run.remaining(), 1e6)
        found = milp(
            program.prices, constraints=constraints, bounds=bounds, options={"time_limit": seconds}
        )
        if found.status != 0:
            return Solution(Status.UNKNOWN)
        root = abs(round(float(found.fun) + program.objective.constant, 2))
        size = {"variables": program.n_variables, "rows": program.n_rows}
        return Solution(Status.UNKNOWN, stats={"root": root, **size})
