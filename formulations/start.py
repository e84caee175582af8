"""A quick tree to start from, where the user gives none."""

from __future__ import annotations

import numpy as np

from formulations.program import Ints
from odt.problem import Problem
from odt.tree import Tree


def greedy_tree(problem: Problem) -> Tree | None:
    """Return the cheapest feasible tree among greedy ones of every depth; None if there is none.

    The tests are chosen top down by Gini impurity among those that leave both sides large enough
    for a leaf.

    Parameters
    ----------
    problem : Problem
    """
    best: tuple[int, Tree] | None = None
    groups = np.arange(problem.compiled.n_groups)
    size = None
    for depth in range(min(problem.max_depth, 12) + 1):
        tree = _grow(problem, groups, depth)
        if tree.n_nodes == size:
            break
        size = tree.n_nodes
        cost = problem.cost(tree)
        if (best is None or cost < best[0]) and not problem.violations(tree):
            best = cost, tree
    return None if best is None else best[1]


def _grow(problem: Problem, groups: Ints, depth: int) -> Tree:
    compiled = problem.compiled
    weights = compiled.weights[groups].astype(float)
    leaf = Tree.leaf(int(weights.sum(axis=0).argmax()))
    if depth == 0 or (weights.sum(axis=0) > 0).sum() < 2:
        return leaf
    yes = compiled.outcomes[groups].astype(float)
    rows = compiled.rows[groups]
    by_class = yes.T @ weights, (1 - yes.T) @ weights
    allowed = np.ones(compiled.n_tests, dtype=bool)
    for answers, sums in zip((yes.T, 1 - yes.T), by_class, strict=True):
        allowed &= answers @ rows >= problem.shape.min_samples_leaf
        allowed &= sums.sum(axis=1) >= max(problem.min_leaf_weight, 1)
    if not allowed.any():
        return leaf
    purity = sum((sums**2).sum(axis=1) / np.maximum(sums.sum(axis=1), 1) for sums in by_class)
    test = int(np.where(allowed, purity, -1.0).argmax())
    left = _grow(problem, groups[yes[:, test] == 1], depth - 1)
    right = _grow(problem, groups[yes[:, test] == 0], depth - 1)
    if left.n_nodes == right.n_nodes == 1 and left.label[0] == right.label[0]:
        return leaf
    return Tree.branch(compiled.tests[test], left, right)
