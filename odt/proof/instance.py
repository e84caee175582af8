"""A problem as the search for a proof sees it: groups of rows and chains of nested tests.

The units and the numbering are those of the format (docs/proofs.md). The checker works both out
anew from the raw rows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.model.problem import Problem
from odt.model.testset import given_chains, seen_by

Array = NDArray[Any]


class Instance:
    """Groups, chains and prices.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    codes : ndarray of int64, shape (G, n)
        For each chain and group the first test of the chain that holds.
    features : list of int
        Feature of each chain.
    weights : ndarray, shape (n, K)
        Weight units; of Python's integers where costs exceed 58 bits.
    counts : ndarray of int64, shape (n,)
        Examples of each group.
    base : ndarray, shape (n,)
        Weight that every tree misclassifies.
    depth : int
        Most tests on a path that are of use.
    infinite : int
        More than any cost.
    any_features : int
        Stands for no limit on the features of a path.
    order : ndarray of int64, shape (G, n)
        The groups as each chain sorts them.
    prices : ndarray, shape (6,)
        As `odt.proof.kernel.Sorted` has them.
    limited, pure : bool
        Whether leaves must be large, or without errors.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, limits, prices = problem, problem.limits, problem.costs.prices
        self.error, self.node = prices.errors, prices.nodes
        self.tests, self.explain = prices.tests, prices.explanation
        self.pure = limits.errors == 0
        self.leaf_count, self.leaf_weight = limits.leaf_rows, limits.leaf_weight
        self.limited = self.leaf_count > 1 or self.leaf_weight > 1
        self.weights: Array
        self.base: Array
        self._set_groups()
        self.depth = min(limits.useful_depth, len(self.weights) - 1)
        self.dearest = prices.tests * int(problem.dataset.cost_units.max(initial=0)) + self.explain
        total = problem.dataset.total_weight
        largest = problem.costs.upper + total * (1 + self.error + self.dearest * (self.depth + 1))
        largest += 2 * len(self.weights) * self.node
        self.type: Any = np.int64 if largest < 2**57 else object
        self.any_features = len(self.features) + 1
        self.infinite = 2**60 if largest < 2**57 else 2 ** (largest.bit_length() + 2)
        self.weights = self.weights.astype(self.type)
        self.base = self.base.astype(self.type)
        units = problem.dataset.cost_units.astype(self.type)
        self._units = units[np.array(self.features, dtype=np.int64)]
        self.order = np.argsort(self.codes, axis=1, kind="stable")
        self.coefficients = lru_cache(maxsize=4096)(self._coefficients)
        """What each chain's tests cost for a unit of weight, after some features, with some new
        ones allowed; -1 where none may be asked."""
        numbers = self.error, self.node, self.leaf_count, self.leaf_weight, self.pure, self.infinite
        self.prices = np.array([*map(int, numbers)], dtype=self.type)

    def _set_groups(self) -> None:
        problem, merged = self.problem, self.problem.dataset.merged
        codes: list[Array] = []
        self.features: list[int] = []
        given = problem.tests if problem.tests is not None and not problem.tests.complete else None
        for f in range(problem.dataset.n_features):
            column = merged.X[:, f]
            if given is None:
                cuts, sets = _all_tests(problem.dataset, f)
            else:
                own = [test for test in given if test.feature == f]
                cuts, sets = given_chains(own), [t.categories for t in own if not t.is_numeric]
            found = [np.searchsorted(at, seen_by(column, gaps_pass)) for gaps_pass, at in cuts]
            found += [1 - np.isin(column, chosen or ()).astype(np.int64) for chosen in sets]
            codes += found
            self.features += [f] * len(found)
        table = np.array(codes, dtype=np.int64).reshape(len(codes), len(merged.X))
        group_of = np.zeros(len(merged.X), dtype=np.int64)
        self.codes = np.zeros((0, 1), dtype=np.int64)
        if len(codes):
            self.codes, group_of = np.unique(table, axis=1, return_inverse=True)
        n = self.codes.shape[1]
        self.weights = np.zeros((n, merged.weights.shape[1]), dtype=np.int64)
        np.add.at(self.weights, group_of.reshape(-1), merged.weights)
        self.counts = np.zeros(n, dtype=np.int64)
        np.add.at(self.counts, group_of.reshape(-1), merged.rows)
        self.base = self.weights.sum(axis=1) - self.weights.max(axis=1)

    def _coefficients(self, used: int, new: int) -> Array:
        is_new = np.array([not used >> f & 1 for f in self.features], dtype=bool)
        prices = self.tests * self._units + self.explain * is_new.astype(self.type)
        return np.where(is_new & (new <= 0), -1, prices)

    def cheapest(self, used: int, new: int) -> int:
        """Return the least of `coefficients`; -1 if no test may be asked."""
        return min((int(p) for p in self.coefficients(used, new).tolist() if p >= 0), default=-1)

    def below(self, used: int, new: int, g: int) -> tuple[int, int]:
        """Return the features used, and the new ones allowed, after a test of a chain.

        Features are forgotten where the cost does not depend on them.
        """
        if not self.problem.costs.uses_explanation:
            return used, new
        feature = 1 << self.features[g]
        return used | feature, new - (
            not used & feature
        ) if self.problem.costs.prices.worst else new

    def leaves(self, weights: Array, counts: Array) -> Array:
        """Return the cost of a leaf for each set, from class weights (first axis: classes)."""
        total = weights.sum(axis=0)
        errors = total - weights.max(axis=0)
        refused = (counts < self.leaf_count) | (total < self.leaf_weight)
        if self.pure:
            refused |= errors > 0
        return np.where(refused, self.infinite, self.error * errors + self.node)

    def floors(self, sums: tuple[Array, ...], sizes: Array, depth: int, cheapest: Any) -> Array:
        """Return what every tree of each set costs; the trivial bounds of the format.

        Parameters
        ----------
        sums : tuple of ndarray
            Class weights (first axis: classes), contradictory weight and examples of each set.
        sizes : ndarray
            Groups of each set.
        depth : int
            Tests left.
        cheapest : int or ndarray
            What a unit of weight costs in a test at least; -1 where none may be asked.
        """
        weights, base, counts = sums
        leaf = self.leaves(weights, counts)
        if depth < 1:
            return leaf
        total, leaves = weights.sum(axis=0), 2
        if self.pure:
            leaves = np.maximum(2, (weights > 0).sum(axis=0)).astype(self.type)
        branch = self.error * base + self.node * (2 * leaves - 1) + cheapest * total
        refused = (sizes < 2) | (counts < self.leaf_count) | (total < self.leaf_weight)
        refused |= np.less(cheapest, 0)
        if self.pure:
            refused |= base > 0
        return np.minimum(leaf, np.where(refused, self.infinite, branch))


def _all_tests(dataset: Dataset, feature: int) -> tuple[list[tuple[bool, Array]], list[Any]]:
    """Return every cut of a feature, with whether gaps pass, and every set of its categories."""
    values = np.unique(dataset.X[:, feature])
    known = values[values != dataset.gap(feature)] if dataset.learns_gaps(feature) else values[:0]
    if dataset.kinds[feature] == "categorical":
        alone = [(value,) for value in values.tolist()]
        return [], alone + [(value, dataset.gap(feature)) for value in known.tolist()]
    cuts = (False, values[:-1]), (True, known[:-1])
    return [chain for chain in cuts if len(chain[1])], []
