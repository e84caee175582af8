"""Pruning a given tree: by a validation set, or by every price of complexity."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.errors import DataError, ProblemError
from odt.model.checks import check_int
from odt.model.tree import Tree

COMPLEXITIES = ("size", "expected_tests", "explanation_size")


class Pruned(NamedTuple):
    """One tree of a pruning sequence.

    Attributes
    ----------
    alpha : Fraction
        From this price of complexity on (up to the one of the next tree) ``tree`` has the least
        ``error + alpha * complexity`` of all prunings; at the price itself it ties with the
        tree before.
    tree : Tree
    """

    alpha: Fraction
    tree: Tree


def reduced_error(tree: Tree, validation: Dataset, digits: int | None = None) -> Tree:
    """Turn branches into leaves, bottom-up, where the accuracy on a validation set does not drop.

    The result errs no more on that set than any pruning, and is the smallest such tree.

    Parameters
    ----------
    tree : Tree
        Fitted; a new leaf predicts the largest class of its training weight.
    validation : Dataset
        Encoded like the training data, with the same classes in the same order.
    digits : int, optional
        Round accuracies before they are compared, and cut branches above two leaves only, as
        Souza et al. do with 3 digits.

    Raises
    ------
    DataError
        If the tree has no counts, or the validation set has other features or classes.
    """
    check_int("digits", digits, 0, optional=True)
    wrong = _wrong_as_leaf(tree, validation)
    total, below, keep = validation.total_weight, wrong.copy(), [True] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):  # preorder: children come later
        if tree.tests[node] is None:
            keep[node] = False
        else:
            below[node] = below[tree.left[node]] + below[tree.right[node]]
    errors = below[0]
    for node in reversed(range(tree.n_nodes)):
        if not keep[node]:
            continue
        sides = int(tree.left[node]), int(tree.right[node])
        below[node] = sum(below[side] for side in sides)
        after = errors - below[node] + wrong[node]
        may_be_cut = digits is None or not any(keep[side] for side in sides)
        if may_be_cut and _score(after, total, digits) >= _score(errors, total, digits):
            keep[node], below[node], errors = False, wrong[node], after
    return _pruned(tree, keep)


def cost_complexity(tree: Tree, dataset: Dataset, complexity: str = "size") -> list[Pruned]:
    """Return the best prunings for every price of complexity, the largest first.

    Weakest-link pruning (Breiman et al.): the branch whose subtree saves the least error for its
    complexity is cut first. A branch counts two nodes, or its tests, or the weight that meets its
    feature for the first time.

    Parameters
    ----------
    tree : Tree
        Fitted to ``dataset``.
    dataset : Dataset
    complexity : {"size", "expected_tests", "explanation_size"}, default "size"
        A measure of `odt.Objective`; ``alpha`` is its price beside the error.

    Raises
    ------
    DataError
        If the tree has no counts.
    ProblemError
        For another complexity.
    """
    if complexity not in COMPLEXITIES:
        raise ProblemError(
            f"'complexity' must be one of {', '.join(map(repr, COMPLEXITIES))}. Got "
            f"{complexity!r} instead."
        )
    total = dataset.total_weight
    errors = [Fraction(e, total) for e in _wrong_as_leaf(tree, dataset)]
    price = _prices(tree, dataset, complexity)
    keep = [test is not None for test in tree.tests]
    found, alpha = [], Fraction(0)
    while True:
        links = _links(tree, keep, errors, price)
        weakest = [node for node, link in links.items() if link <= alpha]
        if weakest:
            for node in weakest:
                keep[node] = False
            continue
        found.append(Pruned(alpha, _pruned(tree, keep)))
        if not links:
            return found
        alpha = min(links.values())


def _links(
    tree: Tree, keep: list[bool], errors: list[Fraction], price: list[Fraction]
) -> dict[int, Fraction]:
    """Return for each branch in use the price from which a leaf in its place is as good."""
    below, complexity = list(errors), [Fraction(0)] * tree.n_nodes
    links = {}
    for node in reversed(range(tree.n_nodes)):
        if not keep[node]:
            continue
        sides = int(tree.left[node]), int(tree.right[node])
        below[node] = below[sides[0]] + below[sides[1]]
        complexity[node] = price[node] + complexity[sides[0]] + complexity[sides[1]]
        saved = errors[node] - below[node]
        if complexity[node]:
            links[node] = saved / complexity[node]
        elif saved <= 0:  # it costs nothing: kept unless it saves nothing either
            links[node] = Fraction(0)
    reached = _reached(tree, keep)
    return {node: link for node, link in links.items() if reached[node]}


def _prices(tree: Tree, dataset: Dataset, complexity: str) -> list[Fraction]:
    """Complexity of each branch alone."""
    weight = tree.decision_path(dataset.X).T @ dataset.weights
    share = [Fraction(int(w), dataset.total_weight) for w in weight]
    seen: list[frozenset[int]] = [frozenset()] * tree.n_nodes
    prices = [Fraction(0)] * tree.n_nodes
    for node, test in enumerate(tree.tests):
        if test is None:
            continue
        if complexity == "size":
            prices[node] = Fraction(2)
        elif complexity == "expected_tests":
            units = int(dataset.cost_units[test.feature])
            prices[node] = share[node] * units * dataset.cost_unit
        elif test.feature not in seen[node]:
            prices[node] = share[node]
        for side in (int(tree.left[node]), int(tree.right[node])):
            seen[side] = seen[node] | {test.feature}
    return prices


def _wrong_as_leaf(tree: Tree, dataset: Dataset) -> list[int]:
    """Weight units that each node would misclassify as a leaf of its largest training class."""
    if tree.counts is None or tree.schema is None:
        raise DataError("This tree has no counts yet: call tree.fitted(dataset) first.")
    known, given = tree.schema, dataset.schema
    if known.classes != given.classes or known.feature_names != given.feature_names:
        raise DataError(
            f"The data must have the features and classes of the tree, in the same order: "
            f"{len(known.feature_names)} features and the classes {known.classes}. Got "
            f"{len(given.feature_names)} features and {given.classes}."
        )
    reached = tree.decision_path(dataset.X)
    wrong = _labels(tree)[None, :] != dataset.y[:, None]
    return [int(w) for w in ((reached & wrong) * dataset.weights[:, None]).sum(axis=0)]


def _labels(tree: Tree) -> NDArray[np.int64]:
    """What each node predicts as a leaf; leaves keep their labels."""
    assert tree.counts is not None
    return np.where(tree.label >= 0, tree.label, tree.counts.argmax(axis=1))


def _score(errors: int, total: int, digits: int | None) -> Fraction:
    accuracy = 1 - Fraction(errors, total)
    return accuracy if digits is None else round(accuracy, digits)


def _reached(tree: Tree, keep: list[bool]) -> list[bool]:
    """Which nodes hang below branches in use only."""
    reached = [True] * tree.n_nodes
    for node, test in enumerate(tree.tests):
        if test is not None:
            for side in (int(tree.left[node]), int(tree.right[node])):
                reached[side] = reached[node] and keep[node]
    return reached


def _pruned(tree: Tree, keep: list[bool]) -> Tree:
    labels = _labels(tree)
    parts: dict[int, Tree] = {}
    for node in reversed(range(tree.n_nodes)):
        test = tree.tests[node]
        if test is None or not keep[node]:
            parts[node] = Tree.leaf(int(labels[node]))
        else:
            left, right = parts[int(tree.left[node])], parts[int(tree.right[node])]
            parts[node] = Tree.branch(test, left, right)
    return parts[0]
