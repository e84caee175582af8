"""The last test of a path, compiled: with one test left, both sides are leaves.

Most states of an exhaustive search have one test left. Their best test follows from one pass over
the examples per feature: class weights by bucket (an interval between candidate thresholds, or a
category), then running sums over the buckets.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry
from odt.engine.dp.chains import BestTest, Chains, members
from odt.engine.dp.depth_one_squares import SquaredDepthOne
from odt.model.problem import Problem

Array = NDArray[Any]
_LARGEST_COST = 2**62


class DepthOne:
    """Best single test of any set of groups of a compiled problem.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        compiled = problem.compiled
        self._chains = Chains.of(compiled, problem.dataset.merged.X[compiled.examples])
        self._weights, self._rows = compiled.weights, compiled.rows
        self._error, self._node = problem.costs.prices.errors, problem.costs.prices.nodes
        self._limits = (
            int(problem.limits.leaf_rows),
            problem.limits.leaf_weight,
            problem.limits.errors == 0,
        )

    @classmethod
    def build(cls, problem: Problem) -> Self | SquaredDepthOne | None:
        """Return the data; None where costs exceed the kernel's 64 bits or tests are unusual."""
        compiled, targets = problem.compiled, problem.dataset.targets
        joined = any(test.categories and len(test.categories) > 1 for test in compiled.tests)
        if joined or not compiled.tests:
            return None
        if targets is not None:
            return SquaredDepthOne(problem, targets)
        return None if problem.costs.upper >= _LARGEST_COST else cls(problem)

    def best(self, examples: int, prices: list[int]) -> BestTest | None:
        """Return the cheapest test for a set of groups; None if no test is allowed.

        Parameters
        ----------
        examples : int
            Bit mask of groups.
        prices : list of int
            Cost of asking each feature here, negative where it may not be asked.
        """
        chains, groups = self._chains, members(examples)
        cost, chain, cut = _best_test(
            groups, chains.buckets, chains.n_tests, chains.is_category, self._weights, self._rows,
            np.array(prices, dtype=np.int64)[chains.features], self._error, *self._limits,
        )  # fmt: skip
        if chain < 0:
            return None
        return BestTest(int(cost) + 2 * self._node, chains.tests[chain][cut])


@entry
def _best_test(
    groups: Array, buckets: Array, n_tests: Array, is_category: Array, weights: Array,
    rows: Array, prices: Array, error_price: int, min_rows: int, min_weight: int,
    must_be_pure: bool,
) -> tuple[Any, int, int]:  # fmt: skip
    n_classes = weights.shape[1]
    total = np.zeros(n_classes, dtype=np.int64)
    all_rows = 0
    for group in groups:
        all_rows += rows[group]
        for k in range(n_classes):
            total[k] += weights[group, k]
    all_weight = total.sum()
    left = np.zeros(n_classes, dtype=np.int64)
    by_bucket = np.zeros((n_tests.max() + 1, n_classes), dtype=np.int64)
    rows_by_bucket = np.zeros(n_tests.max() + 1, dtype=np.int64)
    best_cost, best_feature, best_cut = np.int64(2**63 - 1), -1, -1
    for feature in range(len(n_tests)):
        if prices[feature] < 0 or prices[feature] >= best_cost or n_tests[feature] == 0:
            continue
        by_bucket[: n_tests[feature]] = 0
        rows_by_bucket[: n_tests[feature]] = 0
        for group in groups:
            bucket = buckets[feature, group]
            rows_by_bucket[bucket] += rows[group]
            for k in range(n_classes):
                by_bucket[bucket, k] += weights[group, k]
        left[:] = 0
        left_rows = 0
        for cut in range(n_tests[feature]):
            if is_category[feature]:
                left[:] = 0
                left_rows = 0
            if rows_by_bucket[cut] == 0:
                continue
            left_rows += rows_by_bucket[cut]
            left_weight, left_most, right_most = 0, 0, 0
            for k in range(n_classes):
                left[k] += by_bucket[cut, k]
                left_weight += left[k]
                left_most = max(left_most, left[k])
                right_most = max(right_most, total[k] - left[k])
            if min(left_rows, all_rows - left_rows) < min_rows:
                continue
            if min(left_weight, all_weight - left_weight) < min_weight:
                continue
            errors = all_weight - left_most - right_most
            cost = prices[feature] + error_price * errors
            if cost < best_cost and not (must_be_pure and errors > 0):
                best_cost, best_feature, best_cut = cost, feature, cut
    return best_cost, best_feature, best_cut
