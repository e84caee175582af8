"""Best trees of a depth of at least three on one side of a test: one kernel, and levels above."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.descent import bisect
from odt.engine.branch_and_bound.frame import (
    COUNT,
    FEATURE,
    LABEL,
    NEW_PRICE,
    TEST_PRICE,
    WEIGHT,
    Frame,
    Side,
    Table,
    arrange,
    split,
)
from odt.engine.branch_and_bound.limited import TOO_SMALL
from odt.engine.branch_and_bound.queue import (
    COLUMN,
    HIGH,
    INFINITE,
    LOW,
    Queue,
    best_slots,
    least_bounds,
    open_columns,
    settle,
    whole_set,
    with_room,
)
from odt.engine.branch_and_bound.stumps import Work, make_work

Array = NDArray[Any]
KERNEL_DEPTH = 3
_NO_SLOTS = np.empty(0, dtype=np.int64)


class Found(NamedTuple):
    """What a search found.

    Attributes
    ----------
    bound : int
        No tree costs less; limits on leaves are left out of account.
    cost : int
        Of the best tree; it counts only if it is below what was wanted.
    plan : int64 (2**(depth - 1) - 1, 2)
        Column and cut of each test but the last of a path, in preorder of the complete tree;
        column -1 at a leaf.
    """

    bound: int
    cost: int
    plan: Array


class Subtrees:
    """Searches trees of any depth below a test.

    Parameters
    ----------
    table : Table
    stop : uint8 (1,)
        A search is given up as soon as this is set; what it returns is then void.
    """

    def __init__(self, table: Table, stop: Array) -> None:
        self.table, self.stop = table, stop

    def depth_two(self, frame: Frame, work: Work, used: Array, floor: Array, cutoff: int) -> Found:
        """Search the trees of depth two on all rows of a frame.

        Parameters
        ----------
        used : int64 (features,)
            How often each feature was asked on the way.
        floor : int64 (columns,)
            Lower bounds of the trees with each first column.
        cutoff : int
            Only trees that cost less are wanted.
        """
        found, plans, costs = self.intervals(
            frame, work, whole_set(floor), np.zeros(1, dtype=np.int64), KERNEL_DEPTH, used, cutoff
        )
        return Found(int(found[0, 0, -1]), int(costs[0]), plans[0, :1])

    def intervals(
        self, frame: Frame, work: Work, queue: Queue, slots: Array, depth: int, used: Array,
        goal: int,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Search both sides of the middle cuts of some intervals, all with one goal.

        Returns
        -------
        found : int64 (m, 2, columns + 1)
            Bounds of both sides by next column, last the least.
        plans : int64 (m, 2**(depth - 1) - 1, 2), costs : int64 (m,)
            The best trees; a cost of the goal or more is that of no tree.
        """
        m, columns = len(slots), len(frame.n_cuts)
        found = np.empty((m, 2, columns + 1), dtype=np.int64)
        plans = np.empty((m, (1 << (depth - 1)) - 1, 2), dtype=np.int64)
        costs = np.full(m, INFINITE, dtype=np.int64)
        if depth == KERNEL_DEPTH:
            bisect(
                self.table, frame, work, queue, slots, self.weight(frame), used, goal, self.stop,
                np.empty(0, dtype=np.int64), found, plans, costs,
            )  # fmt: skip
            return found, plans, costs
        for k, slot in enumerate(slots.tolist()):
            costs[k] = self._sides(frame, queue.node[slot], depth, used, goal, found[k], plans[k])
        return found, plans, costs

    def weight(self, frame: Frame) -> int:
        """Return the weight of all rows of a frame."""
        return int(self.table.row[frame.rows[0], WEIGHT].sum())

    def first_cost(self, frame: Frame, used: Array, f: int) -> int:
        """Return the cost of a first test on a column."""
        price = int(self.table.column[f, TEST_PRICE])
        if not used[self.table.column[f, FEATURE]]:
            price += int(self.table.column[f, NEW_PRICE])
        return self.table.node_price + self.weight(frame) * price

    def _sides(
        self, frame: Frame, node: Array, depth: int, used: Array, goal: int, found: Array,
        plan: Array,
    ) -> int:  # fmt: skip
        """Search both sides of the middle cut of an interval of depth 4 or more."""
        middle, half = (len(node) + 4) >> 1, len(plan) >> 1
        found[0], found[1] = node[4:middle], node[middle:]
        f, known = int(node[COLUMN]), (int(found[1, -1]), int(found[0, -1]))
        cut = int(frame.cuts[f, (node[LOW] + node[HIGH]) >> 1])
        value = self.first_cost(frame, used, f)
        rest, deeper = goal - value, used.copy()
        deeper[self.table.column[f, FEATURE]] += 1
        plan[0] = f, cut
        for s, side in enumerate((_at_most(f, cut), _above(f, cut))):
            result = self.best(frame, side, depth - 1, deeper, found[s, :-1], rest - known[s])
            found[s, -1] = result.bound
            plan[1 + s * half : 1 + (s + 1) * half] = result.plan
            value += result.cost
        return value

    def best(
        self, frame: Frame, side: Side, depth: int, used: Array, floor: Array, cutoff: int
    ) -> Found:
        """Search the trees of a depth of at least three on one side of a test.

        Parameters
        ----------
        floor : int64 (columns,)
            Lower bounds of the trees with each first column; raised in place.
        """
        table, inner = self.table, arrange(self.table, split(self.table, frame, side))
        work = make_work(inner)
        shallow = self.depth_two(inner, work, used, np.zeros_like(floor), cutoff).bound
        bound, value = self._leaf(inner.rows[0])
        plan = np.full(((1 << (depth - 1)) - 1, 2), -1, dtype=np.int64)
        queue, goal = (
            open_columns(inner.n_cuts, floor, table.node_price, cutoff),
            min(cutoff, value),
        )
        while not self.stop[0]:
            queue = with_room(queue)
            slots = best_slots(queue, 1, goal)
            if not len(slots):
                break
            if depth == KERNEL_DEPTH:
                cost, trial = self._all(inner, work, queue, used, goal, floor)
            else:
                cost, trial = self._one(inner, work, queue, slots, depth, used, goal, floor)
            if cost < goal:
                goal = value = cost
                plan = trial
        floor[:] = least_bounds(queue, floor)
        bound = min(bound, int(floor.min()))
        # On more rows a cut that separates nothing here may separate something.
        np.minimum(floor, shallow + 2 * table.node_price, out=floor)
        return Found(bound, value if value < cutoff else INFINITE, plan)

    def _all(
        self, frame: Frame, work: Work, queue: Queue, used: Array, goal: int, floor: Array
    ) -> tuple[int, Array]:
        found = np.empty((1, 2, len(floor) + 1), dtype=np.int64)
        plans, costs = np.empty((2, 3, 2), dtype=np.int64), np.array([INFINITE], dtype=np.int64)
        bisect(
            self.table, frame, work, queue, _NO_SLOTS, self.weight(frame), used, goal, self.stop,
            floor, found, plans, costs,
        )  # fmt: skip
        return int(costs[0]), plans[1]

    def _one(
        self, frame: Frame, work: Work, queue: Queue, slots: Array, depth: int, used: Array,
        goal: int, floor: Array,
    ) -> tuple[int, Array]:  # fmt: skip
        found, plans, costs = self.intervals(frame, work, queue, slots, depth, used, goal)
        first = self.first_cost(frame, used, int(queue.node[slots[0], COLUMN]))
        settle(queue, int(slots[0]), first, found[0], min(goal, int(costs[0])), floor)
        return int(costs[0]), plans[0]

    def _leaf(self, rows: Array) -> tuple[int, int]:
        """Return the cost of a leaf, and its cost with the limits on leaves."""
        table = self.table
        total = np.zeros(table.classes, dtype=np.int64)
        np.add.at(total, table.row[rows, LABEL], table.row[rows, WEIGHT])
        cost = table.error_price * int(total.sum() - total.max()) + table.node_price
        count = int(table.row[rows, COUNT].sum())
        is_small = count < table.min_count or int(total.sum()) < table.min_weight
        return cost, TOO_SMALL if is_small else cost


def _at_most(column: int, cut: int) -> Side:
    return Side(column, 0, cut)


def _above(column: int, cut: int) -> Side:
    return Side(column, -1, -cut - 2)
