"""All trees that differ from a given one in one or two tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from odt.model.problem import Problem
from odt.model.tree import Tree

MOST = 20_000
"""Trees to look at; with more there are, the changes of the best changed trees come first."""
LARGEST_TABLE = 2 * 10**7
"""Distinct rows times tests beyond which no change is looked at."""


def changed_trees(
    problem: Problem, tree: Tree, stop: Callable[[], bool] = lambda: False
) -> Iterator[Tree]:
    """Yield trees with one changed test, then with two, whether they are allowed or not.

    A change replaces the test of a branch or a leaf by a test, or a branch by one of its sides.
    Leaves get the class of most weight among the examples that then reach them.

    Parameters
    ----------
    problem : Problem
    tree : Tree
    stop : callable, optional
        Polled; the trees end once it says True.
    """
    if len(problem.candidate_tests) * len(problem.dataset.merged.X) > LARGEST_TABLE:
        return
    once: list[tuple[int, int, Tree]] = []
    for changed in islice(_changed_once(problem, tree), MOST):
        if stop():
            return
        once.append((problem.cost(changed), len(once), changed))
        yield changed
    twice = (
        t for *_, first in sorted(once, key=lambda o: o[:2]) for t in _changed_once(problem, first)
    )
    for changed in islice(twice, MOST - len(once)):
        if stop():
            return
        yield changed


def _changed_once(problem: Problem, tree: Tree) -> Iterator[Tree]:
    for node, old in enumerate(tree.tests):
        for test in problem.candidate_tests:
            if old is None:
                leaf = Tree.leaf(int(tree.label[node]))
                yield _relabelled(problem, tree.with_subtree(node, Tree.branch(test, leaf, leaf)))
            elif test != old:
                tests = (*tree.tests[:node], test, *tree.tests[node + 1 :])
                yield _relabelled(problem, replace(tree, tests=tests))
        if old is not None:
            for side in (tree.left[node], tree.right[node]):
                yield _relabelled(problem, tree.with_subtree(node, tree.subtree(int(side))))


def _relabelled(problem: Problem, tree: Tree) -> Tree:
    """Return the tree with the class of most weight at each leaf, without useless branches."""
    merged = problem.dataset.merged
    weight = np.zeros((tree.n_nodes, merged.weights.shape[1]), dtype=np.int64)
    np.add.at(weight, tree.apply(merged.X), merged.weights)
    is_leaf = tree.left < 0
    tree = replace(tree, label=np.where(is_leaf, weight.argmax(axis=1), -1))
    return problem.normal(tree)
