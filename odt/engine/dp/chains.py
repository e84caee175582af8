"""The tests of a compiled problem by feature, so that one pass answers all of a feature."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from odt.model.compiled import Compiled
from odt.model.testset import Test, seen_by


class BestTest(NamedTuple):
    """A test and the cost of its branch with two leaves."""

    cost: int
    test: Test


def members(examples: int) -> NDArray[np.intp]:
    """Return the numbers of the groups in a bit mask."""
    size = (examples.bit_length() + 7) // 8
    bits = np.frombuffer(examples.to_bytes(size, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little"))


@dataclass(frozen=True, eq=False)
class Chains:
    """Thresholds of a numeric feature in order, or all single categories of one.

    Attributes
    ----------
    tests : list of list of Test
    features : ndarray of int64, shape (chains,)
    buckets : ndarray of int64, shape (chains, G)
        First test of the chain that holds for a group; their number if none.
    n_tests : ndarray of int64, shape (chains,)
    is_category : ndarray of bool, shape (chains,)
    """

    tests: list[list[Test]]
    features: NDArray[np.int64]
    buckets: NDArray[np.int64]
    n_tests: NDArray[np.int64]
    is_category: NDArray[np.bool_]

    @classmethod
    def of(cls, compiled: Compiled, X: NDArray[np.float64]) -> Self:
        """Return the chains of compiled tests, none of which is on several categories.

        Parameters
        ----------
        compiled : Compiled
        X : ndarray of float64, shape (G, p)
            A row of each group.
        """
        tests = _by_chain(compiled)
        return cls(
            tests,
            np.array([own[0].feature for own in tests], dtype=np.int64),
            np.array([_buckets(X, own) for own in tests]),
            np.array([len(own) for own in tests], dtype=np.int64),
            np.array([own[0].categories is not None for own in tests]),
        )

    @property
    def is_test(self) -> NDArray[np.bool_]:
        """Which positions are tests, shape (chains, longest chain)."""
        return np.arange(self.n_tests.max()) < self.n_tests[:, None]

    def passing(self, groups: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[Any]:
        """Return the sums of the values of the groups that pass each test.

        Parameters
        ----------
        groups : ndarray of intp
        values : ndarray of float64
            One for each of ``groups``.
        """
        n_chains, width = len(self.tests), int(self.n_tests.max()) + 1
        places = self.buckets[:, groups] + width * np.arange(n_chains)[:, None]
        repeated = np.broadcast_to(values, places.shape).ravel()
        sums = np.bincount(places.ravel(), repeated, n_chains * width).reshape(n_chains, width)
        sums[~self.is_category] = sums[~self.is_category].cumsum(axis=1)
        return sums[:, :-1]

    def holds(self, groups: NDArray[np.intp], chain: int, cut: int) -> NDArray[np.bool_]:
        """Say which groups pass a test."""
        bucket = self.buckets[chain, groups]
        return np.asarray(bucket == cut if self.is_category[chain] else bucket <= cut)


def _by_chain(compiled: Compiled) -> list[list[Test]]:
    """Return the tests of each numeric chain, and all single categories of each feature."""
    tests: dict[Hashable, list[Test]] = {}
    for test in compiled.tests:
        tests.setdefault((test.feature, test.is_numeric, test.missing_left), []).append(test)
    return [
        sorted(own, key=lambda t: (t.threshold or 0.0, t.categories or ()))
        for own in tests.values()
    ]


def _buckets(X: NDArray[np.float64], tests: list[Test]) -> NDArray[np.int64]:
    """Position of the first test in order that holds for each row; their number if none."""
    if tests[0].is_numeric:
        thresholds = np.array([test.threshold for test in tests])
        seen = seen_by(X[:, tests[0].feature], tests[0].missing_left)
        return np.searchsorted(thresholds, seen).astype(np.int64)
    buckets = np.full(len(X), len(tests), dtype=np.int64)
    for position, test in reversed(list(enumerate(tests))):
        buckets[test.holds(X)] = position
    return buckets
