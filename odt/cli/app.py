"""The command itself; the modules of commands add to it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import odt

app = typer.Typer(
    name="odt",
    help="Optimal decision trees: state a problem once, solve it in many ways, check every proof.",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"odt {odt.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def option_names() -> frozenset[str]:
    """Return the long names of all options, without their dashes."""
    group: Any = typer.main.get_command(app)
    return frozenset(
        option.removeprefix("--")
        for command in (group, *group.commands.values())
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--")
    )
