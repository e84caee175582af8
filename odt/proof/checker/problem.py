"""Objective, limits and tests of a proof in integers, and what its tree costs."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rows import Rows, fraction, need

Array = NDArray[Any]
LARGEST = 1 << 27
"""Numbers that an array of the checker may hold; a larger problem is refused."""
AMOUNTS = ("error", "size", "depth", "expected_tests", "explanation_size", "worst_explanation_size")


class Problem:
    """Objective, limits and tests in integers.

    Rows that no test tells apart form one group. The tests are chains: those of a chain hold for
    ever more groups. ``codes[g]`` is the first test of chain g that holds for each group.
    """

    def __init__(self, header: dict[str, Any], rows: Rows) -> None:
        self.rows, limits = rows, header["limits"]
        self.total = sum(rows.weights)
        for name in ("max_depth", "max_nodes", "max_features"):
            need(limits[name] is None or type(limits[name]) is int, f"{name} is no number")
        self.max_depth: int | None = limits["max_depth"]
        self.max_nodes: int | None = limits["max_nodes"]
        self.max_features: int | None = limits["max_features"]
        share = limits["max_error"]
        self.max_errors = None if share is None else floor(fraction(share) * self.total)
        self.pure = self.max_errors == 0
        self.leaf_rows = int(limits["min_samples_leaf"])
        self.leaf_weight = ceil(fraction(limits["min_weight_leaf"]) / rows.weight_unit)
        self.limited = self.leaf_rows > 1 or self.leaf_weight > 1
        self._set_chains(header["tests"])
        self._set_depth()
        self._set_prices(header)
        self._set_groups()

    def _set_chains(self, tests: list[Any] | None) -> None:
        X, codes, features = self.rows.X, [], []
        for f in range(X.shape[1]):
            given = None if tests is None else [test[1:] for test in tests if test[0] == f]
            found = self._chains(f, given)
            codes += found
            features += [f] * len(found)
            need(len(codes) * len(X) <= LARGEST, "too many tests of too many rows")
        table = np.array(codes, dtype=np.int64).reshape(len(codes), len(X))
        columns, group_of = np.unique(table, axis=1, return_inverse=True)
        self.group_of = group_of.reshape(-1) if len(codes) else np.zeros(len(X), dtype=np.int64)
        self.codes = columns if len(codes) else np.zeros((0, 1), dtype=np.int64)
        self.features = np.array(features, dtype=np.int64)

    def _chains(self, feature: int, given: list[Any] | None) -> list[Array]:
        """Return for each chain of a feature the first test that holds for each row.

        Thresholds that a missing number fails, thresholds that it passes, sets of categories. That
        a gap goes left alone is no test: to ask whether the number is known does the same.
        """
        column, gap = self.rows.X[:, feature], self.rows.gaps[feature]
        values = np.unique(column)
        known = values if gap is None else values[values != gap]
        sets: list[list[Any]] = []
        if given is not None:
            sets = [test[0] for test in given if isinstance(test[0], list)]
            numbers = [test for test in given if not isinstance(test[0], list)]
            cuts = [np.unique([t[0] for t in numbers if (True in t[1:]) == up]) for up in (0, 1)]
        elif self.rows.kinds[feature] == "categorical":
            sets = [[value] for value in values.tolist()]
            sets += [[value, gap] for value in known.tolist()] if gap is not None else []
            cuts = [values[:0], values[:0]]
        else:
            cuts = [values[:-1], known[:0] if gap is None else known[:-1]]
        seen = column, np.where(column == np.inf, -np.inf, column)
        found = [np.searchsorted(c, x) for c, x in zip(cuts, seen, strict=True) if len(c)]
        need((len(found) + len(sets)) * len(column) <= LARGEST, "too many tests of too many rows")
        return found + [1 - np.isin(column, chosen).astype(np.int64) for chosen in sets]

    def _set_depth(self) -> None:
        """No tree needs more tests on a path than it takes to separate all groups."""
        limits = [self.codes.shape[1] - 1]
        limits += [] if self.max_depth is None else [self.max_depth]
        limits += [] if self.max_nodes is None else [(self.max_nodes - 1) // 2]
        self.depth = min(limits)
        need(self.depth >= 0, "a negative limit")

    def _set_prices(self, header: dict[str, Any]) -> None:
        """Make one integer cost of the objective; the levels are its digits."""
        p, depth, costs = self.rows.X.shape[1], self.depth, self.rows.costs
        n_groups = self.codes.shape[1]
        branches = min(n_groups - 1, 2**depth - 1)  # of the trees that the claim is about
        if self.max_nodes is not None:
            branches = min(branches, (self.max_nodes - 1) // 2)
        most = (
            self.total, 2 * branches + 1, depth, self.total * depth * max(costs, default=0),
            self.total * min(depth, p), min(depth, p),
        )  # fmt: skip
        mean = Fraction(1, self.total)
        worth = (mean, Fraction(1), Fraction(1), mean * self.rows.cost_unit, mean, Fraction(1))
        self.levels, self.steps = [], []
        for terms in header["objective"]:
            given = {AMOUNTS.index(name): fraction(factor) for name, factor in terms}
            need(len(given) == len(terms) and min(given.values()) > 0, "a strange objective")
            price = [given.get(i, Fraction(0)) * worth[i] for i in range(6)]
            whole = lcm(*(v.denominator for v in price))
            numbers = [int(v * whole) for v in price]
            self.levels.append([v // gcd(*numbers) for v in numbers])
            self.steps.append(Fraction(gcd(*numbers), whole))
        self.radices = [int(r) for r in header["radices"]]
        need(len(self.radices) == len(self.levels) and self.radices[-1] == 1, "strange radices")
        room = 0
        for level, radix in zip(reversed(self.levels), reversed(self.radices), strict=True):
            need(radix > room, "the levels of the objective overlap")
            room += radix * sum(a * b for a, b in zip(level, most, strict=True))
        self.prices = [self.as_one(column) for column in zip(*self.levels, strict=True)]
        self.error, self.node, self.deep, self.tests, self.explain, self.worst = self.prices
        self.explains, self.n_features = self.explain > 0 or self.worst > 0, p
        self.dearest = self.tests * max(costs, default=0) + self.explain
        by_weight = 1 + self.error + self.dearest * (depth + 1)
        self._set_type(room + self.total * by_weight + 2 * n_groups * self.node)

    def _set_type(self, largest: int) -> None:
        """Take machine integers only where nothing can overflow."""
        small = largest < 2**58
        self.type: Any = np.int64 if small else object
        self.infinite = 2**60 if small else 2 ** (largest.bit_length() + 2)
        size = self.rows.n_classes * max(self.codes.size, self.codes.shape[1])
        size *= 1 if small else 8 + largest.bit_length() // 64
        need(size <= LARGEST, "a problem too large for the checker")

    def as_one(self, numbers: Any) -> int:
        """Return the number whose digits are those of the levels."""
        return sum(r * int(v) for r, v in zip(self.radices, numbers, strict=True))

    def values(self, cost: int) -> tuple[Fraction, ...]:
        """Return a cost in the units of the objective."""
        found = []
        for radix, step in zip(self.radices, self.steps, strict=True):
            digit, cost = divmod(cost, radix)
            found.append(digit * step)
        return tuple(found)

    def _set_groups(self) -> None:
        n = self.codes.shape[1]
        self.weights = np.zeros((self.rows.n_classes, n), dtype=self.type)
        given = np.array(self.rows.weights, dtype=self.type)
        np.add.at(self.weights, (self.rows.y, self.group_of), given)
        self.counts = np.bincount(self.group_of, minlength=n)
        self.base = self.weights.sum(axis=0) - self.weights.max(axis=0)
        self.order = np.argsort(self.codes, axis=1, kind="stable")
        self._units = np.array(self.rows.costs, dtype=self.type)[self.features]
        self.prices_by_weight = lru_cache(maxsize=4096)(self._prices_by_weight)

    # ---- what states cost -----------------------------------------------------------------

    def _prices_by_weight(self, used: int, new: int) -> Array:
        """Return what the tests of each chain cost for one unit of weight; -1: not to be asked.

        The node comes on top. ``used`` are the features asked before, ``new`` how many more may be.
        """
        is_new = np.array([not used >> int(f) & 1 for f in self.features], dtype=bool)
        prices = self.tests * self._units + self.explain * is_new.astype(self.type)
        return np.where(is_new & (new <= 0), -1, prices)

    def below(self, used: int, new: int, chain: int) -> tuple[int, int]:
        """Return the features used, and how many new ones may be, after a test of a chain.

        Neither is counted where no cost depends on it, so that no test is ruled out there.
        """
        if not self.explains:
            return used, new
        feature = 1 << int(self.features[chain])
        return used | feature, new - (not used & feature) if self.worst else new

    def too_small(self, weight: Array, count: Array) -> Array:
        """Say whether sets are too small for a leaf."""
        return np.asarray((count < self.leaf_rows) | (weight < self.leaf_weight))

    def leaves(self, weights: Array, counts: Array) -> Array:
        """Return what a leaf of each set costs, from class weights (axis 0: classes) and rows."""
        total = weights.sum(axis=0)
        errors = total - weights.max(axis=0)
        refused = self.too_small(total, counts) | (self.pure & (errors > 0))
        return np.where(refused, self.infinite, self.error * errors + self.node)

    def floors(self, sums: Any, sizes: Array, depth: int, cheapest: Any) -> Array:
        """Return what every tree of each set costs.

        ``sums`` are the class weights (axis 0: classes), the weight that every tree gets wrong, and
        the rows of each set; ``sizes`` its groups, ``cheapest`` the least price of a test by
        weight, -1 if none may be asked.
        """
        weights, base, counts = sums
        leaf, total, leaves = self.leaves(weights, counts), weights.sum(axis=0), 2
        if self.pure:
            leaves = np.maximum(2, (weights > 0).sum(axis=0)).astype(self.type)
        branch = self.error * base + self.node * (2 * leaves - 1) + cheapest * total
        refused = self.too_small(total, counts) | (self.pure & (base > 0))
        refused |= (sizes < 2) | (depth < 1) | np.less(cheapest, 0)
        return np.minimum(leaf, np.where(refused, self.infinite, branch))

    # ---- the tree -------------------------------------------------------------------------

    def evaluate(self, nodes: list[Any]) -> int:
        """Return the cost of a tree in preorder on the raw rows; refuse one that breaks a limit."""
        sums, features = [0] * 6, set()
        columns: list[Any] = [(np.arange(len(self.rows.y)), 0, 0, frozenset())]
        for node in nodes:
            need(columns, "the tree has a stray node")
            inside, depth, price, used = columns.pop()
            weight = sum(self.rows.weights[i] for i in inside)
            sums[1] += 1
            if isinstance(node, list):
                yes = self._answers(*node)[inside]
                below = (depth + 1, price + self.rows.costs[node[0]], used | {node[0]})
                columns += [(inside[~yes], *below), (inside[yes], *below)]
                features.add(node[0])
                continue
            need(isinstance(node, int) and 0 <= node < self.rows.n_classes, "a strange leaf")
            small = len(inside) < self.leaf_rows or weight < self.leaf_weight
            need(not small, "the tree has a leaf that is too small")
            sums[0] += sum(self.rows.weights[i] for i in inside if self.rows.y[i] != node)
            sums[2], sums[5] = max(sums[2], depth), max(sums[5], len(used) if len(inside) else 0)
            sums[3] += weight * price
            sums[4] += weight * len(used)
        need(not columns, "the tree misses nodes")
        limits = (
            (sums[2], self.max_depth), (sums[1], self.max_nodes), (sums[0], self.max_errors),
            (len(features), self.max_features),
        )  # fmt: skip
        need(
            all(limit is None or value <= limit for value, limit in limits),
            "the tree breaks a limit",
        )
        return sum(a * b for a, b in zip(sums, self.prices, strict=True))

    def _answers(self, feature: int, test: Any, gaps_pass: bool = False) -> Array:
        """Return which rows answer yes; refuse what splits them as no candidate does."""
        need(0 <= feature < self.rows.X.shape[1], "the tree asks a feature that does not exist")
        values = self.rows.X[:, feature]
        yes = np.isin(values, test) if isinstance(test, list) else values <= test
        yes |= (values == np.inf) & gaps_pass
        if yes.any() and not yes.all():
            codes = self.codes[self.features == feature][:, self.group_of]
            inside, outside = codes[:, yes], codes[:, ~yes]
            same = (inside.max(axis=1) < outside.min(axis=1)) | (
                outside.max(axis=1) < inside.min(axis=1)
            )
            need(same.any(), "the tree asks something that is no candidate")
        return np.asarray(yes)
