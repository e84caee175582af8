"""Regression trees that an optimal one must not lose against."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from odt.model.problem import Problem
from odt.model.testset import Test
from odt.model.tree import Tree

MOST_ENTRIES = 2 * 10**7
"""Examples times tests beyond which leaves are not split."""


def neighbours(problem: Problem, tree: Tree | None) -> Iterator[Tree]:
    """Yield the lone leaf, and trees that differ from ``tree`` in one node.

    A branch becomes a leaf or gives way to one of its sides; a leaf gets the test that lowers the
    squared error most, found in floats: it only has to be good.

    Parameters
    ----------
    problem : Problem
        Of a regression.
    tree : Tree or None
    """
    yield Tree.leaf(0)
    if tree is None:
        return
    tests = _tests(problem)
    reached = tree.decision_path(problem.dataset.X) if tests else None
    for node, test in enumerate(tree.tests):
        if test is not None:
            yield tree.with_subtree(node, Tree.leaf(0))
            for side in (tree.left[node], tree.right[node]):
                yield tree.with_subtree(node, tree.subtree(int(side)))
        elif reached is not None:
            best = _best_test(problem, tests, reached[:, node])
            if best is not None:
                leaves = Tree.leaf(0), Tree.leaf(0)
                yield tree.with_subtree(node, Tree.branch(best, *leaves))


def _tests(problem: Problem) -> tuple[Test, ...]:
    """Return the candidate tests unless there are too many of them."""
    if problem.n_candidate_tests * problem.dataset.n_samples > MOST_ENTRIES:
        return ()
    return tuple(problem.candidate_tests)


def _best_test(problem: Problem, tests: tuple[Test, ...], inside: NDArray[np.bool_]) -> Test | None:
    """Return the test whose sides vary least around their means; None if none separates."""
    data = problem.dataset
    assert data.targets is not None
    X, weight = data.X[inside], data.weights[inside].astype(np.float64)
    if not len(X):
        return None
    target = data.targets.values[inside]
    target = target / (np.abs(target).max() or 1.0)
    target -= np.average(target, weights=weight)
    best, gain = None, 0.0
    for test in tests:
        yes = test.holds(X)
        heavy, light = weight[yes].sum(), weight[~yes].sum()
        if heavy and light:
            moved = float(weight[yes] @ target[yes]) ** 2 * (1 / heavy + 1 / light)
            if moved > gain:
                best, gain = test, moved
    return best
