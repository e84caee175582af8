"""Trees written into the positions of a complete binary tree.

Position 1 is the root; the children of ``n`` are ``2n`` (the test holds) and ``2n + 1``. A tree of
depth at most D has its branches at positions ``1 .. 2**D - 1`` and its leaves at
``1 .. 2**(D+1) - 1``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.program import Ints
from odt.compiled import Compiled
from odt.problem import Problem
from odt.testset import TestSet
from odt.tree import Tree


@dataclass(frozen=True, eq=False)
class HeapTree:
    """A tree over compiled tests, by position.

    Attributes
    ----------
    test : ndarray of int64, shape (2**D,)
        Number of the compiled test of each branch, -1 elsewhere.
    label : ndarray of int64, shape (2**(D+1),)
        Class code of each leaf, -1 elsewhere.
    """

    test: Ints
    label: Ints

    def tree(self, compiled: Compiled, position: int = 1) -> Tree:
        """Return the tree at and below ``position``."""
        number = int(self.test[position]) if position < len(self.test) else -1
        if number < 0:
            return Tree.leaf(int(self.label[position]))
        left = self.tree(compiled, 2 * position)
        return Tree.branch(compiled.tests[number], left, self.tree(compiled, 2 * position + 1))


def depths(n_positions: int) -> Ints:
    """Return the depth of the positions ``0 .. n_positions - 1`` (0 for position 0)."""
    return np.array([max(n.bit_length() - 1, 0) for n in range(n_positions)], dtype=np.int64)


def ancestors(position: int) -> list[int]:
    """Return the positions above ``position``, the parent first."""
    return [position >> k for k in range(1, position.bit_length())]


class Placement:
    """Writes trees over any tests as heap trees over the compiled tests of a problem.

    A test is recognised by how it splits the rows, so equal and complementary tests that
    compilation left out are found too; for a complement the children change sides.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self._X = problem.dataset.merged.X
        self._depth = problem.max_depth
        self._number: dict[tuple[int, bytes], tuple[int, bool]] = {}
        tests = problem.compiled.tests
        for t, column in enumerate(TestSet(tests).outcomes(self._X).T):
            for owner in (tests[t].feature, -1):
                self._number.setdefault((owner, column.tobytes()), (t, False))
                self._number.setdefault((owner, (~column).tobytes()), (t, True))

    def place(self, tree: Tree) -> HeapTree | None:
        """Return ``tree``, collapsed, by position; None if it is too deep or tests otherwise."""
        size = 2**self._depth
        heap = HeapTree(np.full(size, -1), np.full(2 * size, -1))
        tree = tree.collapsed(self._X)
        todo = [(0, 1)]
        while todo:
            node, position = todo.pop()
            test = tree.tests[node]
            if test is None:
                heap.label[position] = tree.label[node]
                continue
            split = test.holds(self._X).tobytes()
            found = self._number.get((test.feature, split)) or self._number.get((-1, split))
            if found is None or position >= size:
                return None
            heap.test[position], swapped = found
            left, right = int(tree.left[node]), int(tree.right[node])
            todo += [(left, 2 * position + swapped), (right, 2 * position + 1 - swapped)]
        return heap
