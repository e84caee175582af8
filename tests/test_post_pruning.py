"""Pruning of given trees: the best prunings at every price, and by a validation set."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import odt
from heuristics.post_pruning import COMPLEXITIES, cost_complexity, reduced_error
from odt.testing import random_problem


def all_prunings(tree: odt.Tree, node: int = 0) -> list[odt.Tree]:
    """Every tree with some branches turned into leaves of their largest class."""
    assert tree.counts is not None
    trees = [odt.Tree.leaf(int(tree.counts[node].argmax()))]
    test = tree.tests[node]
    if test is None:
        return [odt.Tree.leaf(int(tree.label[node]))]
    left, right = (all_prunings(tree, int(side[node])) for side in (tree.left, tree.right))
    return trees + [odt.Tree.branch(test, a, b) for a in left for b in right]


def value(tree: odt.Tree, data: odt.Dataset, complexity: str, alpha: Fraction) -> Fraction:
    """Error + alpha * complexity, exactly."""
    totals = tree.amounts(data)
    what = {
        "size": Fraction(totals.nodes),
        "expected_tests": totals.tests * data.cost_unit / data.total_weight,
        "explanation_size": Fraction(totals.explanation, data.total_weight),
    }
    return Fraction(totals.errors, data.total_weight) + alpha * what[complexity]


@pytest.mark.parametrize("complexity", COMPLEXITIES)
@pytest.mark.parametrize("solver", ["ser-dt", "c45"])
def test_every_price_has_its_best_pruning(solver: str, complexity: str) -> None:
    """Between two breakpoints the tree given for them is as good as any pruning."""
    longer = 0
    for seed in range(60):
        base = random_problem(seed, limits=False)
        problem = odt.Problem(base.dataset, "error", odt.Shape(max_depth=3))
        tree = odt.solve(problem, solver, prune=False).tree
        assert tree is not None
        steps = cost_complexity(tree, base.dataset, complexity)
        longer += len(steps) > 1
        assert [s.alpha for s in steps] == sorted({s.alpha for s in steps})
        ends = [s.alpha for s in steps[1:]] + [steps[-1].alpha + 1]
        for step, end in zip(steps, ends, strict=True):
            for alpha in (step.alpha, (step.alpha + end) / 2):
                least = min(value(t, base.dataset, complexity, alpha) for t in all_prunings(tree))
                assert value(step.tree, base.dataset, complexity, alpha) == least
        assert steps[-1].tree.n_nodes == 1
    assert longer > 15


def _parts(seed: int) -> tuple[odt.Tree, odt.Dataset]:
    data = odt.datasets.load_dataset("breast-cancer")
    rows = np.random.default_rng(seed).permutation(data.n_samples)
    train, validation = (
        odt.Dataset(data.X[r], data.y[r], feature_names=data.feature_names)
        for r in (rows[:300], rows[300:])
    )
    tree = odt.solve(odt.Problem(train, shape=odt.Shape(max_depth=6)), "ser-dt").tree
    assert tree is not None
    return tree, validation


def test_reduced_error_never_errs_more_on_the_validation_set() -> None:
    """It errs no more there than any pruning; rounding to no digit prunes nearly everything."""
    smaller = 0
    for seed in range(8):
        tree, validation = _parts(seed)
        pruned = reduced_error(tree, validation)
        errors = [t.amounts(validation).errors for t in (pruned, tree)]
        assert errors[0] <= errors[1]
        assert errors[0] <= min(t.amounts(validation).errors for t in all_prunings(tree)[::200])
        smaller += pruned.n_nodes < tree.n_nodes
        assert reduced_error(tree, validation, digits=0).n_nodes <= pruned.n_nodes
    assert smaller == 8


def test_rounding_prunes_what_rounding_hides() -> None:
    """One error more of 2000 is 0.0005: hidden by 3 digits (0.9995 and 0.999 round half to even).

    Accuracy 1 with the test; 1999/2000 = 0.9995 without, which rounds to 1.000 at 3 digits.
    """
    X, y = np.arange(2000.0)[:, None], [0] * 1999 + [1]
    data = odt.Dataset(X, y)
    tree = odt.solve(odt.Problem(data), "ser-dt").tree
    assert tree is not None
    assert tree.n_leaves == 2
    assert reduced_error(tree, data).n_leaves == 2
    assert reduced_error(tree, data, digits=3).n_leaves == 1


def test_other_data_are_refused() -> None:
    """Other classes or features, and trees without counts, are named."""
    tree, validation = _parts(0)
    other = odt.Dataset(validation.X[:, :3], validation.y)
    with pytest.raises(odt.DataError, match="same order"):
        reduced_error(tree, other)
    with pytest.raises(odt.DataError, match="fitted"):
        cost_complexity(odt.Tree.leaf(0), validation)
    with pytest.raises(odt.ProblemError, match="complexity"):
        cost_complexity(tree, validation, "depth")
