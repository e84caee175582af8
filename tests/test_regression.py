"""Regression through the same process: enumeration, scikit-learn's CART, weights, errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

import odt
from heuristics.regression import regression_front, verify_point


def _all_points(X: np.ndarray, y: np.ndarray, w: np.ndarray, depth: int) -> list[tuple]:
    """Every reachable (squared error, total tests) by plain enumeration."""
    mean = np.average(y, weights=w)
    points = [(float(w @ (y - mean) ** 2), 0.0)]
    if depth == 0:
        return points
    for f in range(X.shape[1]):
        for t in np.unique(X[:, f])[:-1]:
            left = X[:, f] <= t
            yes = _all_points(X[left], y[left], w[left], depth - 1)
            no = _all_points(X[~left], y[~left], w[~left], depth - 1)
            points += [(a[0] + b[0], a[1] + b[1] + w.sum()) for a in yes for b in no]
    return points


def _non_dominated(points: list[tuple]) -> list[tuple]:
    kept: list[tuple] = []
    for error, tests in sorted((round(e, 9), t) for e, t in points):
        if not kept or tests < kept[-1][1]:
            kept.append((error, tests))
    return kept


def test_front_equals_enumeration() -> None:
    """All non-dominated trees of random data with ties, duplicate rows and weights are found."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        n = int(rng.integers(2, 8))
        X, y = rng.integers(0, 4, size=(n, 2)).astype(float), rng.integers(0, 6, size=n) / 2
        w = rng.integers(1, 4, size=n)
        front = regression_front(X, y, max_depth=2, generator="all", sample_weight=w, full=True)
        found = [(p.error * w.sum(), p.complexity * w.sum()) for p in front.points]
        expected = _non_dominated(_all_points(X, y, w.astype(float), 2))
        assert len(found) == len(expected)
        assert np.allclose(found, expected, atol=1e-7)


def test_never_worse_than_scikit_learn() -> None:
    """With CART's own tests as actions the best tree is at least as good as CART (diabetes)."""
    X, y = load_diabetes(return_X_y=True)
    front = regression_front(X, y, max_depth=3, generator="cart_depth(2)")
    best = front.points[0]
    greedy = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    assert best.error <= np.mean((greedy.predict(X) - y) ** 2) + 1e-9
    assert np.mean((best.predict(X) - y) ** 2) == pytest.approx(best.error)
    assert front.points[-1].error == pytest.approx(y.var())
    assert front.best(1e9).tree.n_nodes == 1
    assert front.best(0.0) is best


def test_bad_input_is_refused() -> None:
    """Targets that are not numbers and generators without rules are named."""
    with pytest.raises(odt.DataError, match="finite"):
        regression_front([[0.0], [1.0]], [0.0, np.nan], max_depth=1)
    with pytest.raises(odt.UnsupportedProblemError, match="top"):
        regression_front([[0.0], [1.0], [2.0]], [0, 1, 0], max_depth=2, generator="top(3)")
    with pytest.raises(odt.ProblemError, match="complexity"):
        regression_front([[0.0], [1.0]], [0.0, 1.0], max_depth=1, complexity="depth")


def test_status_and_bound_are_those_of_enumeration() -> None:
    """With all tests the regressor proves its objective for any price; with a generator nothing."""
    rng = np.random.default_rng(8)
    for _ in range(30):
        n = int(rng.integers(2, 8))
        X, y = rng.integers(0, 4, size=(n, 2)).astype(float), rng.integers(0, 6, size=n) / 2
        w, alpha = rng.integers(1, 4, size=n), float(rng.choice([0.0, 0.05, 0.5]))
        model = odt.OptimalTreeRegressor(alpha=alpha, max_depth=2, generator="all").fit(X, y, w)
        values = [(e + alpha * t) / w.sum() for e, t in _all_points(X, y, w.astype(float), 2)]
        assert model.status_ == "optimal"
        assert model.objective_ == pytest.approx(min(values), abs=1e-9)
        assert model.bound_ <= min(values) + 1e-12
    model = odt.OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert (model.status_, model.bound_) == ("feasible", None)


def test_false_claims_are_refused() -> None:
    """Another prediction, another error, a leaf too small: each is named."""
    data = odt.Dataset([[0.0], [1.0], [2.0]], [0, 0, 0])
    targets = np.array([1.0, 3.0, 5.0])
    point = regression_front(data, targets, max_depth=1, generator="all").points[0]
    problem = odt.Problem(data, shape=odt.Shape(max_depth=1))
    verify_point(point, problem, targets)
    for lie, said in ((replace(point, values=point.values + 0.1), "mean of its rows"),
                      (replace(point, error=point.error / 2), "the error is")):  # fmt: skip
        with pytest.raises(odt.InconsistentSolutionError, match=said):
            verify_point(lie, problem, targets)
    strict = odt.Problem(data, shape=odt.Shape(max_depth=1, min_samples_leaf=2))
    with pytest.raises(odt.InconsistentSolutionError, match="a leaf of 1 examples"):
        verify_point(point, strict, targets)
