"""The search over tests of two-valued columns, those of the root on several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.core.run import Run
from odt.engine.branch_and_bound.frame import WEIGHT, Table
from odt.engine.branch_and_bound.packs import Entries, Pack
from odt.engine.branch_and_bound.pairs import Prices, best_low_tree, count_pairs
from odt.engine.branch_and_bound.queue import INFINITE

Array = NDArray[Any]
BATCH = 2
LARGEST_WEIGHT = 1 << 31
KERNEL_DEPTH = 3


def suits_pairs(table: Table) -> bool:
    """Say whether tables of pair counts can solve a problem: two values, errors and nodes only."""
    two_valued = len(table.rank) > 0 and int(table.rank.max()) <= 1
    unpriced = not table.column[:, 1:].any()
    light = int(table.row[:, WEIGHT].sum()) < LARGEST_WEIGHT
    return two_valued and unpriced and light and not table.min_count and not table.min_weight


class Found(NamedTuple):
    """Lower bound of all trees on a set of rows, cost of the best one, its tests.

    The cost is that of no tree if it is not below what was wanted.
    """

    bound: int
    cost: int
    plan: Array


class BinarySearch:
    """Best tree of a depth of at least 2 that costs less than a known one.

    The same attributes and methods as `RootSearch`; an interval is a root test.
    """

    def __init__(
        self, table: Table, run: Run, cutoff: int, report: Callable[[BinarySearch], None]
    ) -> None:
        self.run, self.cost, self._report = run, cutoff, report
        self.prices = Prices(table.error_price, table.node_price)
        self.entries = Entries.of(table)
        self.everything = np.arange(len(self.entries.segment))
        self.pack = self.entries.pack(self.everything)
        self.plan: Array | None = None
        self.depth, self.bound, self.intervals = 0, 0, 0
        literals = 2 * len(table.rank)
        self._seen = np.full((literals, literals), -1, dtype=np.int64)
        self._stop = np.zeros(1, dtype=np.uint8)
        self._pool = ThreadPoolExecutor(run.n_threads) if run.n_threads > 1 else None

    def depth_two(self) -> bool:
        """Search the trees of depth two; return whether the search came to its end."""
        return self._at_once(2)

    def deeper(self, depth: int, leaf: int) -> bool:
        """Search the trees of a depth of at least 3; return whether the search came to its end.

        Parameters
        ----------
        depth : int
        leaf : int
            Cost of a lone leaf.
        """
        if not self._at_once(KERNEL_DEPTH) or depth == KERNEL_DEPTH:
            return not self._stop[0]
        self.depth, self.bound = depth, 0
        sides = _Sides(self.pack, self.prices)
        for start in range(0, len(self.pack.column), BATCH):
            batch = range(start, min(start + BATCH, len(self.pack.column)))
            results = self._evaluate(sides, depth, batch)
            if self._stop[0]:
                return False
            for f, (low, high, found) in zip(batch, results, strict=True):
                sides.known[:, f] = low, high
                self._accept(found.cost, found.plan)
            self.intervals += len(batch)
            passing, failing = sides.bounds(slice(None))
            least = self.prices.node + int((passing + failing).min())
            self.bound = max(self.bound, min(self.cost, leaf, least))
            self._report(self)
        self.bound = self.cost
        return True

    def _evaluate(self, sides: _Sides, depth: int, batch: range) -> list[tuple[int, int, Found]]:
        """Search the trees with some root tests, all with the same cutoff."""
        cutoff = self.cost

        def one(task: tuple[int, ...]) -> tuple[int, int, Found]:
            f, low, high = task
            return self._split(self.pack, self.everything, depth, cutoff, f, low, high)

        tasks = [(f, *map(int, sides.bounds(f))) for f in batch]
        run_all = map if self._pool is None else self._pool.map
        return self.run.call(lambda: list(run_all(one, tasks)), lambda: self._stop.fill(1))

    def _at_once(self, depth: int) -> bool:
        self.depth = depth
        found = self.run.call(
            lambda: self._low(self.pack, depth, self.cost, -1), lambda: self._stop.fill(1)
        )
        if not self._stop[0]:
            self._accept(found.cost, found.plan)
            self.bound = self.cost
        return not self._stop[0]

    def _tree(self, inside: Array, depth: int, cutoff: int, literal: int) -> Found:
        """Search the trees of a depth of at least 3 on some entries."""
        pack = self.entries.pack(inside)
        if depth <= KERNEL_DEPTH:
            return self._low(pack, depth, cutoff, literal)
        best = self._leaf(pack, depth)
        if best.cost == self.prices.node:
            return best
        sides = _Sides(pack, self.prices)
        for f in range(len(pack.column)):
            low, high = map(int, sides.bounds(f))
            goal = min(cutoff, best.cost)
            low, high, found = self._split(pack, inside, depth, goal, f, low, high)
            sides.known[:, f] = low, high
            bound = min(best.bound, self.prices.node + low + high)
            best = found._replace(bound=bound) if found.cost < goal else best._replace(bound=bound)
        return best

    def _split(
        self, pack: Pack, inside: Array, depth: int, cutoff: int, f: int, low: int, high: int
    ) -> tuple[int, int, Found]:
        """Search the trees with a first test; return the bounds of both sides and the best."""
        nothing = Found(0, INFINITE, _leaf_plan(depth))
        node, column = self.prices.node, int(pack.column[f])
        if node + low + high >= cutoff or self._stop[0]:
            return low, high, nothing
        passes = self.entries.yes[inside, column] != 0
        yes, no = (2 * column + 1, 2 * column) if pack is self.pack else (-1, -1)
        left = self._tree(inside[passes], depth - 1, cutoff - node - high, yes)
        low = max(low, left.bound)
        if node + low + high >= cutoff:
            return low, high, nothing
        right = self._tree(inside[~passes], depth - 1, cutoff - node - low, no)
        high = max(high, right.bound)
        plan = np.concatenate([[[column, 0]], left.plan, right.plan])
        return low, high, Found(0, node + left.cost + right.cost, plan)

    def _low(self, pack: Pack, depth: int, cutoff: int, literal: int) -> Found:
        """Search the trees of a depth of 2 or 3."""
        leaf = self._leaf(pack, depth)
        if leaf.cost == self.prices.node or not len(pack.column):
            return leaf
        bound, cost = best_low_tree(
            pack, self.prices, depth, cutoff, literal, self._seen, self._stop, leaf.plan
        )
        return Found(bound, cost, leaf.plan)

    def _leaf(self, pack: Pack, depth: int) -> Found:
        errors = int(pack.total.sum() - pack.total.max())
        cost = self.prices.error * errors + self.prices.node
        return Found(cost, cost, _leaf_plan(depth))

    def _accept(self, cost: int, plan: Array) -> None:
        if cost < self.cost:
            self.cost, self.plan = cost, plan.copy()


class _Sides:
    """What is known of the sides of the columns of a set of rows.

    Attributes
    ----------
    known : int64 (2, p)
        Lower bounds of the trees of the rows that pass and that fail each column.
    """

    def __init__(self, pack: Pack, prices: Prices) -> None:
        p = len(pack.column)
        whole = np.triu(count_pairs(pack)[:, :, :p].sum(axis=0, dtype=np.int64))
        self._both = whole + np.triu(whole, 1).T
        self._mass, self._weight = self._both.diagonal(), int(pack.total.sum())
        self._price = prices.error
        self.known = np.full((2, p), prices.node)

    def bounds(self, f: int | slice) -> tuple[Array, Array]:
        """Lower bounds of both sides of a column, or of several, from those of the others.

        What leaves a set takes at most its own weight of errors with it.
        """
        both, mass, (passing, failing) = self._both[f], self._mass, self.known
        mine, weight, price = mass[f][..., None], self._weight, self._price
        left = np.maximum(
            passing - price * (mass - both), failing - price * (weight - mass - mine + both)
        )
        right = np.maximum(passing - price * both, failing - price * (mine - both))
        return left.max(axis=-1), right.max(axis=-1)


def _leaf_plan(depth: int) -> Array:
    plan = np.zeros(((1 << (depth - 1)) - 1, 2), dtype=np.int64)
    plan[:, 0] = -1
    return plan
