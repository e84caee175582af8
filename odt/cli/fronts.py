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
from odt.cli.options import Json, output, with_options
from odt.cli.task import Task
from odt.draw.files import check_suffix, draw_front
from odt.pareto import COMPLEXITIES, pareto


@app.command("pareto")
@with_options
def pareto_command(
    task: Task,
    against: Annotated[
        str, typer.Option(help=f"Measure: {', '.join(COMPLEXITIES)}.")
    ] = COMPLEXITIES[0],
    generator: Annotated[
        str, typer.Option(help="Tests that a state offers: auto, all (exact), cart_leaves(16), ...")
    ] = "auto",
    full: Annotated[
        bool, typer.Option("--full", help="Also the trees that no price makes best.")
    ] = False,
    output: output("Picture: .svg, .png, .pdf.") = None,  # type: ignore[valid-type]
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV for machines.")] = False,
) -> int:
    """Find the trees for DATA that no other beats in both error and complexity.

    Needs --max-depth; --objective is not used. --json prints the trees too. Ctrl-C keeps what is
    known so far.
    """
    if output is not None:
        check_suffix(output.suffix)
    problem = task.problem()
    with finishing() as hold:
        with noise_to_stderr(), show.exploring(task.quiet) as on_report:
            front = pareto(
                problem, against, generator=generator, full=full, budget=task.budget(),
                on_report=on_report,
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
