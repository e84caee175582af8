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
from odt.engine.branch_and_bound.frame import FEATURE, Table, root_frame
from odt.engine.branch_and_bound.queue import (
    COLUMN,
    Queue,
    best_slots,
    least_bounds,
    open_columns,
    settle,
    with_room,
)
from odt.engine.branch_and_bound.stumps import make_work
from odt.engine.branch_and_bound.subtrees import Subtrees

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
        self._subtrees = Subtrees(table, self._stop)
        n_threads = min(run.n_threads, 64)
        self._works = [make_work(self.frame) for _ in range(n_threads)]
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def depth_two(self) -> bool:
        """Search the trees of depth two; return whether the search came to its end."""
        floor = np.zeros(len(self.table.rank), dtype=np.int64)
        found = self.run.call(
            lambda: self._subtrees.depth_two(
                self.frame, self._works[0], self._used(), floor, self.cost
            ),
            lambda: self._stop.fill(1),
        )
        self.depth = 2
        if not self._stop[0]:
            self._accept(found.cost, found.plan)
            self.bound = min(found.bound, self.cost)
        return not self._stop[0]

    def deeper(self, depth: int, leaf: int) -> bool:
        """Search the trees of a depth of at least 3; return whether the search came to its end.

        Parameters
        ----------
        depth : int
        leaf : int
            Cost of a lone leaf.
        """
        frame, self.depth, self.bound = self.frame, depth, 0
        floor = np.zeros(len(self.table.rank), dtype=np.int64)
        queue = open_columns(frame.n_cuts, floor, self.table.node_price, self.cost)
        while not self._stop[0]:
            queue = with_room(queue)
            slots = best_slots(queue, BATCH.get(depth, DEEP_BATCH), self.cost)
            if not len(slots):
                break
            found, plans, costs = self._evaluate(queue, slots, depth)
            if self._stop[0]:
                break
            for k, slot in enumerate(slots.tolist()):
                self._accept(int(costs[k]), plans[k])
                first = self._subtrees.first_cost(frame, self._used(), queue.node[slot, COLUMN])
                settle(queue, slot, first, found[k], self.cost, floor)
            self.intervals += len(slots)
            least = int(least_bounds(queue, floor).min())
            self.bound = max(self.bound, min(least, leaf, self.cost))
            self._report(self)
        done = not self._stop[0]
        self.bound = self.cost if done else self.bound
        return done

    def _evaluate(self, queue: Queue, slots: Array, depth: int) -> tuple[Array, ...]:
        """Search some intervals on all threads, each thread with scratch of its own."""
        free = list(self._works)

        def some(part: Array) -> tuple[Array, ...]:
            work = free.pop()
            result = self._subtrees.intervals(
                self.frame, work, queue, part, depth, self._used(), self.cost
            )
            free.append(work)
            return result

        def every() -> tuple[Array, ...]:
            if self._pool is None or len(slots) == 1:
                return some(slots)
            results = self._pool.map(some, np.split(slots, len(slots)))
            return tuple(np.concatenate(part) for part in zip(*results, strict=True))

        return self.run.call(every, lambda: self._stop.fill(1))

    def _accept(self, cost: int, plan: Array) -> None:
        if cost < self.cost:
            self.cost, self.plan = cost, plan.copy()

    def _used(self) -> Array:
        return np.zeros(int(self.table.column[:, FEATURE].max()) + 1, dtype=np.int64)
