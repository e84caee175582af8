"""Whether a tree keeps the limits of a problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from odt.dataset import Dataset
from odt.testset import Test
from odt.tree import Tree

if TYPE_CHECKING:
    from odt.problem import Problem


def violations(problem: Problem, tree: Tree) -> Iterator[str]:
    """Yield each limit that the tree breaks, in words.

    Parameters
    ----------
    problem : Problem
    tree : Tree
        Evaluated on the raw rows.
    """
    strange = list(misfits(problem.dataset, tree))
    if strange:  # nothing else can be evaluated
        yield from strange
        return
    yield from _of_the_whole(problem, tree)
    yield from _of_leaves(problem, tree)
    yield from _of_classes(problem, tree)
    for test in tree.tests:
        if test is not None and not problem.allows_test(test):
            name = test.describe(problem.dataset.schema)
            yield f"the test '{name}' is not among the candidates"
    if problem.positions is not None:
        yield from problem.positions.violations(tree)


def malformed(tree: object) -> str:
    """Return why an object is no tree that can be walked, in words; empty if it is one.

    Parameters
    ----------
    tree : object
        Whatever a solver returned as its tree.
    """
    if not isinstance(tree, Tree):
        return f"a {type(tree).__name__} is no Tree"
    if not isinstance(tree.tests, tuple) or not tree.tests:
        return "a tree needs a tuple of tests, one for each node"
    strange = [test for test in tree.tests if test is not None and not isinstance(test, Test)]
    if strange:
        return f"the tree asks {strange[0]!r}, which is no Test"
    for name in ("left", "right", "label"):
        array = getattr(tree, name)
        whole = isinstance(array, np.ndarray) and np.issubdtype(array.dtype, np.integer)
        if not whole or array.shape != (tree.n_nodes,):
            return f"'{name}' of the tree is not an array of {tree.n_nodes} integers"
    return (
        "" if _is_preorder(tree) else "the nodes are no tree in preorder: a cycle or a stray node"
    )


def _is_preorder(tree: Tree) -> bool:
    """Say whether walking from the root meets each node once, in the order of the numbers."""
    waiting, expected = [0], 0
    while waiting:
        node = waiting.pop()
        if node != expected:
            return False
        expected += 1
        children = int(tree.right[node]), int(tree.left[node])
        if tree.tests[node] is not None:
            waiting += children
        elif children != (-1, -1):
            return False
    return expected == tree.n_nodes


def misfits(dataset: Dataset, tree: Tree) -> Iterator[str]:
    """Yield the features and classes of a tree that the data do not have, in words.

    Parameters
    ----------
    dataset : Dataset
    tree : Tree
        If anything is yielded, it cannot be evaluated on ``dataset``.
    """
    features = sorted(f for f in tree.features if f >= dataset.n_features)
    if features:
        yield f"it asks for the features {features}, there are {dataset.n_features}"
    labels = {int(tree.label[node]) for node, test in enumerate(tree.tests) if test is None}
    unknown = sorted(labels - set(range(dataset.n_classes)))
    if unknown:
        yield f"its leaves have the class codes {unknown}, there are {dataset.n_classes} classes"


def _of_the_whole(problem: Problem, tree: Tree) -> Iterator[str]:
    shape, totals = problem.shape, tree.totals(problem.dataset)
    for what, value, limit in (
        ("depth", totals.depth, shape.max_depth),
        ("nodes", tree.n_nodes, shape.max_nodes),
        ("leaves", tree.n_leaves, shape.max_leaf_nodes),
        ("misclassified weight units", totals.errors, problem.max_errors),
    ):
        if limit is not None and value > limit:
            yield f"{value} {what}, at most {limit} allowed"
    if not problem.allows_features(tree.features):
        yield f"the features {sorted(tree.features)} are too many or too dear together"


def _of_leaves(problem: Problem, tree: Tree) -> Iterator[str]:
    data, shape = problem.dataset, problem.shape
    leaf_of = tree.apply(data.X)
    leaves = [node for node, test in enumerate(tree.tests) if test is None]
    rows = np.bincount(leaf_of, minlength=tree.n_nodes)[leaves]
    weight = np.bincount(leaf_of, weights=data.weights, minlength=tree.n_nodes)[leaves]
    if rows.min() < shape.min_samples_leaf:
        yield f"a leaf of {rows.min()} examples, min_samples_leaf={shape.min_samples_leaf}"
    if weight.min() < problem.min_leaf_weight:
        yield f"a leaf of {weight.min():g} weight units, at least {problem.min_leaf_weight}"


def _of_classes(problem: Problem, tree: Tree) -> Iterator[str]:
    if problem.max_class_errors is None:
        return
    data = problem.dataset
    wrong = tree.predict_codes(data.X) != data.y
    by_class = np.bincount(data.y[wrong], data.weights[wrong], data.n_classes)
    for errors, limit, label in zip(by_class, problem.max_class_errors, data.classes, strict=True):
        if errors > limit:
            yield f"class {label!r}: {errors:g} misclassified weight units, at most {limit} allowed"
