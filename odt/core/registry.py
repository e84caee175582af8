"""Solvers by name, loaded on demand from three tables and from entry points."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from odt.core.solver import Solver
from odt.errors import MissingDependencyError, OdtError, ProblemError, UnknownSolverError
from odt.model.capability import Need

HOMES = ("odt.engine", "formulations", "heuristics")
ENTRY_POINT_GROUP = "odt.solvers"
PACKAGES = {
    "pysat.formula": "odt[maxsat]",
    "pyscipopt": "odt[scip]",
    "gurobipy": "odt[gurobi]",
    "gymnasium": "odt[rl]",
    "stable_baselines3": "odt[rl]",
    "torch": "odt[rl]",
    "cplex": "odt[cplex]",
    "xpress": "odt[xpress]",
}
"""What to install for a module that is not called like its package."""
_NAME = re.compile(r"^(?P<name>[a-z0-9-]+)(?:\[(?P<variant>[A-Za-z0-9_.-]+)\])?$")


def solver_names() -> tuple[str, ...]:
    """Return the names of all registered solvers, sorted."""
    return tuple(sorted(_locations()))


def solver_class(name: str) -> type[Solver]:
    """Return the class registered as ``name``, or of a place such as ``"my.module:MySolver"``.

    Raises
    ------
    UnknownSolverError
        If there is none; the message suggests the closest names.
    """
    if ":" in name:
        return _solver_at(name)
    location = _locations().get(name)
    if location is None:
        close = difflib.get_close_matches(name, solver_names(), n=2)
        hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
        raise UnknownSolverError(
            f"No solver is called {name!r}.{hint} Known: {', '.join(solver_names())}."
        )
    return _solver_at(location)


def _solver_at(place: str) -> type[Solver]:
    module, _, attribute = place.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        if isinstance(error, MissingDependencyError):
            raise
        raise UnknownSolverError(f"There is no solver at {place!r}: {error}.") from error
    if not (isinstance(found, type) and issubclass(found, Solver)):
        raise UnknownSolverError(f"{place!r} is no subclass of odt.Solver. Got {found!r}.")
    return found


def make_solver(solver: str | Solver | type[Solver], options: Mapping[str, Any]) -> Solver:
    """Return a solver from a name, a class or an instance.

    Parameters
    ----------
    solver : str, Solver or subclass of Solver
        A name may carry a variant in brackets, as in ``"flow-oct[cbc]"``: the value of the
        option that the solver class calls ``backend``.
    options : mapping
        Options of the solver; not with an instance, which has its own.

    Raises
    ------
    UnknownSolverError, MissingDependencyError
    ProblemError
        For an option the solver does not have.
    """
    if isinstance(solver, Solver):
        if options:
            raise ProblemError("Options go with a solver's name; this solver object has its own.")
        _check_installed(solver)
        return solver
    if isinstance(solver, str):
        match = _NAME.match(solver)
        kind = solver_class(match["name"] if match else solver)
        variant = match["variant"] if match else None
        options = {**options, **({"backend": variant} if variant else {})}
    else:
        kind = solver
    known = [f.name for f in fields(kind) if f.init]  # type: ignore[arg-type]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ProblemError(
            f"The solver {kind.name!r} has no option {', '.join(map(repr, unknown))}. "
            f"Its options: {', '.join(known) or 'none'}."
        )
    chosen = kind(**options)
    _check_installed(chosen)
    return chosen


def solvers_supporting(needs: frozenset[Need]) -> tuple[str, ...]:
    """Return the names of the solvers that support all of ``needs``."""
    return tuple(name for name in solver_names() if needs <= solver_class(name).supports)


def missing_modules(modules: tuple[str, ...]) -> list[str]:
    """Return those of some modules that cannot be imported; none is imported to find out.

    Of a dotted name the package is: it tells apart packages of one name.
    """
    return [name for name in modules if not _is_found(name)]


def _is_found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # of the package of a dotted name
        return False


def _check_installed(solver: Solver) -> None:
    missing = missing_modules(solver.requirements)
    if missing:
        named = dict.fromkeys(PACKAGES.get(name, name) for name in missing)  # an extra once
        packages = " ".join(f'"{name}"' for name in named)
        raise MissingDependencyError(
            f"The solver {solver.name!r} needs {', '.join(missing)}, which is not installed, for "
            f"these options: pip install {packages}."
        )


@cache
def _locations() -> dict[str, str]:
    tables: dict[str, str] = {}
    for home in HOMES:
        module = importlib.import_module(home)
        _check_not_shadowed(home, module)
        tables.update(module.SOLVERS)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        tables.setdefault(entry.name, entry.value)
    return tables


def _check_not_shadowed(home: str, module: Any) -> None:
    """Say so when a user's own script called ``heuristics.py`` hides our package."""
    ours = Path(__file__).resolve().parents[2].joinpath(*home.split("."))
    found = Path(module.__file__ or ".").resolve().parent
    if not hasattr(module, "SOLVERS") or found != ours:
        raise OdtError(
            f"The module {home!r} at {module.__file__} hides odt's own package {home!r} at {ours}. "
            "Rename your file or folder, or run from another folder."
        )
