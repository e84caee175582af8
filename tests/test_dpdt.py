"""The DPDT solver: exactness with all tests, Proposition 2, alphas, weights, stopping."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

import odt
from heuristics.generators import CartDepth, CartLeaves, TopCuts
from odt.core.solver import Status
from odt.mdp import State, TreeMDP
from odt.model.capability import Capability
from odt.testing import random_problem, with_every_objective
from odt.testing.random_problems import random_dataset


def test_all_tests_equal_exact_dynamic_programming() -> None:
    """Proposition 1: with every test as an action the compiled search proves the optimum."""
    proved = 0
    for seed in range(70):
        for problem in with_every_objective(random_problem(seed)):
            if Capability.UNLIMITED_DEPTH in problem.needs:
                continue
            result = odt.solve(problem, "dpdt", generator="all")
            optimum = odt.solve(problem, "dp")
            context = f"seed {seed}, {problem.objective}, {problem.shape}"
            assert result.cost == optimum.cost, context
            assert result.status is optimum.status, context
            proved += result.status is Status.OPTIMAL
    assert proved > 800


def test_never_worse_than_cart_and_its_prunings() -> None:
    """Proposition 2, with costs compared as integers: for every price of a test, size and feature.

    The cart solver returns the best pruning of the tree that the generator can build.
    """
    rng = np.random.default_rng(7)
    for seed in range(150):
        data = random_dataset(np.random.default_rng(seed), max_rows=40)
        alpha, depth = float(rng.choice([1e-6, 0.01, 0.05, 0.2])), int(rng.integers(1, 5))
        measure = str(rng.choice(["expected_tests", "size", "explanation_size"]))
        criterion = str(rng.choice(["gini", "entropy"]))
        problem = odt.Problem(data, f"error + {alpha}*{measure}", odt.Shape(max_depth=depth))
        greedy = odt.solve(problem, "cart", criterion=criterion)
        for generator in (
            CartDepth(1, criterion, last_level="same"),
            CartDepth(3, criterion),
            CartLeaves(4, criterion, ties=False),
            TopCuts(2, criterion=criterion, last_level="same"),
        ):
            result = odt.solve(problem, "dpdt", generator=generator)
            assert result.cost is not None
            assert greedy.cost is not None
            assert result.cost <= greedy.cost, f"seed {seed}, {generator}"


def _values(mdp: TreeMDP, state: State, alphas: np.ndarray, memo: dict) -> np.ndarray:
    """Value iteration of the paper: one value for each alpha, in units of weight."""
    if state not in memo:
        weights = mdp.class_weights(state.examples)
        best = np.full(len(alphas), float(sum(weights) - max(weights)))
        for split in mdp.splits(state):
            left, right = mdp.successors(state, split)
            below = _values(mdp, left, alphas, memo) + _values(mdp, right, alphas, memo)
            best = np.minimum(best, alphas * sum(weights) + below)
        memo[state] = best
    return memo[state]


def test_hull_equals_a_vector_of_1000_alphas() -> None:
    """The paper's vector of values is a sample of our hull, on wine with CART's tests."""
    X, y = load_wine(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=3))
    generator = CartLeaves(4, last_level="same")
    alphas = np.linspace(0, 0.6, 1000)
    mdp = TreeMDP(problem, generator)
    expected = _values(mdp, mdp.initial, alphas, {}) / len(y)
    front = odt.pareto(problem, generator=generator)
    pairs = [tuple(p.values.values()) for p in front.points]
    values = [min(error + a * tests for error, tests in pairs) for a in alphas]
    assert np.allclose(values, expected, atol=1e-12)


def test_weights_act_as_copies() -> None:
    """Integer weights give the front of the data with rows repeated, to the last unit."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 6, size=(40, 3)).astype(float), rng.integers(0, 3, size=40)
    weight = rng.integers(1, 5, size=40)
    shape = odt.Shape(max_depth=3)
    weighted = odt.pareto(odt.Problem(odt.Dataset(X, y, weight), shape=shape), full=True)
    copied = odt.Dataset(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    repeated = odt.pareto(odt.Problem(copied, shape=shape), full=True)
    assert [p.tree for p in weighted.points] == [p.tree for p in repeated.points]


def test_ties_prefer_the_smaller_tree() -> None:
    """With the error alone as objective no useless test is kept: a pure half is not split."""
    data = odt.Dataset([[0, 1], [0, 0], [1, 0], [1, 1]], [0, 0, 1, 1])
    tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=3)), "dpdt").tree
    assert tree is not None
    assert tree.n_nodes == 3


@pytest.mark.parametrize("limit", [{"time_limit": 0.05}, {"memory_limit": 1.0}])
def test_a_stopped_search_is_still_greedy(limit: dict[str, float]) -> None:
    """Open states are closed by CART: the tree of a run without resources is no stump."""
    X, y = load_breast_cancer(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=6))
    result = odt.solve(problem, "dpdt", generator="all", budget=odt.Budget(**limit))
    assert result.stopped_by == next(iter(limit)).split("_")[0]
    assert result.tree is not None
    assert result.objective < 0.06


def test_stats_count_the_search() -> None:
    """States, memo hits, tests and vertices are reported, so that claims can be re-measured."""
    X, y = load_wine(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=3))
    stats = odt.solve(problem, "dpdt", generator="cart_leaves(4)").stats
    assert {"states", "stored_states", "vertices", "memo_hits", "last_level_scans", "tests"} <= set(
        stats
    )
    assert stats["states"] > 4


def test_unlimited_depth_is_refused_by_name() -> None:
    """The horizon of the process must be given."""
    problem = odt.Problem(odt.Dataset([[0.0], [1.0]], [0, 1]))
    with pytest.raises(odt.UnsupportedProblemError, match="no max_depth"):
        odt.solve(problem, "dpdt")


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("name", "package_16", "package_32"),
    [
        ("bank", 97.995, 97.995),
        ("raisin", 88.611, 88.750),
        ("wilt", 99.493, 99.539),
        ("segment", 87.879, 87.879),
        ("room", 99.235, 99.235),
    ],
)
def test_at_least_as_accurate_as_the_public_package(
    name: str, package_16: float, package_32: float
) -> None:
    """Depth 3, leaf budgets 16 and 32, gini: the accuracies of the authors' code are reached."""
    data = odt.datasets.load_dataset(f"split/{name}_train")
    problem = odt.Problem(data, shape=odt.Shape(max_depth=3))
    for leaves, accuracy in ((16, package_16), (32, package_32)):
        result = odt.solve(problem, "dpdt", generator=CartLeaves(leaves))
        assert isinstance(result.objective, float)
        assert 100 * (1 - result.objective) > accuracy - 0.001


def test_prices_beyond_machine_integers_go_to_the_general_engine_at_depth_0_too():
    """Where no test may be asked their price does not count, but it must not overflow either."""
    data = odt.Dataset([[0.0], [1.0]], [0, 1], [0.5123456789012345, 0.25])
    problem = odt.Problem(
        data, "0.123456*error + 0.0173*explanation_size, error, error", odt.Shape(max_depth=0)
    )
    assert odt.solve(problem, "dpdt", generator="all").cost == odt.solve(problem, "dp").cost
