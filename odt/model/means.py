"""Means and squared errors of a regression tree, from the tree and the raw rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset, summed
from odt.data.targets import Targets

if TYPE_CHECKING:
    from odt.model.tree import Tree


def squared_errors(tree: Tree, targets: Targets, leaf_of: NDArray[np.int64]) -> int:
    """Return the units of squared error of a tree, rounded down in each leaf.

    Parameters
    ----------
    tree : Tree
        Its leaves predict its values; without any, the mean of the examples in them.
    targets : Targets
    leaf_of : ndarray of int64, shape (n,)
        Leaf of each example.
    """
    leaves, group_of = np.unique(leaf_of, return_inverse=True)
    moments = summed(targets.moments, group_of.reshape(-1), len(leaves)).tolist()
    if tree.values is None:
        return sum(map(targets.least_errors, moments))
    return sum(map(targets.errors, moments, tree.values[leaves].tolist()))


def node_means(tree: Tree, dataset: Dataset, targets: Targets) -> NDArray[np.float64]:
    """Return the weighted mean at each node, shape (n_nodes,); its parent's where no row comes."""
    leaf_of = tree.apply(dataset.X)
    moments = summed(targets.moments, leaf_of, tree.n_nodes)
    for node in reversed(range(tree.n_nodes)):  # preorder: children come later
        if tree.tests[node] is not None:
            moments[node] = moments[tree.left[node]] + moments[tree.right[node]]
    values = np.zeros(tree.n_nodes)
    parent = np.zeros(tree.n_nodes, dtype=np.int64)
    for node, test in enumerate(tree.tests):
        known = bool(moments[node, 0])
        values[node] = targets.mean(moments[node]) if known else values[parent[node]]
        if test is not None:
            parent[[tree.left[node], tree.right[node]]] = node
    return values
