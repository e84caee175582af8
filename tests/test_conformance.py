"""Every registered solver passes the conformance suite that is shipped for third parties."""

from __future__ import annotations

import pytest

import odt
from odt.core.registry import make_solver, solver_class, solver_names
from odt.testing import SolverConformance

CHECKS = [name for name in vars(SolverConformance) if name.startswith("test_")]


@pytest.mark.parametrize("check", CHECKS)
def test_solver_conforms(solver: odt.Solver, check: str, n_problems: int) -> None:
    """A solver that a user can name behaves as the core and the docs promise."""
    namespace = {"solver": solver, "n_problems": n_problems}
    suite = type("Conformance", (SolverConformance,), namespace)
    getattr(suite(), check)()


def test_every_solver_can_run_here() -> None:
    """No solver is left untested for want of a package, but those of the large extra ``rl``."""
    for name in solver_names():
        if "torch" not in solver_class(name).requires:
            make_solver(name, {})
