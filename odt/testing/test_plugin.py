"""The conformance suite for a solver of one's own: ``pytest --pyargs odt.testing --solver ...``."""

from __future__ import annotations

import pytest

from odt.core.registry import make_solver
from odt.testing.conformance import SolverConformance

CHECKS = [name for name in vars(SolverConformance) if name.startswith("test_")]


@pytest.mark.parametrize("check", CHECKS)
def test_solver_conforms(solver_name: str, check: str, n_problems: int) -> None:
    """A solver that is installed behaves as the core and the docs promise."""
    namespace = {"solver": make_solver(solver_name, {}), "n_problems": n_problems}
    suite = type("Conformance", (SolverConformance,), namespace)
    getattr(suite(), check)()
