"""The DPDT solver: exactness with all tests, its generators, weights, limits and stopping."""

from __future__ import annotations

import odt
from odt.features import Feature
from odt.solver import Status
from odt.testing import random_problem, with_every_objective


def test_all_tests_equal_exact_dynamic_programming() -> None:
    """Proposition 1: with every test as an action the compiled search proves the optimum."""
    proved = 0
    for seed in range(120):
        for problem in with_every_objective(random_problem(seed)):
            if Feature.UNLIMITED_DEPTH in problem.needs:
                continue
            result = odt.solve(problem, "dpdt", generator="all")
            optimum = odt.solve(problem, "dp")
            context = f"seed {seed}, {problem.objective}, {problem.shape}"
            assert result.cost == optimum.cost, context
            assert result.status is optimum.status, context
            proved += result.status is Status.OPTIMAL
    assert proved > 1500
