"""Programs as files for other solvers, with a map from their variables to what they mean.

``.lp`` and ``.mps`` hold linear programs, ``.wcnf`` and ``.pbtxt`` (of CP-SAT) clause programs.
Beside the file goes ``FILE.json``: the names and shapes of the variables in order, the candidate
tests by number, and the documentation of the model, which says what each index means. A solution
that another solver found for the file is read back by `tree_of_solution`.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from formulations.base import Formulation
from formulations.model import Goal, Model, limits_of
from formulations.program.base import Program
from formulations.program.clauses import ClauseIR
from formulations.program.linear import LinearProgram, plain_names
from odt.core.solver import Solver
from odt.errors import OdtError, ProblemError, UnsupportedProblemError
from odt.model.problem import Problem
from odt.model.tree import Tree

WRITERS: dict[str, tuple[type[Program], str]] = {
    ".lp": (LinearProgram, "formulations.backends.highs:write"),
    ".mps": (LinearProgram, "formulations.backends.highs:write"),
    ".wcnf": (ClauseIR, "formulations.backends.wcnf:write"),
    ".pbtxt": (ClauseIR, "formulations.backends.cp_sat:write"),
}
"""The kind of program that each file format holds, and the function that writes it."""
LARGEST_OBJECTIVE: dict[type[Program], int] = {LinearProgram: 2**53, ClauseIR: 2**62}
"""What the coefficients of an objective may add up to: files hold doubles, or 64 bits."""


def export_model(solver: Solver, problem: Problem, path: str | Path) -> Path:
    """Write the program that a formulation makes of a problem; return the path of its map.

    Where the levels of a lexicographic objective do not fit one number, it is the program of the
    first level.

    Parameters
    ----------
    solver : Solver
        A formulation.
    problem : Problem
    path : str or Path
        Its ending chooses the format.

    Raises
    ------
    ProblemError
        If the solver is no formulation, or the ending fits no format of it.
    UnsupportedProblemError
        If the formulation has no single program for the problem, or a file would not hold its
        objective exactly.
    """
    if not isinstance(solver, Formulation):
        raise ProblemError(
            f"The solver {solver.name!r} is not a formulation: it has no program to write."
        )
    path = Path(path)
    model = first_model(solver, problem)
    known = [suffix for suffix, (kind, _) in WRITERS.items() if isinstance(model.program, kind)]
    if path.suffix not in known:
        raise ProblemError(
            f"{solver.name!r} is written to files that end in {' or '.join(known)}. Got "
            f"{path.name!r} instead."
        )
    kind, writer = WRITERS[path.suffix]
    total = sum(map(abs, model.program.objective.coefficients.tolist()))
    if total > LARGEST_OBJECTIVE[kind]:
        raise UnsupportedProblemError(
            f"The coefficients of the objective add up to {total:.0e}, more than a file holds "
            "exactly. Use weights and coefficients with a small common denominator."
        )
    module, _, name = writer.partition(":")
    getattr(importlib.import_module(module), name)(model.program, path)
    record = Path(f"{path}.json")
    record.write_text(json.dumps(_map(solver, problem, model), indent=1))
    return record


def first_model(solver: Formulation[Any], problem: Problem) -> Model[Any]:
    """Return the model of a problem's whole objective, or of its first level."""
    missing = problem.needs - solver.supports
    if missing:
        names = ", ".join(sorted(feature.value for feature in missing))
        raise ProblemError(f"The formulation {solver.name!r} does not support {names}.")
    prices = solver.first_prices(problem)
    return solver.build(problem, Goal(prices, limits_of(problem)), lambda: False)


def tree_of_solution(
    solver: Formulation[Any], problem: Problem, values: Mapping[str, float]
) -> Tree:
    """Return the tree that another solver's solution of an exported linear program stands for.

    Parameters
    ----------
    solver : Formulation
        As exported; the same options.
    problem : Problem
    values : mapping of str to float
        By the names in the file; those missing are 0.

    Raises
    ------
    OdtError
        If the values break the program.
    """
    model = first_model(solver, problem)
    x = np.array([float(values.get(name, 0.0)) for name in plain_names(model.program)])
    broken = model.program.broken(x)
    if broken:
        raise OdtError(f"The values are no solution of the program: {'; '.join(broken[:3])}.")
    return model.decode(x)


def _map(solver: Formulation[Any], problem: Problem, model: Model[Any]) -> dict[str, Any]:
    program, compiled = model.program, problem.compiled
    return {
        "formulation": solver.name,
        "objective": str(problem.objective),
        "constant": program.objective.constant,
        "value_of_one_unit": [float(level.step) for level in problem.costs.levels],
        "variables": [
            {"name": b.name, "first": b.first, "shape": list(b.shape), "upper": int(b.upper)}
            for b in program.blocks
        ],
        "tests": [test.describe(problem.dataset.schema) for test in compiled.tests],
        "groups": compiled.weights.tolist(),
        "classes": [str(c) for c in problem.dataset.classes],
        "model": sys.modules[type(solver).__module__].__doc__,
    }
