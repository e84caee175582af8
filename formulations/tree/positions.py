"""Trees written into the positions of a complete binary tree.

Position 1 is the root; the children of ``n`` are ``2n`` (the test holds) and ``2n + 1``. A tree of
depth at most D has its branches at positions ``1 .. 2**D - 1`` and its leaves at
``1 .. 2**(D+1) - 1``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from formulations.program.base import Ints
from odt.model.compiled import Compiled
from odt.model.problem import Problem
from odt.model.testset import Test, TestSet
from odt.model.tree import Tree

Bools = NDArray[np.bool_]


class Flow(NamedTuple):
    """What happens in a heap tree of depth D over G groups of rows and J features.

    Attributes
    ----------
    split : ndarray of bool, shape (2**D,)
        Whether the position is a branch.
    uses : ndarray of bool, shape (2**D, J)
        Which of ``model_features`` it tests.
    left : ndarray of bool, shape (2**D, G)
        Whether its test holds for the group; False where there is no branch.
    reach : ndarray of bool, shape (2**(D+1), G)
        Whether the group visits the position.
    label : ndarray of int64, shape (2**(D+1),)
        Class code of each leaf, -1 elsewhere.
    """

    split: Bools
    uses: Bools
    left: Bools
    reach: Bools
    label: Ints


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

    def swap_levels(self) -> bool:
        """Exchange a test with the one that both its children ask, if that has a lower number.

        The four subtrees below keep their examples, so no measure changes. Returns whether there
        was such a place; with the lowest positions first.
        """
        for n in range(1, len(self.test) // 2):
            below = self.test[2 * n]
            if 0 <= below == self.test[2 * n + 1] and below < self.test[n]:
                self.test[[2 * n, 2 * n + 1]], self.test[n] = self.test[n], below
                self._exchange(4 * n + 1, 4 * n + 2)
                return True
        return False

    def _exchange(self, one: int, other: int) -> None:
        """Exchange the subtrees at two positions of the same depth."""
        for array in (self.test, self.label):
            width = 1
            while (max(one, other) + 1) * width <= len(array):
                a, b = (
                    slice(one * width, (one + 1) * width),
                    slice(other * width, (other + 1) * width),
                )
                array[a], array[b] = array[b].copy(), array[a].copy()
                width *= 2

    def flow(self, compiled: Compiled) -> Flow:
        """Return which groups go where."""
        split = self.test >= 0
        features = model_features(compiled)
        tested = np.where(split, np.append(compiled.features, -1)[self.test], -1)
        left = np.zeros((len(split), compiled.n_groups), dtype=bool)
        left[split] = compiled.outcomes.T[self.test[split]]
        reach = np.zeros((2 * len(split), compiled.n_groups), dtype=bool)
        reach[1] = True
        for n in np.flatnonzero(split).tolist():
            reach[2 * n] = reach[n] & left[n]
            reach[2 * n + 1] = reach[n] & ~left[n]
        return Flow(split, tested[:, None] == features, left, reach, self.label)


def model_depth(problem: Problem) -> int:
    """Return the depth of the complete tree in which every useful tree has its place."""
    return min(problem.limits.useful_depth, problem.compiled.n_groups - 1)


def model_features(compiled: Compiled) -> Ints:
    """Return the features that some compiled test asks for, in ascending order."""
    return np.unique(compiled.features)


def depths(n_positions: int) -> Ints:
    """Return the depth of the positions ``0 .. n_positions - 1`` (0 for position 0)."""
    return np.array([max(n.bit_length() - 1, 0) for n in range(n_positions)], dtype=np.int64)


def by_position(block: Ints) -> Ints:
    """Return a block whose first row is for position 1 with an unusable row for position 0."""
    unusable = np.full((1, *block.shape[1:]), np.iinfo(np.int64).max)
    return np.concatenate([unusable, block])


def position_number(name: str) -> int:
    """Return the number of a position given as a string of L (yes) and R (no)."""
    return int("1" + name.replace("L", "0").replace("R", "1"), 2)


def ancestors(position: int) -> list[int]:
    """Return the positions above ``position``, the parent first."""
    return [position >> k for k in range(1, position.bit_length())]


class Placement:
    """Writes trees over any tests as heap trees over the compiled tests of a problem.

    A test that compilation left out is recognised by how it splits the rows, so equal and
    complementary tests are found too; for a complement the children change sides.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self._X = problem.dataset.merged.X
        self._depth = model_depth(problem)
        self._has_positions = problem.limits.positions is not None
        self._number: dict[tuple[int, bytes], tuple[int, bool]] = {}
        tests = problem.compiled.tests
        self._exact = {test: (t, False) for t, test in enumerate(tests)}
        for t, column in enumerate(TestSet(tests).outcomes(self._X).T):
            for owner in (tests[t].feature, -1):
                self._number.setdefault((owner, column.tobytes()), (t, False))
                self._number.setdefault((owner, (~column).tobytes()), (t, True))

    def place(self, tree: Tree) -> HeapTree | None:
        """Return ``tree`` by position; None if it is too deep or tests otherwise.

        It is collapsed first, unless something is demanded at a position.
        """
        size = 2**self._depth
        heap = HeapTree(np.full(size, -1), np.full(2 * size, -1))
        tree = tree if self._has_positions else tree.collapsed(self._X)
        todo = [(0, 1)]
        while todo:
            node, position = todo.pop()
            test = tree.tests[node]
            if test is None:
                heap.label[position] = tree.label[node]
                continue
            found = self._exact.get(test) or self._alike(test)
            if found is None or position >= size:
                return None
            heap.test[position], swapped = found
            left, right = int(tree.left[node]), int(tree.right[node])
            todo += [(left, 2 * position + swapped), (right, 2 * position + 1 - swapped)]
        return heap

    def _alike(self, test: Test) -> tuple[int, bool] | None:
        split = test.holds(self._X).tobytes()
        found = self._number.get((test.feature, split))
        if self._has_positions:  # sides must stay, and which feature is asked may matter
            return None if found is None or found[1] else found
        return found or self._number.get((-1, split))
