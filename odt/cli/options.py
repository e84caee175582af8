"""What options look like: texts of names and values, and groups of options that commands share."""

from __future__ import annotations

import ast
import functools
import inspect
import warnings
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from odt.cli.files import writable
from odt.core.registry import solver_names
from odt.datasets import list_datasets
from odt.errors import DataWarning, ProblemError

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No progress, notes and warnings: answers and errors only."),
]
SolverName = Annotated[
    str,
    typer.Option(
        "--solver", "-s", help="See 'odt solvers'.", autocompletion=lambda: list(solver_names())
    ),
]
SolverOptions = Annotated[
    list[str] | None, typer.Option("--option", help="Option of the solver: NAME=VALUE; repeatable.")
]


def data_names(incomplete: str) -> list[str]:
    """Return names of datasets, and files, that begin so."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    shown = incomplete[: incomplete.rfind("/") + 1]
    files = [f"{shown}{path.name}{'/' * path.is_dir()}" for path in folder.glob("*")]
    return [name for name in (*list_datasets(), *sorted(files)) if name.startswith(incomplete)]


def output(what: str) -> Any:
    """Return the type of an option ``-o`` that names the file to write."""
    return Annotated[Path | None, typer.Option("--output", "-o", help=what, callback=writable)]


def grouped(name: str) -> Callable[..., Any]:
    """Return what makes options of one panel of the help."""

    def option(text: str, *names: str, **more: Any) -> Any:
        return typer.Option(*names, help=text, rich_help_panel=name, **more)

    return option


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the fields of those of its parameters that are dataclasses as options.

    Arguments come first, then the command's own options, then the shared ones. ``quiet`` among
    them silences the warnings about data.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    shared, own = [], []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            shared += _parameters(groups[parameter.name])
        else:
            own.append(parameter.replace(annotation=hints[parameter.name]))
    needed = [p for p in own if p.default is inspect.Parameter.empty]
    data = [p for p in shared if p.default is inspect.Parameter.empty]
    others = [p for p in (*own, *shared) if p.default is not inspect.Parameter.empty]
    signature = inspect.Signature(
        [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*needed, *data, *others)]
    )

    @functools.wraps(command)
    def run(**given: Any) -> int:
        with warnings.catch_warnings():
            if given.get("quiet"):
                warnings.simplefilter("ignore", DataWarning)
            for name, group in groups.items():
                given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
            return command(**given)

    del run.__wrapped__
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return run


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if f.default is MISSING else f.default,
            annotation=hints[f.name],
        )
        for f in fields(group)
    ]


def comma_list(text: str) -> list[str]:
    """Split ``"a, b"`` into its parts."""
    return [part.strip() for part in text.split(",") if part.strip()]


def assignments(text: str) -> dict[str, str]:
    """Split ``"a=1, b=2"`` into names and texts.

    Raises
    ------
    ProblemError
        If a part is not of the form NAME=VALUE.
    """
    pairs = [part.partition("=") for part in comma_list(text)]
    for name, sign, value in pairs:
        if not (name and sign and value):
            raise ProblemError(f"Expected NAME=VALUE. Got {name + sign + value!r} instead.")
    return {name.strip(): value.strip() for name, _, value in pairs}


def solver_options(given: list[str] | None) -> dict[str, Any]:
    """Read ``["cuts=3", "log=True"]`` as Python reads the values; what it cannot read is text."""
    return {name: _value(v) for text in given or [] for name, v in assignments(text).items()}


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
