"""A problem over a fixed test set: groups of rows that no test can tell apart.

Answers are kept as bits, eight groups a byte, because the table of groups times tests is the
largest thing that most solvers need. Rows are grouped by the values of their features.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset, summed
from odt.errors import Stopped
from odt.model.testset import Test, TestSet, packed_bytes, seen_by

_MOST_CODES = 2**62
_TEST_BYTES = 400
"""Memory of one `Test` and what belongs to it."""


@dataclass(frozen=True, eq=False)
class Compiled:
    """Outcomes and class weights of the groups; the input of formulations and engines.

    Attributes
    ----------
    tests : tuple of Test
        The T candidate tests left after exact reductions.
    bits : ndarray of uint8, shape (T, ceil(G / 8))
        Answers of the groups to each test: bit ``g % 8`` of byte ``g // 8`` is 1 for yes (left).
    weights : ndarray of int64, shape (G, K)
        Weight units of each class in each group.
    rows : ndarray of int64, shape (G,)
        Number of examples of each group.
    examples : ndarray of intp, shape (G,)
        One row of ``dataset.merged`` in each group.
    features : ndarray of int64, shape (T,)
        Feature of each test.
    test_costs : ndarray of int64, shape (T,)
        Cost units of each test.
    moments : ndarray of int objects, shape (G, 3), or None
        Of the targets in each group (see `odt.data.targets.Targets`).
    """

    tests: tuple[Test, ...]
    bits: NDArray[np.uint8]
    weights: NDArray[np.int64]
    rows: NDArray[np.int64]
    examples: NDArray[np.intp]
    features: NDArray[np.int64]
    test_costs: NDArray[np.int64]
    moments: NDArray[np.object_] | None = None

    @cached_property
    def outcomes(self) -> NDArray[np.bool_]:
        """The same answers, one a byte: shape (G, T), eight times the memory of ``bits``."""
        dense = np.unpackbits(self.bits, axis=1, count=self.n_groups, bitorder="little")
        return dense.view(np.bool_).T

    @cached_property
    def base_errors(self) -> int:
        """Weight misclassified by every tree: all but the majority class of each group."""
        return int((self.weights.sum(axis=1) - self.weights.max(axis=1)).sum())

    @property
    def n_groups(self) -> int:
        """Number of groups G."""
        return len(self.weights)

    @property
    def n_tests(self) -> int:
        """Number of tests T."""
        return len(self.tests)

    @staticmethod
    def table_bytes(n_rows: int, n_tests: int) -> int:
        """Return about how much memory it takes to compile, from sizes alone."""
        return n_tests * (2 * packed_bytes(n_rows) + _TEST_BYTES)


class Representatives(Enum):
    """Which of several tests that split the rows in the same way are kept."""

    ONE = "the first"
    ONE_PER_FEATURE = "the first of each feature"
    ALL = "all"


def compile_tests(
    dataset: Dataset,
    tests: TestSet,
    keep: Representatives,
    stop: Callable[[], bool] = lambda: False,
) -> Compiled:
    """Group the rows by their answers and drop tests that no optimal tree needs.

    Three reductions: a test that all rows answer alike is dropped; of several tests that split
    the rows in the same way, up to swapping the sides, some are; rows with equal answers become
    one group. The first and the last are exact for every objective and limit of `Problem`.

    Parameters
    ----------
    dataset : Dataset
    tests : TestSet
    keep : Representatives
        ONE is exact unless it matters which feature is asked (explanation size, test costs,
        limits on features), ONE_PER_FEATURE unless it matters where in the tree (forced tests).
    stop : callable, optional
        Polled; `odt.errors.Stopped` is raised when it says True.
    """
    merged = dataset.merged
    first, group_of = _groups(merged.X, tests, stop)
    bits = tests.packed(merged.X[first], stop)
    chosen = _distinct(tests, bits, len(first), keep, stop)
    weights = np.zeros((len(first), dataset.n_classes), dtype=np.int64)
    np.add.at(weights, group_of, merged.weights)
    rows = np.zeros(len(first), dtype=np.int64)
    np.add.at(rows, group_of, merged.rows)
    features = np.array([tests.tests[t].feature for t in chosen], dtype=np.int64)
    return Compiled(
        tests=tuple(tests.tests[t] for t in chosen),
        bits=bits if len(chosen) == len(bits) else bits[chosen],
        weights=weights,
        rows=rows,
        examples=first,
        features=features,
        test_costs=dataset.cost_units[features],
        moments=None if merged.moments is None else summed(merged.moments, group_of, len(first)),
    )


def _groups(
    X: NDArray[np.float64], tests: TestSet, stop: Callable[[], bool]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first row of each group, and the group of each row.

    The groups are in the lexicographic order of their answers, feature by feature.
    """
    parts = by_feature(tests)
    if not parts:
        return np.zeros(1, dtype=np.intp), np.zeros(len(X), dtype=np.intp)
    codes = np.column_stack([answer_codes(X[:, f], own, stop) for f, own in parts.items()])
    _, first, group_of = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return first, group_of.reshape(-1)


def by_feature(tests: TestSet) -> dict[int, list[Test]]:
    """Return the tests of each feature, in their order."""
    parts: dict[int, list[Test]] = {}
    for test in tests:
        parts.setdefault(test.feature, []).append(test)
    return parts


def answer_codes(
    column: NDArray[np.float64], tests: list[Test], stop: Callable[[], bool]
) -> NDArray[np.int64]:
    """Number the values of one feature: equal numbers for equal answers to its tests.

    Parameters
    ----------
    column : ndarray of float64, shape (n,)
        Values of the feature.
    tests : list of Test
        All of that feature.
    stop : callable
        Polled; `odt.errors.Stopped` is raised when it says True.
    """
    values, where = np.unique(column, return_inverse=True)
    codes = -_rank(values, tests, gaps_pass=False)  # more yes, larger
    if any(test.missing_left for test in tests):
        among = _rank(values, tests, gaps_pass=True)
        codes = codes * (among.max() + 1) - among
    for test in tests:
        if test.threshold is None:
            Stopped.poll(stop)
            if codes.max() - codes.min() >= _MOST_CODES // 2:
                codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
            codes = 2 * codes + np.isin(values, test.categories or ())
    return codes[where.reshape(-1)]


def _rank(values: NDArray[np.float64], tests: list[Test], *, gaps_pass: bool) -> NDArray[np.int64]:
    """Return how many thresholds of one chain each value exceeds."""
    thresholds = np.unique(
        [t.threshold for t in tests if t.is_numeric and t.missing_left is gaps_pass]
    )
    return np.searchsorted(thresholds, seen_by(values, gaps_pass)).astype(np.int64)


def _distinct(
    tests: TestSet,
    bits: NDArray[np.uint8],
    n_groups: int,
    keep: Representatives,
    stop: Callable[[], bool],
) -> list[int]:
    """Return the tests that separate something, one of those that split alike."""
    everyone = np.packbits(np.ones(n_groups, dtype=bool), bitorder="little")
    kept: dict[Hashable, list[int]] = {}
    chosen: list[int] = []
    for t, (test, own) in enumerate(zip(tests, bits, strict=True)):
        if t % 1024 == 0 and stop():
            raise Stopped
        side = own if own[0] & 1 else own ^ everyone  # up to the sides: the first group says yes
        if np.array_equal(side, everyone):
            continue
        owner = {
            Representatives.ONE: None,
            Representatives.ONE_PER_FEATURE: test.feature,
            Representatives.ALL: test,
        }[keep]
        alike = kept.setdefault((owner, hash(side.tobytes())), [])
        if not any(_split_alike(bits[other], own, everyone) for other in alike):
            alike.append(t)
            chosen.append(t)
    return chosen


def _split_alike(
    one: NDArray[np.uint8], other: NDArray[np.uint8], everyone: NDArray[np.uint8]
) -> bool:
    return np.array_equal(one, other) or np.array_equal(one ^ other, everyone)
