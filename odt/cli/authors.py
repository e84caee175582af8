"""The command for those who write solvers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odt.cli.app import app


@app.command("new-formulation")
def new_formulation_command(
    name: Annotated[str, typer.Argument(help="Lower case with hyphens: my-oct.")],
    folder: Annotated[
        Path, typer.Option(help="Top of a checkout of odt, or where to put a plug-in.")
    ] = Path(),
) -> int:
    """Write a formulation that works, to be changed, with its test and its line in the table."""
    from formulations.scaffold import new_formulation

    paths, place = new_formulation(name, folder)
    for path in paths:
        print(path)
    if len(paths) == 2:  # no table here
        print(f'In pyproject.toml: [project.entry-points."odt.solvers"] {name} = "{place}"')
    print(f"Test it: pytest --pyargs odt.testing --solver {place}")
    return 0
