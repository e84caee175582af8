"""Best-first bisection of thresholds with trees of depth two on both sides of each cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.depth_two import depth_two
from odt.engine.branch_and_bound.frame import FEATURE, Frame, Int, Table, above, at_most, everything
from odt.engine.branch_and_bound.limited import price
from odt.engine.branch_and_bound.queue import (
    BOUND,
    COLUMN,
    HIGH,
    LOW,
    Queue,
    copy,
    ends,
    is_full,
    least,
    settle,
)
from odt.engine.branch_and_bound.stumps import Work
from odt.engine.compilation import entry, inner

Array = NDArray[Any]


@inner
def evaluate(
    table: Table, frame: Frame, work: Work, queue: Queue, slot: Int, first: Int, used: Array,
    goal: Int, stop: Array, found: Array, plan: Array,
) -> Int:  # fmt: skip
    """Search both sides of the middle cut of an interval, or all rows if it has no column.

    Parameters
    ----------
    slot : int
        The interval.
    first : int
        Cost of the first test.
    goal : int
        Only trees that cost less are wanted.
    found : int64 (2, columns + 1)
        Gets the bounds of both sides by next column, last the least.
    plan : int64 (3, 2)
        Gets the tests, see `Subtrees`.

    Returns
    -------
    int
        Cost of the best tree with this first test if it is below the goal, else that or more.
    """
    node, last = queue.node[slot], len(frame.n_cuts)
    left, right = ends(queue, slot)
    copy(left, found[0])
    copy(right, found[1])
    f, cut, at, value = node[COLUMN], np.int64(0), 0, first
    if f >= 0:
        cut, at = np.int64(frame.cuts[f, (node[LOW] + node[HIGH]) >> 1]), 1
        plan[0, 0], plan[0, 1] = f, cut
        used[table.column[f, FEATURE]] += 1
    for s in range(1 + at):
        side, rest = everything(frame), goal - first
        if f >= 0:
            side = at_most(f, cut) if s == 0 else above(f, cut)
            rest -= right[last] if s == 0 else left[last]
        found[s, last], cost = depth_two(
            table, frame, work, side, used, found[s, :last], rest, stop, plan[at + s]
        )
        value += cost
    if f >= 0:
        used[table.column[f, FEATURE]] -= 1
    return value


@entry
def bisect(
    table: Table, frame: Frame, work: Work, queue: Queue, slots: Array, weight: Int, used: Array,
    goal: Int, stop: Array, floor: Array, found: Array, plans: Array, costs: Array,
) -> None:  # fmt: skip
    """Evaluate some intervals with one goal; or all of them, best first, each then halved.

    Parameters
    ----------
    slots : int64 (m,)
        Those to evaluate. If there are none, it goes on until no bound is below the goal, or the
        queue is full.
    weight : int
        Of all rows of the frame.
    goal : int
        Only trees that cost less are wanted.
    floor : int64 (columns,)
        See `settle`.
    found : int64 (m, 2, columns + 1), plans : int64 (m, 3, 2), costs : int64 (m,)
        What is found for each; see `evaluate`. If there are no slots, of two places in `plans`
        the second gets the best tree and ``costs[0]`` its cost, when that is below the goal.
    """
    k, best_first, node = 0, len(slots) == 0, queue.node
    while not stop[0]:
        if best_first:
            slot = least(queue)
            if slot < 0 or node[slot, BOUND] >= goal or is_full(queue):
                return
        else:
            if k == len(slots):
                return
            slot = slots[k]
        f, first = node[slot, COLUMN], np.int64(0)
        if f >= 0:
            first = table.node_price + weight * price(table, used, f)
        cost = evaluate(
            table, frame, work, queue, slot, first, used, goal, stop, found[k], plans[k]
        )
        if best_first:
            if cost < goal:
                goal = costs[0] = cost
                for t in range(3):
                    copy(plans[0, t], plans[1, t])
            settle(queue, slot, first, found[0], goal, floor)
        else:
            costs[k] = cost
            k += 1
