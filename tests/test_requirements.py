"""What must be installed follows from the solver and its backend, and is named rightly."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec

import pytest

import odt
from odt.core.registry import make_solver

PROBLEM = odt.Problem(odt.Dataset([[0.0], [1.0]], [0, 1]), "error", odt.Shape(max_depth=1))


def hide(monkeypatch: pytest.MonkeyPatch, *hidden: str) -> None:
    """Let some modules look as if they were not installed."""
    find = importlib.util.find_spec

    def spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in hidden else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", spec)


@pytest.mark.parametrize(
    ("name", "module", "command"),
    [
        ("maxsat", "pysat.formula", r'pip install "odt\[maxsat\]"'),
        ("benders-oct", "pyscipopt", r'pip install "odt\[scip\]"'),
        ("benders-oct[gurobi]", "gurobipy", r'pip install "odt\[gurobi\]"'),
        ("flow-oct[scip]", "pyscipopt", r'pip install "odt\[scip\]"'),
        ("flow-oct[cplex]", "cplex", r'pip install "odt\[cplex\]"'),
        ("flow-oct[cbc]", "pulp", r'pip install "pulp"'),
        ("flow-oct", "highspy", r'pip install "highspy"'),
        ("cp-sat", "ortools", r'pip install "ortools"'),
    ],
)
def test_the_message_says_what_to_install(
    name: str, module: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of odt's extras where there is one: 'pysat' on its own is another project's package."""
    hide(monkeypatch, module)
    with pytest.raises(odt.MissingDependencyError, match=command):
        odt.solve(PROBLEM, name)


def test_solver_objects_are_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said before the problem is looked at, not by a traceback from inside."""
    solver = make_solver("flow-oct", {})
    hide(monkeypatch, "highspy")
    with pytest.raises(odt.MissingDependencyError, match="highspy"):
        odt.solve(PROBLEM, solver)


@pytest.mark.parametrize(("backend", "other"), [("gurobi", "pyscipopt"), ("scip", "gurobipy")])
def test_requirements_follow_the_backend(backend: str, other: str) -> None:
    """benders-oct[gurobi] has no use for SCIP, nor the other way round."""
    kind = odt.core.registry.solver_class("benders-oct")
    assert other not in kind(backend=backend).requirements  # type: ignore[call-arg]


def test_another_package_called_pysat(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module 'pysat' without 'pysat.formula' is not PySAT."""

    def spec(name: str, package: str | None = None) -> None:
        if name == "pysat.formula":
            raise ModuleNotFoundError("'pysat' is not a package")

    monkeypatch.setattr(importlib.util, "find_spec", spec)
    with pytest.raises(odt.MissingDependencyError, match="maxsat"):
        make_solver("maxsat", {})
