"""What searches report while they run: bound <= optimum <= cost, at every report and every end."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import odt
from odt.core.registry import make_solver
from odt.core.run import round_up
from odt.errors import Stopped
from odt.testing import enumerated_optimum, varied_problem

EVERY_REPORT = ("dp", "and-or", "bnb", "auto")


class Impatient(odt.Run):
    """A run that is interrupted when it has been asked so often whether to stop."""

    patience = 10**9

    def should_stop(self) -> bool:
        self.patience -= 1
        if self.patience < 0:
            self.interrupt()
        return self.stopped_by is not None


def value(problem: odt.Problem, cost: int) -> tuple[Fraction, ...]:
    """Return a cost as the exact value of each level."""
    levels = zip(problem.costs.level_costs(cost), problem.costs.levels, strict=True)
    return tuple(digit * level.step for digit, level in levels)


def check(name: str, seed: int, patience: int) -> int:
    """Solve a varied problem and look at every report; return how often the bound rose."""
    solver = make_solver(name, {})
    problem = varied_problem(seed, solver.supports)
    optimum = enumerated_optimum(problem)
    context = f"{name}, seed {seed}, stopped after {patience}: {problem.objective}, {problem.shape}"
    run = Impatient(problem)
    run.patience = patience
    try:
        bound = solver.solve(problem, run).bound
    except Stopped:
        bound = run.bound
    except odt.UnsupportedProblemError:
        return 0
    for point in run.trace:
        if point.bound is not None and optimum is not None:
            assert value(problem, point.bound) <= optimum, context
        if point.cost is not None:
            assert optimum is not None, context
            assert value(problem, point.cost) >= optimum, context
    if bound is not None and optimum is not None:
        assert value(problem, round_up(bound)) <= optimum, context
    bounds = [point.bound for point in run.trace if point.bound is not None]
    assert bounds == sorted(bounds), context
    return max(len(set(bounds)) - 1, 0)


@pytest.mark.parametrize("name", EVERY_REPORT)
def test_every_report_is_true(name: str) -> None:
    """On problems that vary in every field, at the end and when interrupted anywhere before."""
    rng = np.random.default_rng(11)
    rises = sum(check(name, seed, int(rng.integers(0, 40))) for seed in range(70))
    rises += sum(check(name, seed, 10**9) for seed in range(70, 110))
    assert rises > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY_REPORT)
def test_every_report_is_true_on_many_problems(name: str) -> None:
    """The same on 1,500 further problems."""
    rng = np.random.default_rng(12)
    for seed in range(230, 1730):
        check(name, seed, int(rng.integers(0, 300)))
