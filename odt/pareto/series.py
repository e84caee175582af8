"""A series of solves within one budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

from odt.core.result import Result
from odt.core.run import Run
from odt.core.solver import Solver, Status
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.pareto.front import FrontProgress
from odt.solve import solve

PROVED = (Status.OPTIMAL, Status.INFEASIBLE)
_LEAST_SECONDS = 1e-3


class Series:
    """Solves problems one after the other until the budget of a run is used up.

    Parameters
    ----------
    solver : Solver
    run : Run
        Of the whole series.
    check : bool or None
        As for `odt.solve`.
    on_report : callable, optional
        Called with a `FrontProgress` after each solve.

    Attributes
    ----------
    n_solves : int
    stopped_by : str or None
        Why some solve ended without a proof; None if none did.
    """

    def __init__(
        self,
        solver: Solver,
        run: Run,
        check: bool | None = None,
        on_report: Callable[[FrontProgress], None] | None = None,
    ) -> None:
        self.solver = solver
        self.n_solves = 0
        self.stopped_by: str | None = None
        self._run = run
        self._check = check
        self._on_report = on_report

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be solved."""
        if self._run.should_stop():
            self.stopped_by = self._run.stopped_by
        return self._run.stopped_by is not None

    def solve(self, problem: Problem, initial: Tree | None, n_points: int) -> Result:
        """Solve a problem in the time that is left.

        Parameters
        ----------
        problem : Problem
        initial : Tree or None
        n_points : int
            Points known so far, to be reported.
        """
        left = self._run.remaining()
        limit = None if left == inf else max(left, _LEAST_SECONDS)
        result = solve(
            problem,
            self.solver,
            budget=replace(self._run.budget, time_limit=limit),
            initial=initial,
            seed=self._run.seed,
            check=self._check,
        )
        self.n_solves += 1
        if result.status not in PROVED:
            self.stopped_by = result.stopped_by
            if result.stopped_by in ("time", "interrupt"):  # of the whole series
                self._run.stopped_by = result.stopped_by
        if self._on_report is not None:
            self._on_report(FrontProgress(self._run.elapsed, self.n_solves, n_points))
        return result
