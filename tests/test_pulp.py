"""CBC, CPLEX and Xpress through PuLP 3 or 4: `.ci/run` runs this file with both."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from formulations.backends.outcome import Outcome
from formulations.backends.pulp import Reading, _read_3, _read_4, _tell, believed
from odt import (
    Budget,
    Dataset,
    MissingDependencyError,
    Problem,
    Run,
    Shape,
    Status,
    UnsupportedProblemError,
    solve,
)
from odt.core.registry import make_solver
from odt.testing import OBJECTIVES, random_problem

DATA = Dataset([[0], [0], [1], [2]], ["a", "b", "a", "b"])
SHAPES = {
    "feasible": Shape(max_depth=2),
    "infeasible by errors": Shape(max_depth=2, max_error=0.1),
    "a row without variables": Shape(max_depth=2, min_samples_leaf=5),
}


@pytest.fixture(params=["cbc", "cplex", "xpress"])
def backend(request: pytest.FixtureRequest) -> str:
    """Return each backend of PuLP; skip the test where it is not installed."""
    name = str(request.param)
    try:
        solve(Problem(DATA, "error", Shape(max_depth=1)), f"oct[{name}]")
    except MissingDependencyError as missing:
        pytest.skip(str(missing))
    return name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("limit", [None, 60.0])
def test_proofs(backend: str, shape: Shape, limit: float | None) -> None:
    """Both an optimum and an infeasibility are proofs, with a time limit and without."""
    problem = Problem(DATA, "error + 0.01*size", shape)
    for name in ("oct", "flow-oct"):
        result = solve(problem, f"{name}[{backend}]", budget=Budget(time_limit=limit))
        expected = solve(problem, "dp")
        assert (result.status, result.cost) == (expected.status, expected.cost)
        assert result.stopped_by == "proof"


@pytest.mark.filterwarnings("ignore")
def test_agreement_on_random_problems(backend: str) -> None:
    """Limits, levels and costs of every kind lead to the same optimum as enumeration."""
    solver = make_solver(f"flow-oct[{backend}]", {})
    for seed in range(600, 612):
        problem = random_problem(seed, objective=OBJECTIVES[seed % len(OBJECTIVES)])
        try:
            result = solve(problem, solver)
        except UnsupportedProblemError:
            continue
        assert result.cost == solve(problem, "dp").cost, seed
        assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)


def test_an_interrupted_search_proves_no_infeasibility() -> None:
    """CBC calls a program infeasible when it is told to end before it has a solution."""
    run = Run(Problem(DATA, "error", Shape(max_depth=1)))
    claim = Outcome(Status.INFEASIBLE)
    assert believed(claim, run).status is Status.INFEASIBLE
    run.interrupt()
    assert believed(claim, run).status is Status.UNKNOWN


def test_cbc_that_pulp_does_not_bring_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """PuLP 4 has no CBC of its own: without one on the system it is said how to get it."""
    import pulp

    monkeypatch.delattr(pulp, "PULP_CBC_CMD", raising=False)
    monkeypatch.setattr(pulp.COIN_CMD, "available", lambda self: False)
    monkeypatch.setattr("formulations.linear.base.APART", frozenset())
    with pytest.raises(MissingDependencyError, match=r'pip install "odt\[cbc\]"'):
        solve(Problem(DATA, "error", Shape(max_depth=1)), "oct[cbc]")


@pytest.mark.parametrize(
    ("sol_status", "has_solution", "proved"), [(1, True, True), (2, True, False), (0, False, False)]
)
def test_pulp_3_says_optimal_when_time_is_up(
    sol_status: int, has_solution: bool, proved: bool
) -> None:
    """PuLP 3 has status 1 for any solution; only ``sol_status`` tells a proof from a limit."""
    problem = SimpleNamespace(status=1, sol_status=sol_status, solverModel=None)
    reading = _read_3(problem, 1, "Lower bound: 4.5\nEnumerated nodes: 7\n")
    assert (reading.has_solution, reading.proved) == (has_solution, proved)
    assert (reading.bound, reading.nodes) == (4.5, 7)


def test_pulp_4_statistics() -> None:
    """PuLP 4 returns an object; a solution at the gap limit has a bound and is no infeasibility."""
    answer = SimpleNamespace(
        status=-7, status_str="GapLimit", has_solution=True, best_bound=3.0, nodes=2
    )
    reading = _read_4(SimpleNamespace(solverModel=None), answer, "")
    assert reading == Reading(False, True, False, 3.0, 2)


def test_crashed_process_is_a_clear_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """If CBC dies the run ends with the tree known so far, and says why."""
    import pulp

    import formulations.backends.pulp as emitter

    dead = pulp.COIN_CMD(path="/bin/false", msg=False)
    monkeypatch.setattr(emitter, "_library", lambda *_: dead)
    monkeypatch.setattr("formulations.linear.base.APART", frozenset())
    problem = Problem(Dataset([[0.0], [1.0], [2.0]], [0, 1, 0]), "error", Shape(max_depth=2))
    result = solve(problem, "flow-oct[cbc]")
    assert "failed" in result.stats["backend_status"]
    assert result.tree is not None


def test_processes_are_told_by_the_folder_they_work_on(tmp_path: Path) -> None:
    """CBC, a process that PuLP starts out of reach, is asked to end; other processes are not."""
    wait = "import time; time.sleep(60)"
    ours, other = (
        subprocess.Popen([sys.executable, "-c", wait, str(folder)])
        for folder in (tmp_path / "ours", tmp_path / "other")
    )
    _tell(str(tmp_path / "ours"), signal.SIGTERM)
    assert ours.wait(timeout=30) == -signal.SIGTERM
    assert other.poll() is None
    other.kill()
    other.wait()
