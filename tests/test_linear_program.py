"""The linear program and the solvers it is given to."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.base import Outcome
from formulations.highs import Highs
from formulations.linear import LinearProgram, cautious
from formulations.linear_formulation import BACKENDS
from formulations.program import Terms, Values
from odt import (
    Budget,
    Dataset,
    MissingDependencyError,
    Problem,
    ProblemError,
    Run,
    Shape,
    Status,
    solve,
)
from odt.run import round_up


class Listener:
    """Keeps what a solver reports."""

    def __init__(self) -> None:
        self.failure = None
        self.bounds: list[float] = []
        self.costs: list[Values] = []

    def incumbent(self, values: Values) -> None:
        self.costs.append(values)

    def bound(self, bound: float) -> None:
        self.bounds.append(bound)


def knapsack(capacity: int = 5) -> LinearProgram:
    """Minimise 10 - 3a - 4b - 6c with 2a + 3b + 4c <= capacity: at 5 the best is a, b: 3."""
    program = LinearProgram()
    x = program.variables("x", 3)
    program.row(Terms.of(x, [2, 3, 4]), upper=capacity)
    program.minimise(Terms.of(x, [-3, -4, -6], constant=10))
    return program


def run_highs(program: LinearProgram, hint: Values | None = None) -> Outcome:
    """Solve a program without a limit."""
    problem = Problem(Dataset([[0.0], [1.0]], [0, 1]))
    return Highs().solve(program, hint, Run(problem), Listener())  # type: ignore[arg-type]


def test_highs_solves_and_proves() -> None:
    """Values, bound and status of a solved program agree with the arithmetic."""
    outcome = run_highs(knapsack())
    assert outcome.status is Status.OPTIMAL
    assert outcome.bound == 3
    assert np.round(outcome.values).tolist() == [1, 1, 0]


def test_highs_says_infeasible() -> None:
    """A program without a solution is infeasible, not unknown, and has no bound."""
    outcome = run_highs(knapsack(capacity=-1))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.values is None


def test_highs_takes_a_hint() -> None:
    """A complete start solution is accepted and improved."""
    outcome = run_highs(knapsack(), hint=np.array([0.0, 0.0, 0.0]))
    assert outcome.bound == 3


def test_broken_names_every_violation() -> None:
    """Rows, bounds and integrality are all checked; encode tests rely on it."""
    program = knapsack()
    assert program.broken(np.array([1.0, 1.0, 0.0])) == []
    assert len(program.broken(np.array([0.5, 2.0, 0.0]))) == 3  # fraction, bound, row


def test_clauses_become_rows() -> None:
    """A clause over a positive and a negative literal excludes one of four assignments."""
    program = LinearProgram()
    a, b = program.variables("v", 2).tolist()
    program.clauses([[a, ~b]])
    allowed = [(p, q) for p in (0, 1) for q in (0, 1) if not program.broken(np.array([p, q]))]
    assert allowed == [(0, 0), (1, 0), (1, 1)]


def test_cautious_bounds_lose_no_integer() -> None:
    """A bound with the rounding errors of a solver rounds up to the integer it means."""
    for cost in (0, 1, 22, 10**6, 4 * 10**8):
        assert round_up(cautious(cost + 1e-7 * min(cost, 100))) == cost
        assert round_up(cautious(cost - 1e-7 * min(cost, 100))) == cost


def test_unknown_backend() -> None:
    """A wrong backend is refused with the list of right ones."""
    problem = Problem(Dataset([[0.0], [1.0]], [0, 1]))
    with pytest.raises(ProblemError, match="highs"):
        solve(problem, "and-or[simplex]")


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend whose package is not installed says what to install."""
    monkeypatch.setattr(Highs, "requires", ("no_such_package",))
    problem = Problem(Dataset([[0.0], [1.0]], [0, 1]))
    with pytest.raises(MissingDependencyError, match="pip install no_such_package"):
        solve(problem, "and-or")


def test_backends_are_importable() -> None:
    """Every name in the table leads to an emitter class."""
    import importlib

    for location, _ in BACKENDS.values():
        module, _, name = location.partition(":")
        assert hasattr(getattr(importlib.import_module(module), name), "solve")


def test_time_limit_gives_tree_and_bound() -> None:
    """With no time to prove anything the result still has a tree and a valid bound."""
    rng = np.random.default_rng(0)
    problem = Problem(
        Dataset(rng.random((60, 4)), rng.integers(0, 2, 60)), "error", Shape(max_depth=4)
    )
    for name in ("and-or", "flow-oct"):
        result = solve(problem, name, budget=Budget(time_limit=0.3))
        assert result.tree is not None
        assert result.cost_bound is not None
        assert result.cost_bound <= result.cost
