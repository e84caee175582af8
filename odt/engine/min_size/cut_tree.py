"""Trees in terms of the cuts of a reduced instance, and greedy ones to start from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from odt.engine.min_size.reduction import Reduced
from odt.errors import Stopped
from odt.model.testset import Test
from odt.model.tree import Tree

CutTree = tuple[int, "CutTree", "CutTree"] | None
"""A leaf (None), or a cut with the trees of its first and of its second side."""

Rows = NDArray[np.bool_]
Impurity = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def branches(cut_tree: CutTree) -> int:
    """Return the number of cuts in a tree."""
    return 0 if cut_tree is None else 1 + branches(cut_tree[1]) + branches(cut_tree[2])


def height(cut_tree: CutTree) -> int:
    """Return the most cuts on a path."""
    return 0 if cut_tree is None else 1 + max(height(cut_tree[1]), height(cut_tree[2]))


def draw(
    cut_tree: CutTree, reduced: Reduced, tests: tuple[Test, ...], codes: NDArray[np.int64]
) -> Tree:
    """Return the tree with its tests and labels.

    Parameters
    ----------
    cut_tree : CutTree
        A consistent tree.
    reduced : Reduced
    tests : tuple of Test
        The tests that the reduced cuts come from.
    codes : int array of shape (classes,)
        Class code of each label of the reduced instance.
    """

    def below(node: CutTree, rows: Rows) -> Tree:
        if node is None:
            return Tree.leaf(int(codes[reduced.labels[rows][0]]))
        cut, first, second = node
        inside = reduced.left[:, cut]
        yes, no = below(first, rows & inside), below(second, rows & ~inside)
        if reduced.flipped[cut]:
            yes, no = no, yes
        return Tree.branch(tests[reduced.test[cut]], yes, no)

    return below(cut_tree, np.ones(reduced.n_examples, dtype=bool))


def greedy(
    reduced: Reduced, impurity: Impurity, stop: Callable[[], bool] = lambda: False
) -> CutTree:
    """Return the consistent tree that takes the cut of least impurity at every node.

    Parameters
    ----------
    reduced : Reduced
    impurity : callable
    stop : callable, optional
        Polled at every node; `Stopped` is raised when it says True.
    """
    one_hot = np.eye(reduced.n_classes, dtype=np.float32)[reduced.labels]
    sides = np.ascontiguousarray(reduced.left.T).astype(np.float32)

    def below(rows: Rows) -> CutTree:
        Stopped.poll(stop)
        total = one_hot[rows].sum(axis=0, dtype=np.float64)
        if (total > 0).sum() <= 1:
            return None
        first = (sides @ (one_hot * rows[:, None])).astype(np.float64)
        score = impurity(first) + impurity(total - first)
        proper = (first.sum(axis=1) > 0) & (first.sum(axis=1) < rows.sum())
        cut = int(np.where(proper, score, np.inf).argmin())
        inside = reduced.left[:, cut]
        return cut, below(rows & inside), below(rows & ~inside)

    return below(np.ones(reduced.n_examples, dtype=bool))
