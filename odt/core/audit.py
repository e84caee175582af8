"""Trees that an optimal tree must not lose against: an attack on every claim of optimality.

A bound that was made up looks like any other number. So before a proof is believed, its tree is
compared with its neighbours: each node replaced by a leaf, each leaf by the best single test,
each test by the one that errs least with the same subtrees. A neighbour that is cheaper than the
bound refutes it. This cannot confirm a proof, but it finds most wrong ones at little cost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from odt.model.problem import Problem
from odt.model.testset import TestSet
from odt.model.tree import Tree

_LARGEST_TABLE = 2 * 10**7
"""Distinct rows times tests up to which single tests are tried."""

Rows = NDArray[np.bool_]
Floats = NDArray[np.float64]


def witnesses(problem: Problem, tree: Tree | None, below: int | None = None) -> Iterator[Tree]:
    """Yield allowed trees near ``tree``, and the best lone leaf.

    Parameters
    ----------
    problem : Problem
    tree : Tree or None
        The tree under attack; None yields the lone leaf only.
    below : int, optional
        Leave out neighbours that cannot cost less than this: where the whole subtree that they
        replace does not cost enough.

    Yields
    ------
    Tree
        Trees within the limits of the problem; their costs bound the optimum from above.
    """
    for candidate in _candidates(problem, tree, below):
        if not problem.violations(candidate):
            yield candidate


def _candidates(problem: Problem, tree: Tree | None, below: int | None) -> Iterator[Tree]:
    merged = problem.dataset.merged
    yield Tree.leaf(_majority(merged.weights))
    if tree is None:
        return
    reached = tree.decision_path(merged.X)
    cost, at_stake = problem.cost(tree), _at_stake(problem, tree, reached)
    nodes = [v for v, part in enumerate(at_stake) if below is None or cost - part < below]
    tests = problem.candidate_tests
    small = len(tests) * len(merged.X) <= _LARGEST_TABLE
    wanted = nodes and small and len(tests)
    answers = tests.outcomes(merged.X).astype(np.float64) if wanted else None
    for node in nodes:
        rows = reached[:, node]
        yield tree.with_subtree(node, Tree.leaf(_majority(merged.weights[rows])))
        if answers is None:
            continue
        if tree.tests[node] is None:
            yield tree.with_subtree(node, _best_stump(tests, answers, rows, merged.weights))
        else:
            left, right = tree.subtree(int(tree.left[node])), tree.subtree(int(tree.right[node]))
            wrong = [_wrong(side.predict_codes(merged.X), merged.weights) for side in (left, right)]
            best = tests.tests[_least_errors(answers[rows], wrong[0][rows], wrong[1][rows])]
            yield tree.with_subtree(node, Tree.branch(best, left, right))


def _at_stake(problem: Problem, tree: Tree, reached: Rows) -> list[int]:
    """Return the most that replacing each subtree could save."""
    merged, costs = problem.dataset.merged, problem.costs
    wrong = reached.T @ _wrong(tree.predict_codes(merged.X), merged.weights)
    weight = reached.T @ merged.weights.sum(axis=1)
    dearest = int(problem.dataset.cost_units.max(initial=0))
    size, height, savings = [1] * tree.n_nodes, [0] * tree.n_nodes, [0] * tree.n_nodes
    for v in reversed(range(tree.n_nodes)):  # preorder: children come later
        if tree.tests[v] is not None:
            sides = int(tree.left[v]), int(tree.right[v])
            size[v] = 1 + sum(size[side] for side in sides)
            height[v] = 1 + max(height[side] for side in sides)
        for_each_test = int(weight[v]) * (costs.prices.tests * dearest + costs.prices.explanation)
        savings[v] = costs.prices.errors * int(wrong[v]) + costs.prices.nodes * (size[v] - 1)
        savings[v] += height[v] * (costs.prices.depth + costs.prices.worst + for_each_test)
    return savings


def _majority(weights: NDArray[np.int64]) -> int:
    return int(weights.sum(axis=0).argmax())


def _wrong(labels: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weight misclassified on each distinct row by these labels."""
    predicted = np.take_along_axis(weights, labels[:, None], axis=1)[:, 0]
    return np.asarray(weights.sum(axis=1) - predicted)


def _least_errors(
    answers: Floats, wrong_left: NDArray[np.int64], wrong_right: NDArray[np.int64]
) -> int:
    """Return the test that errs least if yes leads to ``wrong_left`` and no to ``wrong_right``."""
    return int(((wrong_left - wrong_right) @ answers).argmin())


def _best_stump(tests: TestSet, answers: Floats, rows: Rows, weights: NDArray[np.int64]) -> Tree:
    """Return the single test of ``rows`` whose two majority leaves err least."""
    local = weights[rows].astype(np.float64)
    left = answers[rows].T @ local
    right = local.sum(axis=0) - left
    best = int((left.max(axis=1) + right.max(axis=1)).argmax())
    labels = int(left[best].argmax()), int(right[best].argmax())
    return Tree.branch(tests.tests[best], Tree.leaf(labels[0]), Tree.leaf(labels[1]))
