"""Programs as files for other solvers, with a map from their variables to what they mean.

``.lp`` and ``.mps`` hold linear programs, ``.wcnf`` and ``.pbtxt`` (of CP-SAT) clause programs.
Beside the file goes ``FILE.json``: the names and shapes of the variables in order, the candidate
tests by number, and the documentation of the model, which says what each index means. A solution
that another solver found for the file is read back by `tree_of_solution`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from formulations.backends.highs import plain_model
from formulations.base import Formulation, Goal, Model, limits
from formulations.program.base import Program
from formulations.program.clauses import ClauseIR
from formulations.program.linear import LinearProgram, plain_names
from odt.errors import OdtError, ProblemError
from odt.model.problem import Problem
from odt.model.tree import Tree

SUFFIXES: dict[type[Program], tuple[str, ...]] = {
    LinearProgram: (".lp", ".mps"),
    ClauseIR: (".wcnf", ".pbtxt"),
}
"""File formats of each kind of program."""


def export_model(solver: Formulation[Any], problem: Problem, path: str | Path) -> Path:
    """Write the program that a formulation makes of a problem; return the path of its map.

    Where the levels of a lexicographic objective do not fit one number, it is the program of the
    first level.

    Parameters
    ----------
    solver : Formulation
    problem : Problem
    path : str or Path
        Its ending chooses the format.

    Raises
    ------
    ProblemError
        If the ending fits no format of the formulation.
    UnsupportedProblemError
        If the formulation has no single program for the problem.
    """
    path = Path(path)
    model = first_model(solver, problem)
    known = next(s for kind, s in SUFFIXES.items() if isinstance(model.program, kind))
    if path.suffix not in known:
        raise ProblemError(
            f"{solver.name!r} is written to files that end in {' or '.join(known)}. Got "
            f"{path.name!r} instead."
        )
    if isinstance(model.program, LinearProgram):
        _write_linear(model.program, path)
    elif path.suffix == ".wcnf":
        _write_wcnf(model.program, path)
    else:
        _write_cp(model.program, path)
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
    return solver.build(problem, Goal(prices, limits(problem)), lambda: False)


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


def _write_linear(program: LinearProgram, path: Path) -> None:
    model = plain_model(program)
    for v, name in enumerate(plain_names(program)):
        model.passColName(v, name)
    if model.writeModel(str(path)).name == "kError":
        raise OdtError(f"HiGHS could not write {path}.")


def _write_wcnf(program: ClauseIR, path: Path) -> None:
    from formulations.backends.wcnf import to_wcnf

    path.write_text(to_wcnf(program).to_text(program))


def _write_cp(program: ClauseIR, path: Path) -> None:
    from formulations.backends.cp_sat import to_cp_model

    to_cp_model(program, names=True).export_to_file(str(path))


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
