"""What the registered solvers are, support and take as options, in the terminal or as JSON."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from odt.features import MEASURES, Feature
from odt.solver import Solver


def print_solvers(kinds: Mapping[str, type[Solver]]) -> None:
    """Print one line a solver: exact or not, its measures, and what it does not support."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("solver", no_wrap=True)
    table.add_column("exact")
    table.add_column("does not support", overflow="fold")
    table.add_column("what it is", overflow="fold")
    for name, kind in kinds.items():
        lacking = [f.value for f in Feature if f not in kind.supports]
        missing = _missing_modules(kind)
        about = f"needs {', '.join(missing)}. " if missing else ""
        table.add_row(
            name,
            "yes" if kind.exact else "no",
            escape(", ".join(lacking)),
            escape(about + _summary(kind)),
        )
    console = Console(highlight=False)
    console.print(table)
    console.print("'odt solvers NAME' shows the options of one.", style="dim")


def print_solver(name: str, kind: type[Solver]) -> None:
    """Print everything about one solver."""
    console = Console(highlight=False)
    console.print(f"[bold]{name}[/] ({'exact' if kind.exact else 'heuristic'}): {_summary(kind)}")
    for title, text in (
        ("paper", kind.reference),
        ("not installed", ", ".join(_missing_modules(kind))),
        ("objectives", ", ".join(f.value for f in Feature if f in kind.supports & MEASURES)),
        ("also", ", ".join(f.value for f in Feature if f in kind.supports - MEASURES)),
        ("not supported", ", ".join(f.value for f in Feature if f not in kind.supports)),
    ):
        if text:
            console.print(f"{title}: {escape(text)}", soft_wrap=True)
    options = _options(kind)
    console.print(f"options: {'' if options else 'none'}")
    for option in options:
        console.print(f"  [bold]{option['name']}[/] = {escape(repr(option['default']))}")
        if option["doc"]:
            console.print(f"    {escape(option['doc'])}", soft_wrap=True)


def solver_record(name: str, kind: type[Solver]) -> dict[str, Any]:
    """Return everything about one solver as JSON-ready values."""
    return {
        "name": name,
        "exact": kind.exact,
        "summary": _summary(kind),
        "reference": kind.reference,
        "requires": list(kind.requires),
        "installed": not _missing_modules(kind),
        "supports": [f.value for f in Feature if f in kind.supports],
        "options": _options(kind),
    }


def _missing_modules(kind: type[Solver]) -> list[str]:
    return [name for name in kind.requires if importlib.util.find_spec(name) is None]


def _summary(kind: type[Solver]) -> str:
    paragraph = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


def _options(kind: type[Solver]) -> list[dict[str, Any]]:
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):  # options may be inherited
        docs |= _documented_parameters(inspect.cleandoc(base.__doc__ or ""))
    return [
        {"name": f.name, "type": str(f.type), "default": _default(f), "doc": docs.get(f.name, "")}
        for f in fields(kind)  # type: ignore[arg-type]  # solvers are dataclasses
        if f.init
    ]


def _default(option: Field[Any]) -> Any:
    return option.default_factory() if option.default_factory is not MISSING else option.default


def _documented_parameters(doc: str) -> dict[str, str]:
    """Read the parameter descriptions of a numpydoc docstring."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in doc.splitlines():
        if line.startswith((" ", "\t")):
            for name in names:
                found[name].append(line.strip())
        elif " : " in line:
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            found.update({name: [] for name in names})
        elif line.strip():
            names = []
    return {name: " ".join(lines) for name, lines in found.items()}
