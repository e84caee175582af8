"""Options of ``pytest --pyargs odt.testing``: which solver to test, and on how many problems."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--solver NAME`` (repeatable) and ``--problems N``."""
    parser.addoption(
        "--solver", action="append", help="registered name or my.module:MySolver (repeatable)"
    )
    parser.addoption("--problems", type=int, default=60, help="random problems for each solver")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with a ``solver_name`` argument once for each chosen solver."""
    if "solver_name" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--solver")
        if not chosen:
            raise pytest.UsageError("Name what to test: --solver my.module:MySolver")
        metafunc.parametrize("solver_name", chosen)


@pytest.fixture
def n_problems(request: pytest.FixtureRequest) -> int:
    """Return how many random problems each solver is tested on."""
    return int(request.config.getoption("--problems"))
