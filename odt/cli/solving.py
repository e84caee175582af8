"""Running one solver from the command line, with progress, noise and Ctrl-C taken care of."""

from __future__ import annotations

from collections.abc import Callable

from odt.cli import show
from odt.cli.noise import noise_to_stderr
from odt.cli.options import solver_options
from odt.cli.task import Task
from odt.core.result import Result
from odt.core.run import TracePoint
from odt.solve import solve


def solved(task: Task, solver: str, option: list[str] | None, hold: Callable[[], None]) -> Result:
    """Solve a task.

    Parameters
    ----------
    task : Task
    solver : str
    option : list of str or None
        NAME=VALUE, options of the solver.
    hold : callable
        Of `odt.cli.interrupts.finishing`; called once there is something to print.
    """
    problem, options = task.problem(), solver_options(option)
    with noise_to_stderr(), show.progress(problem, solver, task.quiet) as show_report:

        def on_report(point: TracePoint) -> None:
            if point.cost is not None:
                hold()
            show_report(point)

        result = solve(
            problem,
            solver,
            budget=task.budget(),
            seed=task.seed,
            on_report=on_report,
            **options,
        )
        hold()
        return result
