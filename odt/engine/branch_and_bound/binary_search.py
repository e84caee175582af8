"""The search over root tests of two-valued columns, on several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.core.run import Run
from odt.engine.branch_and_bound.frame import Table
from odt.engine.branch_and_bound.pairs import (
    add_classes,
    best_binary_tree,
    bound_sides,
    class_weights,
    count_pairs,
    make_answers,
    open_bound,
    order_columns,
    pack_rows,
    pack_side,
)

Array = NDArray[Any]
BATCH = 2


def suits_pairs(table: Table) -> bool:
    """Say whether tables of pair counts can solve a problem: two values, errors and nodes only."""
    two_valued = len(table.rank) > 0 and int(table.rank.max()) <= 1
    unpriced = not table.column[:, 1:].any()
    return two_valued and unpriced and not table.min_count and not table.min_weight


class BinarySearch:
    """Best tree of a depth of at least 2 that costs less than a known one.

    The same attributes and methods as `RootSearch`; an interval is a root test.
    """

    def __init__(
        self, table: Table, run: Run, cutoff: int, report: Callable[[BinarySearch], None]
    ) -> None:
        self.run, self.cost, self._report = run, cutoff, report
        self.answers, row, first = make_answers(table)
        self.pack = pack_rows(self.answers, row, first, np.arange(len(table.rank)))
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
        if not self._at_once(3) or depth == 3:
            return not self._stop[0]
        self.depth, self.bound = depth, 0
        total = class_weights(self.answers, self.pack)
        p, weight = len(self.pack.column), int(total.sum())
        pairs = np.empty((self.answers.classes, p, p), dtype=np.int64)
        count_pairs(self.answers, self.pack, -1, pairs)
        together = add_classes(pairs)
        known, solved = np.zeros((2, p), dtype=np.int64), np.zeros(p, dtype=np.uint8)
        order = order_columns(self.answers, pairs, total)
        for start in range(0, p, BATCH):
            batch = order[start : start + BATCH].tolist()
            sides = [bound_sides(self.answers, together, weight, known, solved, f) for f in batch]
            results = self._evaluate(batch, sides, depth)
            if self._stop[0]:
                return False
            for f, (bounds, cost, plan) in zip(batch, results, strict=True):
                known[:, f], solved[f] = bounds, 1
                self._accept(cost, plan)
            self.intervals += len(batch)
            least = open_bound(self.answers, together, weight, known, solved)
            self.bound = max(self.bound, min(self.cost, leaf, least))
            self._report(self)
        self.bound = self.cost
        return True

    def _at_once(self, depth: int) -> bool:
        self.depth, plan = depth, np.empty(((1 << (depth - 1)) - 1, 2), dtype=np.int64)
        _, value = self.run.call(
            lambda: best_binary_tree(
                self.answers, self.pack, depth, self.cost, -1, self._seen, self._stop, plan
            ),
            lambda: self._stop.fill(1),
        )
        if not self._stop[0]:
            self._accept(value, plan)
            self.bound = self.cost
        return not self._stop[0]

    def _evaluate(
        self, batch: list[int], sides: list[tuple[int, int]], depth: int
    ) -> list[tuple[tuple[int, int], int, Array]]:
        cutoff, node, half = self.cost, self.answers.node_price, (1 << (depth - 2)) - 1

        def one(task: tuple[int, tuple[int, int]]) -> tuple[tuple[int, int], int, Array]:
            f, (left, right) = task
            plan = np.empty((1 + 2 * half, 2), dtype=np.int64)
            plan[0] = self.pack.column[f], 0
            passes = 2 * self.pack.column[f] + 1 if depth == 4 else -1
            fails = passes - 1 if depth == 4 else -1
            if node + left + right >= cutoff:
                return (left, right), cutoff, plan
            left, l_cost = best_binary_tree(
                self.answers, pack_side(self.answers, self.pack, f, 1), depth - 1,
                cutoff - node - right, passes, self._seen, self._stop, plan[1 : 1 + half],
            )  # fmt: skip
            if node + left + right >= cutoff:
                return (left, right), cutoff, plan
            right, r_cost = best_binary_tree(
                self.answers, pack_side(self.answers, self.pack, f, 0), depth - 1,
                cutoff - node - left, fails, self._seen, self._stop, plan[1 + half :],
            )  # fmt: skip
            return (left, right), node + l_cost + r_cost, plan

        tasks = list(zip(batch, sides, strict=True))
        run_all = map if self._pool is None else self._pool.map
        return self.run.call(lambda: list(run_all(one, tasks)), lambda: self._stop.fill(1))

    def _accept(self, cost: int, plan: Array) -> None:
        if cost < self.cost:
            self.cost, self.plan = cost, plan.copy()
