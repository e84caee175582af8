"""Successors of sets of rows under tests, for many sets at once.

Both classes answer the same question, what each test makes of each set: `AllSuccessors` for a
fixed list of tests by matrix products, `GeneratedSuccessors` for a generator of `odt.mdp`, whose
tests depend on the set.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from formulations.program.base import Ints
from formulations.program.bitsets import Words, from_ints, pack, to_int, unpack
from odt.mdp import State, TreeMDP
from odt.model.problem import Problem
from odt.model.testset import Test

_CHUNK = 2**20
"""Numbers in one intermediate array."""

_LARGEST_PRODUCT = 2**25
"""Numbers in an array that is kept to save time."""


class Figures(NamedTuple):
    """What sets of rows amount to; each an int64 array of one shape.

    Attributes
    ----------
    errors : ndarray
        Weight that the best single label misclassifies.
    label : ndarray
        That label.
    base : ndarray
        Weight that every tree misclassifies.
    weight : ndarray
    groups : ndarray
        Number of distinct rows.
    """

    errors: Ints
    label: Ints
    base: Ints
    weight: Ints
    groups: Ints

    def take(self, where: NDArray[np.intp] | NDArray[np.bool_]) -> Figures:
        """Return the figures of some of the sets."""
        return Figures(*(array[where] for array in self))


@dataclass(frozen=True, eq=False)
class Splits:
    """Splits of a block of sets; sides too small for a leaf are left out.

    Attributes
    ----------
    owner : ndarray of int64, shape (A,)
        Position of the set in the block.
    test : ndarray of int64, shape (A,)
    left, right : Figures
        Of the two sides.
    """

    owner: Ints
    test: Ints
    left: Figures
    right: Figures


class Successors(ABC):
    """What is common to both kinds; subclasses say which tests split which sets.

    Attributes
    ----------
    tests : list of Test
        By number; grows with a generator.
    n_words : int
        Words of a set.
    """

    def __init__(self, problem: Problem, weights: Ints, rows: Ints) -> None:
        self.problem = problem
        self.tests: list[Test] = []
        self.n_groups = len(weights)
        self.n_words = -(-self.n_groups // 64)
        base = weights.sum(axis=1) - weights.max(axis=1)
        self._values = np.column_stack([weights, base, rows, np.ones(len(rows))]).astype(float)
        self._masks: list[Words] = []

    @property
    def everything(self) -> Words:
        """The set of all rows, shape (1, n_words)."""
        return pack(np.ones((1, self.n_groups), dtype=bool))

    def figures(self, words: Words) -> Figures:
        """Return what sets amount to."""
        return self._figures(unpack(words, self.n_groups) @ self._values)

    def is_large_enough(self, words: Words) -> NDArray[np.bool_]:
        """Say which sets may be leaves."""
        return self._large_enough(unpack(words, self.n_groups) @ self._values)

    def sides(self, words: Words, splits: Splits) -> tuple[Words, Words]:
        """Return the two sides of splits of the sets ``words``, each of shape (A, n_words)."""
        masks = np.array(self._masks)[splits.test]
        here = words[splits.owner]
        return here & masks, here & ~masks

    def mask(self, test: int) -> Words:
        """Return the rows for which a test holds, shape (n_words,)."""
        return self._masks[test]

    @abstractmethod
    def splits(self, words: Words, used: Words, depth: int) -> Iterator[Splits]:
        """Yield the splits of sets, a block of sets at a time; ``owner`` counts in ``words``."""

    def _figures(self, sums: NDArray[np.float64]) -> Figures:
        by_class = sums[..., :-3]
        weight, base, groups = by_class.sum(axis=-1), sums[..., -3], sums[..., -1]
        label = by_class.argmax(axis=-1)
        errors = weight - by_class.max(axis=-1)
        arrays = (errors, label, base, weight, groups)
        return Figures(*(np.rint(array).astype(np.int64) for array in arrays))

    def _large_enough(self, sums: NDArray[np.float64]) -> NDArray[np.bool_]:
        rows, weight = sums[..., -2], sums[..., :-3].sum(axis=-1)
        enough = rows >= self.problem.limits.leaf_rows
        return np.asarray(enough & (weight >= self.problem.limits.leaf_weight))


class AllSuccessors(Successors):
    """Every compiled test of the problem in every set."""

    def __init__(self, problem: Problem) -> None:
        compiled = problem.compiled
        super().__init__(problem, compiled.weights, compiled.rows)
        self.tests = list(compiled.tests)
        self._masks = list(pack(compiled.outcomes.T))
        self._holds = compiled.outcomes.astype(float)
        self._product: NDArray[np.float64] | None = None
        if self._holds.size * self._values.shape[1] <= _LARGEST_PRODUCT:
            product = self._holds[:, :, None] * self._values[:, None, :]
            self._product = product.reshape(self.n_groups, -1)

    def splits(self, words: Words, used: Words, depth: int) -> Iterator[Splits]:
        """Yield the splits of sets, a block of sets at a time."""
        if not self.tests:
            return
        per_split = max(self._values.shape[1], self.n_words)
        step = max(1, _CHUNK // max(len(self.tests) * per_split, self.n_groups))
        for start in range(0, len(words), step):
            members = unpack(words[start : start + step], self.n_groups).astype(float)
            left = self._left(members)
            right = (members @ self._values)[:, None, :] - left
            owner, test = np.nonzero(self._large_enough(left) & self._large_enough(right))
            sides = self._figures(left[owner, test]), self._figures(right[owner, test])
            yield Splits(owner + start, test, *sides)

    def _left(self, members: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each test leaves on the left of each set, shape (m, T, values)."""
        if self._product is not None:
            return (members @ self._product).reshape(len(members), len(self.tests), -1)
        amounts = members[:, None, :] * self._values.T
        left: NDArray[np.float64] = amounts.reshape(-1, self.n_groups) @ self._holds
        return np.asarray(left.reshape(len(members), -1, len(self.tests)).swapaxes(1, 2))


class GeneratedSuccessors(Successors):
    """The tests that the generator of a decision process offers in each state."""

    def __init__(self, mdp: TreeMDP) -> None:
        super().__init__(mdp.problem, mdp.weights, mdp.rows)
        self._mdp = mdp
        self._number: dict[Test, int] = {}

    def splits(self, words: Words, used: Words, depth: int) -> Iterator[Splits]:
        """Yield the splits of sets, one set at a time."""
        for position in range(len(words)):
            state = State(to_int(words[position]), depth, to_int(used[position]))
            found = list(self._mdp.splits(state))
            if found:
                test = np.array([self._numbered(split.test) for split in found])
                left = from_ints([split.left for split in found], self.n_words)
                right = from_ints([split.right for split in found], self.n_words)
                owner = np.full(len(found), position)
                yield Splits(owner, test, self.figures(left), self.figures(right))

    def _numbered(self, test: Test) -> int:
        number = self._number.get(test)
        if number is None:
            number = self._number[test] = len(self.tests)
            self.tests.append(test)
            self._masks.append(from_ints([self._mdp.left_mask(test)], self.n_words)[0])
        return number
