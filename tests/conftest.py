"""Options of the test suite: which solvers to test, and on how many problems."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

import odt
from odt.core.registry import make_solver, solver_names

CONFORMANCE = "test_solver_conforms"
LEARNERS = ("custard-dqn", "custard-ppo", "dqndt")
SHORT = {name: {"steps": 40} for name in LEARNERS}
"""Options of solvers whose ordinary runs take minutes."""
DATA = "ODT_DATA"

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--solver NAME`` (repeatable) and ``--problems N``."""
    parser.addoption("--solver", action="append", help="test only this solver (repeatable)")
    parser.addoption("--problems", type=int, default=40, help="random problems for each solver")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with a ``solver_name`` argument once for each chosen solver."""
    if "solver_name" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--solver") or solver_names()
        metafunc.parametrize("solver_name", chosen)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked ``needs_data`` where no folder of benchmark files is named."""
    if DATA not in os.environ:
        for item in items:
            if item.get_closest_marker("needs_data"):
                item.add_marker(pytest.mark.skip(reason=f"{DATA} is not set"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Name the seed of a random problem that failed: the ``seed`` of the test's innermost loop.

    Frames outside this folder do not count: functions of the library have seeds of their own.
    """
    report = yield
    if call.excinfo is not None and report.failed:
        here = Path(__file__).parent
        entries = [entry for entry in call.excinfo.traceback if Path(entry.path).parent == here]
        frames = [entry.frame.f_locals for entry in entries]
        seeds = [names["seed"] for names in frames if "seed" in names]
        if seeds:
            report.sections.append(("random problem", f"{item.nodeid}: seed {seeds[-1]}"))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print for which solvers the conformance suite ran, and what was skipped without data."""
    reports = [r for key in ("passed", "failed") for r in terminalreporter.stats.get(key, [])]
    ran = {name for r in reports if CONFORMANCE in r.nodeid for name in r.nodeid.split("[")[1:]}
    names = solver_names()
    tested = [name for name in names if any(found.startswith(f"{name}-test_") for found in ran)]
    if tested:
        missing = [name for name in names if name not in tested]
        terminalreporter.write_line(
            f"conformance ran for {len(tested)} solvers: {', '.join(tested)}; "
            f"did not run: {', '.join(missing) or 'none'}"
        )
    skipped = [r for r in terminalreporter.stats.get("skipped", []) if DATA in str(r.longrepr)]
    if skipped:
        files = sorted({r.nodeid.partition("::")[0] for r in skipped})
        terminalreporter.write_line(
            f"{len(skipped)} tests were skipped because {DATA} is not set: {', '.join(files)}"
        )


@pytest.fixture
def solver(solver_name: str) -> odt.Solver:
    """Return the solver of that name; skip the test where its packages are not installed."""
    try:
        return make_solver(solver_name, SHORT.get(solver_name, {}))
    except odt.MissingDependencyError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def n_problems(request: pytest.FixtureRequest) -> int:
    """Return how many random problems each solver is tested on."""
    return int(request.config.getoption("--problems"))
