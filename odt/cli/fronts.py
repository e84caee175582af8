"""The command about trade-offs: pareto."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from odt.cli import show
from odt.cli.app import app
from odt.cli.files import write_file
from odt.cli.interrupts import finishing
from odt.cli.noise import noise_to_stderr
from odt.cli.options import (
    Json,
    SolverName,
    SolverOptions,
    output,
    solver_options,
    with_options,
)
from odt.cli.task import Task
from odt.draw.files import check_suffix, draw_front
from odt.model.measure import MEASURES
from odt.pareto import pareto


@app.command("pareto")
@with_options
def pareto_command(
    task: Task,
    measures: Annotated[
        str | None,
        typer.Option(
            help=f"Two or three of {', '.join(MEASURES)}; by default the error and expected_tests."
        ),
    ] = None,
    solver: SolverName = "dpdt",
    option: SolverOptions = None,
    full: Annotated[
        bool | None,
        typer.Option(
            "--full/--hull",
            help="Also the trees that no price makes best, or only those that some price does; "
            "by default all that the solver finds quickly.",
        ),
    ] = None,
    output: output("Picture: .svg, .png, .pdf.") = None,  # type: ignore[valid-type]
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV for machines.")] = False,
) -> int:
    """Find the trees for DATA that no other beats in all of two or three measures.

    --objective is not used. The solver dpdt makes one pass over the tests that it offers
    (--option generator=all for all of them) and needs --max-depth; an exact solver proves each
    point. --json prints the trees too. Ctrl-C keeps what is known so far.
    """
    if output is not None:
        check_suffix(output.suffix)
    problem = task.problem()
    with finishing() as hold:
        with noise_to_stderr(), show.exploring(task.quiet) as on_report:
            front = pareto(
                problem, measures, solver=solver, full=full, budget=task.budget(),
                seed=task.seed, on_report=on_report, **solver_options(option),
            )  # fmt: skip
        hold()
        if as_json:
            print(json.dumps(show.front_record(front), default=str))
        elif as_csv:
            print(front.to_frame().to_csv(index=False), end="")
        else:
            show.print_front(task.data, front)
        if output is not None:
            write_file(output, draw_front(front, output.suffix))
    return 0 if front.points else 1
