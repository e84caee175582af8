"""What the registered solvers are, support and take as options, in the terminal or as JSON."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from odt.core.registry import missing_modules
from odt.core.solver import Solver
from odt.model.capability import GROUPS, Capability, Need, support_mark
from odt.model.measure import Measure


def print_solvers(kinds: Mapping[str, type[Solver]]) -> None:
    """Print which solver supports what, one line a solver, with a key to the columns."""
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    for title in ("solver", *GROUPS):
        table.add_column(title, no_wrap=True)
    for name, kind in sorted(kinds.items(), key=lambda item: not item[1].exact):
        is_installed = not missing_modules(kind().requirements)
        signs = ("" if kind.exact else " ~") + ("" if is_installed else " !")
        marks = (support_mark(kind.supports, group) for group in GROUPS.values())
        table.add_row(name + signs, *marks)
    console = Console(highlight=False)
    console.print(table)
    console.print("x all, o some of it, . none; ~ heuristic, ! not installed")
    key = (f"{c}: {', '.join(f.value for f in group)}" for c, group in GROUPS.items())
    console.print("; ".join(key), style="dim")
    console.print("'odt solvers NAME' says more about one, with its options.")


def print_solver(name: str, kind: type[Solver]) -> None:
    """Print everything about one solver."""
    console = Console(highlight=False)
    console.print(
        f"[bold]{name}[/] ({'exact' if kind.exact else 'heuristic'}): {escape(_summary(kind))}"
    )
    for title, text in (
        ("paper", kind.reference),
        ("not installed", ", ".join(missing_modules(kind().requirements))),
        ("objectives", _names(Measure, kind.supports)),
        ("also", _names(Capability, kind.supports)),
        (
            "not supported",
            ", ".join(n.value for n in (*Measure, *Capability) if n not in kind.supports),
        ),
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
        "requires": list(kind().requirements),
        "installed": not missing_modules(kind().requirements),
        "supports": [n.value for n in (*Measure, *Capability) if n in kind.supports],
        "options": _options(kind),
    }


def _names(needs: type[Measure | Capability], supports: frozenset[Need]) -> str:
    return ", ".join(need.value for need in needs if need in supports)


def _summary(kind: type[Solver]) -> str:
    paragraph = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


def _options(kind: type[Solver]) -> list[dict[str, Any]]:
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):  # options may be inherited
        docs |= documented_parameters(inspect.cleandoc(base.__doc__ or ""))
    return [
        {"name": f.name, "type": str(f.type), "default": _default(f), "doc": docs.get(f.name, "")}
        for f in fields(kind)  # type: ignore[arg-type]  # solvers are dataclasses
        if f.init
    ]


def _default(option: Field[Any]) -> Any:
    return option.default_factory() if option.default_factory is not MISSING else option.default


def documented_parameters(doc: str) -> dict[str, str]:
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
