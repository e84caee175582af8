"""The commands for experiments: doing them and reporting on them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from odt.cli.app import app
from odt.cli.files import writable, write_file
from odt.errors import ProblemError
from odt.experiments import experiment, report
from odt.experiments.apart import Guards


@app.command("experiment")
def experiment_command(
    grid: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The grid of runs.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV file, taken up again.", callback=writable)
    ],
    jobs: Annotated[int, typer.Option(help="Runs at a time.")] = 1,
    engine: Annotated[str, typer.Option(help="local, joblib, dask or ray.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Of a Dask scheduler or a Ray cluster.")
    ] = None,
    grace: Annotated[
        float, typer.Option(help="Seconds beyond the time limit before a run is killed.")
    ] = Guards.grace,
    hard_memory: Annotated[float | None, typer.Option(help="MiB at which a run is killed.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Do unanswered runs again.")] = False,
) -> int:
    """Do every run of a grid, each in a process of its own, and write a row for each.

    The same command again does only what the file does not hold; Ctrl-C loses the runs at work.
    """
    try:
        table = experiment(
            grid,
            output,
            n_jobs=jobs,
            engine=engine,
            address=address,
            guards=Guards(grace, hard_memory),
            retry=retry,
        )
    except KeyboardInterrupt:
        typer.echo(f"Stopped. The same command goes on from {output}.", err=True)
        return 130
    counts = Counter(table["status"].tolist())
    statuses = ", ".join(f"{number} {status}" for status, number in counts.most_common())
    print(f"{output}: {len(table)} runs: {statuses}")
    return 0


@app.command("report")
def report_command(
    results: Annotated[Path, typer.Argument(help="File that 'odt experiment' wrote.")],
    html: Annotated[
        Path | None, typer.Option(help="Write a page with all tables here.", callback=writable)
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX, not Markdown.")] = False,
    clock: Annotated[str, typer.Option(help="Which seconds count: time or cpu.")] = "time",
    shift: Annotated[float, typer.Option(help="Seconds of the shifted geometric mean.")] = 10.0,
    within: Annotated[str, typer.Option(help="Seconds to count proofs within.")] = "1,10,60",
) -> int:
    """Print what each solver proved, how fast and how well; refuse proofs that disagree."""
    made = report(results, clock=clock)
    try:
        times = [float(text) for text in within.split(",")]
    except ValueError:
        raise ProblemError(f"'within' must be numbers such as 1,10. Got {within!r}.") from None
    table = made.summary(shift=shift, within=times)
    print(made.to_latex(table) if latex else made.to_markdown(table), end="")
    if html is not None:
        write_file(html, made.to_html())
    return 0
