"""A problem over a fixed test set: groups of rows that no test can tell apart."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.model.testset import Test, TestSet


@dataclass(frozen=True, eq=False)
class Compiled:
    """Outcome matrix and class weights of the groups; the input of formulations and engines.

    Attributes
    ----------
    tests : tuple of Test
        The T candidate tests left after exact reductions.
    outcomes : ndarray of bool, shape (G, T)
        Answers of each group of rows, True meaning yes (left).
    weights : ndarray of int64, shape (G, K)
        Weight units of each class in each group.
    rows : ndarray of int64, shape (G,)
        Number of examples of each group.
    features : ndarray of int64, shape (T,)
        Feature of each test.
    test_costs : ndarray of int64, shape (T,)
        Cost units of each test.
    """

    tests: tuple[Test, ...]
    outcomes: NDArray[np.bool_]
    weights: NDArray[np.int64]
    rows: NDArray[np.int64]
    features: NDArray[np.int64]
    test_costs: NDArray[np.int64]

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


class Keep(Enum):
    """Which of several tests that split the rows in the same way are kept."""

    ONE = "the first"
    ONE_PER_FEATURE = "the first of each feature"
    ALL = "all"


def compile_tests(dataset: Dataset, tests: TestSet, keep: Keep) -> Compiled:
    """Group the rows by their answers and drop tests that no optimal tree needs.

    Three reductions: a test that all rows answer alike is dropped; of several tests that split
    the rows in the same way, up to swapping the sides, some are; rows with equal answers become
    one group. The first and the last are exact for every objective and limit of `Problem`.

    Parameters
    ----------
    dataset : Dataset
    tests : TestSet
    keep : Keep
        ONE is exact unless it matters which feature is asked (explanation size, test costs,
        limits on features), ONE_PER_FEATURE unless it matters where in the tree (forced tests).
    """
    merged = dataset.merged
    answers = tests.outcomes(merged.X)
    n_yes = answers.sum(axis=0)
    alike = np.packbits(answers ^ ~answers[:1], axis=0).T  # up to the sides: the first row says yes
    kept: dict[Hashable, int] = {}
    for t in np.flatnonzero((n_yes > 0) & (n_yes < len(answers))).tolist():
        test = tests.tests[t]
        owner = {Keep.ONE: None, Keep.ONE_PER_FEATURE: test.feature, Keep.ALL: test}[keep]
        kept.setdefault((owner, alike[t].tobytes()), t)
    chosen = list(kept.values())
    groups, group_of = _distinct_rows(answers[:, chosen])
    weights = np.zeros((len(groups), dataset.n_classes), dtype=np.int64)
    np.add.at(weights, group_of, merged.weights)
    rows = np.zeros(len(groups), dtype=np.int64)
    np.add.at(rows, group_of, merged.rows)
    features = np.array([tests.tests[t].feature for t in chosen], dtype=np.int64)
    return Compiled(
        tests=tuple(tests.tests[t] for t in chosen),
        outcomes=groups,
        weights=weights,
        rows=rows,
        features=features,
        test_costs=dataset.cost_units[features],
    )


def _distinct_rows(answers: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return the distinct rows in lexicographic order, and the one of each row."""
    if answers.shape[1] == 0:
        return answers[:1], np.zeros(len(answers), dtype=np.int64)
    bits = np.packbits(answers, axis=1)
    _, first, row_of = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    return answers[first], row_of.reshape(-1)
