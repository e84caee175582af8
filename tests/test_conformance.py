"""Every registered solver passes the conformance suite that is shipped for third parties."""

from __future__ import annotations

import pytest

import odt
from odt.core.registry import make_solver, solver_names
from odt.testing import SolverConformance

CHECKS = [name for name in vars(SolverConformance) if name.startswith("test_")]


@pytest.mark.parametrize("check", CHECKS)
def test_solver_conforms(solver: odt.Solver, check: str, n_problems: int) -> None:
    """A solver that a user can name behaves as the core and the docs promise."""
    namespace = {"solver": solver, "n_problems": n_problems}
    suite = type("Conformance", (SolverConformance,), namespace)
    getattr(suite(), check)()


def test_every_solver_can_run_here() -> None:
    """No registered solver is left untested because something is not installed."""
    for name in solver_names():
        make_solver(name, {})
