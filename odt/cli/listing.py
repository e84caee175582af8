"""The commands that say what there is: solvers, datasets, kernels."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from odt.cli import catalogue
from odt.cli.app import app
from odt.cli.kernels import compile_kernels
from odt.cli.options import Json
from odt.core.registry import solver_class, solver_names
from odt.datasets import list_datasets


@app.command("solvers")
def solvers_command(
    name: Annotated[str | None, typer.Argument(help="Show one solver with its options.")] = None,
    as_json: Json = False,
) -> int:
    """List the solvers and what they support, or the options of one."""
    if name is not None:
        kind = solver_class(name)
        if as_json:
            print(json.dumps(catalogue.solver_record(name, kind), default=str))
        else:
            catalogue.print_solver(name, kind)
        return 0
    kinds = {name: solver_class(name) for name in solver_names()}
    if as_json:
        print(json.dumps([catalogue.solver_record(*item) for item in kinds.items()], default=str))
    else:
        catalogue.print_solvers(kinds)
    return 0


@app.command("datasets")
def datasets_command(as_json: Json = False) -> int:
    """List the datasets that need no network."""
    names = list_datasets()
    print(json.dumps(names) if as_json else "\n".join(names))
    return 0


@app.command("kernels")
def kernels_command() -> int:
    """Compile the kernels of all engines now, not at the first use of each."""
    for name, compiling, loading in compile_kernels():
        print(f"{name}: {compiling:.1f} s compiling, {loading:.1f} s loading and running")
    return 0
