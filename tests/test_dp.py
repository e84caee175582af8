"""The dynamic program beyond brute force: golden optima on real data, limits, huge costs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import odt
from odt.engine.dp.depth_one import DepthOne
from odt.testing import random_problem

IRIS = odt.Dataset(*load_iris(return_X_y=True))
WINE = odt.Dataset(*load_wine(return_X_y=True))


@pytest.mark.parametrize(
    ("objective", "depth", "errors", "tests", "inner"),
    [
        ("error, expected_tests, size", 1, 50, 150, 1),
        ("error, expected_tests, size", 2, 6, 250, 2),
        ("error, expected_tests, size", 3, 1, 400, 6),
        ("error + 0.01*expected_tests", 2, 6, 250, 2),
        ("error + 0.04*expected_tests", 3, 3, 302, 3),
    ],
)
def test_iris_optima(objective: str, depth: int, errors: int, tests: int, inner: int) -> None:
    """Vertices of the exact trade-off of errors and tests on iris, known from the literature.

    At depth 3 one test costs 0.04 * 150 = 6 errors/150 rows; between the breakpoints 1/49 and
    3/52 the vertex (3, 302) is best: 3 + 0.04 * 302 = 15.08 < 6 + 0.04 * 250 = 16.
    """
    problem = odt.Problem(IRIS, objective, odt.Shape(max_depth=depth))
    result = odt.solve(problem, "dp")
    assert result.status is odt.Status.OPTIMAL
    assert result.tree is not None
    totals = result.tree.amounts(IRIS)
    assert (totals.errors, totals.tests, result.tree.n_branches) == (errors, tests, inner)


@pytest.mark.parametrize(("objective", "value"), [("size", 2 * 7 + 1), ("depth", 4)])
def test_consistent_trees_of_iris(objective: str, value: int) -> None:
    """Without errors iris needs 7 branches (15 nodes) and depth 4."""
    problem = odt.Problem(IRIS, objective, odt.Shape(max_depth=4, max_error=0.0))
    assert odt.solve(problem, "dp").objective == value


def test_wine_at_depth_three_has_no_error() -> None:
    """1263 thresholds and three levels are within reach of the compiled last test."""
    assert odt.solve(odt.Problem(WINE, "error", odt.Shape(max_depth=3)), "dp").objective == 0.0


def test_time_limit_returns_tree_and_valid_bound() -> None:
    """On a problem too large to finish, dp stops in time with an incumbent and a bound."""
    data = odt.Dataset(*load_breast_cancer(return_X_y=True))
    problem = odt.Problem(data, "error", odt.Shape(max_depth=4))
    result = odt.solve(problem, "dp", budget=odt.Budget(time_limit=1.5))
    assert result.stopped_by == "time"
    assert result.runtime["total"] < 30  # the search alone would take hours
    assert result.cost is not None
    assert result.cost_bound is not None
    assert result.cost_bound <= result.cost


def test_costs_beyond_64_bits_stay_exact() -> None:
    """Six levels on heavy weights need more than 64 bits; the compiled kernel steps aside."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, size=(8, 3)).astype(float), rng.integers(0, 3, size=8)
    data = odt.Dataset(X, y, rng.random(8))
    objective = "error, explanation_size, expected_tests, size, depth, worst_explanation_size"
    problem = odt.Problem(data, objective, odt.Shape(max_depth=2))
    assert problem.costs.upper > 2**64
    assert DepthOne.build(problem) is None
    assert odt.solve(problem, "dp").cost == odt.solve(problem, "brute-force").cost


def test_tests_on_several_categories_are_searched_too() -> None:
    """A given test that joins categories is outside the kernel but not outside dp."""
    data = odt.Dataset([[0], [1], [2], [3]], [0, 1, 0, 1], categorical=[0])
    joined = odt.TestSet((odt.Test(0, categories=(0, 2)), odt.Test(0, categories=(1,))))
    problem = odt.Problem(data, "error, size", odt.Shape(max_depth=2), joined)
    assert DepthOne.build(problem) is None
    assert odt.solve(problem, "dp").objective == (0.0, 3.0)


def test_kernel_and_plain_search_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled last test changes the speed, never the cost."""
    problems = [random_problem(seed, objective="error + 0.03*size") for seed in range(60)]
    fast = [odt.solve(problem, "dp").cost for problem in problems]
    monkeypatch.setattr(DepthOne, "build", lambda problem: None)
    assert [odt.solve(problem, "dp").cost for problem in problems] == fast


def test_only_given_tests_are_used() -> None:
    """With a restricted test set the optimum is the one over these tests."""
    tests = odt.TestSet.quantiles(IRIS, 2)
    result = odt.solve(odt.Problem(IRIS, "error", odt.Shape(max_depth=2), tests), "dp")
    assert result.tree is not None
    assert set(result.tree.tests) - {None} <= set(tests)
    assert result.status is odt.Status.OPTIMAL


@pytest.mark.parametrize("objective", ["error", "size"])
def test_deep_searches_end_in_time_with_a_tree(objective: str) -> None:
    """Without a depth limit the search of 600 alternating labels is 600 tests deep.

    It must neither exhaust Python's stack nor look at the clock too seldom.
    """
    data = odt.Dataset(np.arange(600.0)[:, None], np.arange(600) % 2)
    problem = odt.Problem(data, f"{objective}, depth" if objective == "size" else objective)
    result = odt.solve(problem, "dp", budget=odt.Budget(time_limit=1.0))
    assert result.tree is not None
    assert result.runtime["total"] < 4


def test_an_initial_tree_prunes_the_search() -> None:
    """Only what beats the given tree is searched; here nothing does."""
    problem = odt.Problem(IRIS, "error", odt.Shape(max_depth=3))
    cold = odt.solve(problem, "dp")
    warm = odt.solve(problem, "dp", initial=cold.tree)
    assert warm.status is odt.Status.OPTIMAL
    assert warm.tree == cold.tree
    assert {point.cost for point in warm.trace} == {cold.cost}


def test_the_bound_rises_while_the_search_runs() -> None:
    """It comes from tests that are alike, from rising limits, and from the relaxed problem."""
    data = odt.Dataset(*load_breast_cancer(return_X_y=True))
    tests = odt.TestSet.quantiles(data, 30)
    for shape in (odt.Shape(2), odt.Shape(2, min_samples_leaf=5), odt.Shape(2, max_nodes=5)):
        problem = odt.Problem(data, "error", shape, tests)
        result = odt.solve(problem, "dp")
        assert result.status is odt.Status.OPTIMAL
        bounds = {point.bound for point in result.trace}
        assert len(bounds) > 3, (shape, bounds)
