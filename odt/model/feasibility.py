"""Whether a tree keeps the limits of a problem."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from odt.data.dataset import Dataset
from odt.model.limits import Limits
from odt.model.tree import Tree


def violations(dataset: Dataset, limits: Limits, tree: Tree) -> Iterator[str]:
    """Yield each limit that the tree breaks, in words.

    Parameters
    ----------
    dataset : Dataset
    limits : Limits
    tree : Tree
        Evaluated on the raw rows.
    """
    strange = list(misfits(dataset, tree))
    if strange:  # nothing else can be evaluated
        yield from strange
        return
    yield from _of_the_whole(dataset, limits, tree)
    yield from _of_leaves(dataset, limits, tree)
    yield from _of_classes(dataset, limits, tree)
    if limits.positions is not None:
        yield from limits.positions.violations(tree)


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


def _of_the_whole(dataset: Dataset, limits: Limits, tree: Tree) -> Iterator[str]:
    amounts = tree.amounts(dataset)
    for what, value, limit in (
        ("depth", amounts.depth, limits.depth),
        ("nodes", amounts.nodes, limits.nodes),
        ("misclassified weight units", amounts.errors, limits.errors),
    ):
        if limit is not None and value > limit:
            yield f"{value} {what}, at most {limit} allowed"
    if not limits.allows_features(tree.features):
        yield f"the features {sorted(tree.features)} are too many or too dear together"


def _of_leaves(dataset: Dataset, limits: Limits, tree: Tree) -> Iterator[str]:
    leaf_of = tree.apply(dataset.X)
    leaves = [node for node, test in enumerate(tree.tests) if test is None]
    rows = np.bincount(leaf_of, minlength=tree.n_nodes)[leaves]
    weight = np.zeros(tree.n_nodes, dtype=np.int64)
    np.add.at(weight, leaf_of, dataset.weights)
    least = int(weight[leaves].min())
    if rows.min() < limits.leaf_rows:
        yield f"a leaf of {rows.min()} examples, at least {limits.leaf_rows}"
    if least < limits.leaf_weight:
        yield f"a leaf of {least} weight units, at least {limits.leaf_weight}"


def _of_classes(dataset: Dataset, limits: Limits, tree: Tree) -> Iterator[str]:
    if limits.class_errors is None:
        return
    wrong = tree.predict_codes(dataset.X) != dataset.y
    by_class = np.zeros(dataset.n_classes, dtype=np.int64)
    np.add.at(by_class, dataset.y[wrong], dataset.weights[wrong])
    for errors, most, label in zip(by_class, limits.class_errors, dataset.classes, strict=True):
        if errors > most:
            yield f"class {label!r}: {errors} misclassified weight units, at most {most} allowed"
