"""The commands for experiments: doing them and reporting on them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from odt.cli.files import writable
from odt.experiments import experiment
from odt.experiments.apart import Guards


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
