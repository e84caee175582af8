"""The cart solver: equal to scikit-learn where that is defined, exact ties, prunings, limits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

import odt
from odt.engine.front.cart import Grown, grow_cart
from odt.engine.front.columns import Columns
from odt.testing import random_problem


def _leaf_counts(grown: Grown) -> list[tuple[int, ...]]:
    return sorted(tuple(c) for c in grown.counts[grown.left < 0].tolist())


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_grows_as_scikit_learn_without_ties(criterion: str) -> None:
    """On integer data, with weights, our leaves are scikit-learn's unless gains tie exactly."""
    equal = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 1000, size=(60, 4)).astype(float), rng.integers(0, 3, size=60)
        weight = rng.integers(1, 50, size=60)
        columns = Columns.of(odt.Problem(odt.Dataset(X, y, weight)))
        ours = grow_cart(columns, max_depth=3, criterion=criterion)
        theirs = DecisionTreeClassifier(criterion=criterion, max_depth=3, random_state=0)
        theirs.fit(X, y, sample_weight=weight)
        reached = theirs.apply(X)
        counts = [
            tuple(int(weight[(reached == leaf) & (y == k)].sum()) for k in range(3))
            for leaf in np.unique(reached)
        ]
        equal += sorted(counts) == _leaf_counts(ours)
    assert equal >= 58


def test_leaf_budget_grows_the_best_nodes_first() -> None:
    """Best-first growth to 5 leaves gives scikit-learn's tree on breast cancer."""
    X, y = load_breast_cancer(return_X_y=True)
    ours = grow_cart(Columns.of(odt.Problem(odt.Dataset(X, y))), max_leaves=5)
    theirs = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y)
    reached = theirs.apply(X)
    counts = [
        tuple(int(((reached == leaf) & (y == k)).sum()) for k in range(2))
        for leaf in np.unique(reached)
    ]
    assert sorted(counts) == _leaf_counts(ours)


def test_ties_go_to_the_lowest_feature_then_threshold() -> None:
    """Two equal columns: the first is used; two equally good cuts: the lower one is used."""
    data = odt.Dataset([[0, 0], [1, 1], [2, 2]], [0, 1, 0])
    tree = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=1)), "cart").tree
    assert tree is not None
    grown = grow_cart(Columns.of(odt.Problem(data)), max_depth=1)
    assert (grown.column[0], grown.cut[0]) == (0, 0)


def test_values_a_rounding_error_apart_are_separated() -> None:
    """scikit-learn's float32 cannot separate these two rows; we must."""
    x = np.nextafter(1.0, 2.0)
    data = odt.Dataset([[1.0], [x]], [0, 1])
    assert odt.solve(odt.Problem(data), "cart").objective == 0.0


def test_pruning_is_the_best_subtree() -> None:
    """The pruned tree costs no more than any pruning found by brute force, for five objectives."""
    X, y = load_iris(return_X_y=True)
    data = odt.Dataset(X[::2], y[::2])
    for objective in ("error + 0.01*size", "error + 0.02*expected_tests", "error, size",
                      "error + 0.05*explanation_size", "error + 0.03*depth"):  # fmt: skip
        problem = odt.Problem(data, objective, odt.Shape(max_depth=4))
        result = odt.solve(problem, "cart")
        full = odt.solve(odt.Problem(data, "error", odt.Shape(max_depth=4)), "cart").tree
        assert full is not None
        assert result.cost == min(problem.cost(t) for t in _prunings(full, problem, 0))


def _prunings(tree: odt.Tree, problem: odt.Problem, node: int) -> list[odt.Tree]:
    counts = tree.counts
    assert counts is not None
    trees = [odt.Tree.leaf(int(counts[node].argmax()))]
    test = tree.tests[node]
    if test is not None:
        left = _prunings(tree, problem, int(tree.left[node]))
        right = _prunings(tree, problem, int(tree.right[node]))
        trees += [odt.Tree.branch(test, a, b) for a in left for b in right]
    return trees


@pytest.mark.parametrize(
    "shape",
    [
        odt.Shape(max_leaf_nodes=4),
        odt.Shape(max_nodes=5, max_depth=2),
        odt.Shape(max_features=1),
        odt.Shape(max_error=0.03),
        odt.Shape(max_error=0.0),
        odt.Shape(min_samples_leaf=20),
        odt.Shape(min_weight_leaf=25.0, max_depth=3),
    ],
)
def test_limits_are_kept(shape: odt.Shape) -> None:
    """Every limit of a shape is honoured on wine, and a tree is found."""
    X, y = load_wine(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), "error + 0.001*size", shape)
    result = odt.solve(problem, "cart")
    assert result.tree is not None
    assert problem.violations(result.tree) == []
    assert result.tree.n_leaves > 1


def test_pruning_respects_an_error_limit() -> None:
    """Where the objective would prune too much, the price of errors is raised just enough."""
    X, y = load_iris(return_X_y=True)
    loose = odt.solve(odt.Problem(odt.Dataset(X, y), "size", odt.Shape(max_error=0.1)), "cart")
    tight = odt.solve(odt.Problem(odt.Dataset(X, y), "size", odt.Shape(max_error=0.01)), "cart")
    assert loose.tree is not None
    assert tight.tree is not None
    assert loose.tree.n_nodes == 5  # three leaves, 6 errors of 150
    assert loose.tree.n_nodes < tight.tree.n_nodes


def test_does_not_depend_on_the_seed() -> None:
    """Nothing is random."""
    for seed in range(20):
        problem = random_problem(seed)
        first, second = (odt.solve(problem, "cart", seed=s).tree for s in (0, 99))
        assert first == second
