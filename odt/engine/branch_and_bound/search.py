"""The search over root thresholds: batches of intervals, best bound first, on several threads.

All intervals of a batch are evaluated with the same cutoff, and what is found is taken in their
order. So the number of threads changes nothing but the time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.core.run import Run
from odt.engine.branch_and_bound.descent import best_tree, evaluate_each
from odt.engine.branch_and_bound.frame import (
    FEATURE,
    TEST_PRICE,
    WEIGHT,
    Side,
    Table,
    root_frame,
)
from odt.engine.branch_and_bound.queue import (
    BOUND,
    COLUMN,
    INFINITE,
    OPEN,
    make_queue,
    open_columns,
    pop,
    push,
    settle,
    with_room,
)
from odt.engine.branch_and_bound.stumps import make_work

Array = NDArray[Any]
BATCH = {3: 8}
DEEP_BATCH = 4


class RootSearch:
    """Best tree of a depth of at least 2 that costs less than a known one.

    Parameters
    ----------
    table : Table
        With at least one column.
    run : Run
    cutoff : int
        Cost of the known tree.
    report : callable
        Called after each batch.

    Attributes
    ----------
    cost : int
        Of the best tree.
    plan : ndarray or None
        Its tests, None as long as nothing better than the known tree is found.
    bound : int
        No tree of the current depth costs less.
    depth : int
        Of the current search.
    intervals : int
        How many were evaluated.
    """

    def __init__(
        self, table: Table, run: Run, cutoff: int, report: Callable[[RootSearch], None]
    ) -> None:
        self.table, self.run, self.cost, self._report = table, run, cutoff, report
        self.frame = root_frame(table)
        self.plan: Array | None = None
        self.depth, self.bound, self.intervals = 0, 0, 0
        self._stop = np.zeros(1, dtype=np.uint8)
        n_threads = min(run.n_threads, 64)
        self._works = [make_work(self.frame) for _ in range(n_threads)]
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def depth_two(self) -> bool:
        """Search the trees of depth two; return whether the search came to its end."""
        columns = len(self.table.rank)
        plan, floor = np.empty((1, 2), dtype=np.int64), np.zeros(columns, dtype=np.int64)
        everything = Side(0, 0, int(self.table.rank[0].max()))
        bound, value = self.run.call(
            lambda: best_tree(
                self.table, self.frame, self._works[0], everything, 2, self._used(), floor,
                self.cost, self._stop, plan,
            ),
            lambda: self._stop.fill(1),
        )  # fmt: skip
        self.depth = 2
        if not self._stop[0]:
            self._accept(value, plan)
            self.bound = min(bound, self.cost)
        return not self._stop[0]

    def deeper(self, depth: int, leaf: int) -> bool:
        """Search the trees of a depth of at least 3; return whether the search came to its end.

        Parameters
        ----------
        depth : int
        leaf : int
            Cost of a lone leaf.
        """
        table, frame, self.depth, self.bound = self.table, self.frame, depth, 0
        columns = len(table.rank)
        floor = np.zeros(columns, dtype=np.int64)
        queue = make_queue(256 + columns, columns)
        open_columns(queue, frame.n_cuts, floor, table.node_price, self.cost)
        weight = int(table.row[:, WEIGHT].sum())
        while queue.size[OPEN] and not self._stop[0]:
            size = BATCH.get(depth, DEEP_BATCH)
            queue = with_room(queue, size)
            slots = self._take(queue, size)
            if not len(slots):
                break
            found, plans, costs = self._evaluate(queue, slots, depth, weight)
            if self._stop[0]:
                for slot in slots.tolist():
                    push(queue, slot)
                break
            for k, slot in enumerate(slots.tolist()):
                self._accept(int(costs[k]), plans[k])
                price = int(table.column[queue.node[slot, COLUMN], TEST_PRICE:].sum())
                settle(queue, slot, table.node_price + weight * price, found[k], self.cost, floor)
            self.intervals += len(slots)
            least = queue.node[queue.heap[OPEN, 0], BOUND] if queue.size[OPEN] else INFINITE
            self.bound = max(self.bound, int(min(least, leaf, self.cost)))
            self._report(self)
        done = not self._stop[0]
        self.bound = self.cost if done else self.bound
        return done

    def _take(self, queue: Any, size: int) -> Array:
        slots: list[int] = []
        while len(slots) < size and queue.size[OPEN]:
            if queue.node[queue.heap[OPEN, 0], BOUND] >= self.cost:
                break
            slots.append(pop(queue))
        return np.array(slots, dtype=np.int64)

    def _evaluate(self, queue: Any, slots: Array, depth: int, weight: int) -> tuple[Array, ...]:
        m, columns, tests = len(slots), len(self.table.rank), (1 << (depth - 1)) - 1
        found = np.empty((m, 2, columns + 1), dtype=np.int64)
        plans = np.empty((m, tests, 2), dtype=np.int64)
        costs = np.full(m, INFINITE, dtype=np.int64)
        free = list(self._works)

        def some(part: slice) -> None:
            work = free.pop()
            evaluate_each(
                self.table, self.frame, work, queue, slots[part], depth, weight, self._used(),
                self.cost, self._stop, found[part], plans[part], costs[part],
            )  # fmt: skip
            free.append(work)

        def every() -> None:
            if self._pool is None or m == 1:
                some(slice(0, m))
            else:
                list(self._pool.map(some, [slice(k, k + 1) for k in range(m)]))

        self.run.call(every, lambda: self._stop.fill(1))
        return found, plans, costs

    def _accept(self, cost: int, plan: Array) -> None:
        if cost < self.cost:
            self.cost, self.plan = cost, plan.copy()

    def _used(self) -> Array:
        return np.zeros(int(self.table.column[:, FEATURE].max()) + 1, dtype=np.int64)
