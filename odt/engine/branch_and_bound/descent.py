"""Best tree of any depth on one side of a test: best-first bisection, depth two at the bottom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.compiler import entry, inlined
from odt.engine.branch_and_bound.depth_two import (
    Side,
    Work,
    depth_two,
    leaf_cost,
    make_work,
    price,
)
from odt.engine.branch_and_bound.frame import Frame, Table, arrange, split
from odt.engine.branch_and_bound.limited import limited_leaf
from odt.engine.branch_and_bound.queue import (
    COLUMN,
    HIGH,
    INFINITE,
    LOW,
    OPEN,
    Queue,
    copy,
    make_queue,
    open_columns,
    pop,
    settle,
    with_room,
)

Array = NDArray[Any]
_FIRST_ROOM = 64


@inlined
def evaluate(
    table: Table, frame: Frame, work: Work, queue: Queue, slot: int, depth: int, weight: int,
    used: Array, goal: int, stop: Array, found: Array, plan: Array,
) -> int:  # fmt: skip
    """Search both sides of the middle cut of an interval.

    Parameters
    ----------
    slot : int
        The interval.
    depth : int
        At least 3.
    weight : int
        Of all rows of the frame.
    goal : int
        Only trees that cost less are wanted.
    found : int64 (2, columns + 1)
        Gets the bounds of both sides by next column, last the least.
    plan : int64 (2**(depth - 1) - 1, 2)
        Gets the tree, see `best_tree`.

    Returns
    -------
    int
        Cost of the best tree with this first test if it is below the goal, else that or more.
    """
    f, last = queue.span[slot, COLUMN], len(frame.n_cuts)
    cut = np.int64(frame.cuts[f, (queue.span[slot, LOW] + queue.span[slot, HIGH]) >> 1])
    rest = goal - table.node_price - weight * price(table, used, f)
    left, right, half = queue.left[slot], queue.right[slot], (len(plan) - 1) >> 1
    copy(left, found[0])
    copy(right, found[1])
    plan[0, 0], plan[0, 1] = f, cut
    used[table.feature[f]] += 1
    found[0, last], value = best_tree(
        table, frame, work, Side(f, 0, cut), depth - 1, used, found[0, :last],
        rest - right[last], stop, plan[1 : 1 + half],
    )  # fmt: skip
    found[1, last], other = best_tree(
        table, frame, work, Side(f, -1, -cut - 2), depth - 1, used, found[1, :last],
        rest - left[last], stop, plan[1 + half :],
    )  # fmt: skip
    used[table.feature[f]] -= 1
    return goal - rest + value + other


@entry
def best_tree(
    table: Table, frame: Frame, work: Work, side: Side, depth: int, used: Array, floor: Array,
    cutoff: int, stop: Array, plan: Array,
) -> tuple[int, int]:  # fmt: skip
    """Search the trees of a depth >= 2 on one side of an outer test; see `depth_two`.

    Parameters
    ----------
    plan : int64 (2**(depth - 1) - 1, 2)
        Column and cut of each test but the last of a path, in preorder of the complete tree;
        column -1 at a leaf.
    """
    if depth == 2:
        return depth_two(table, frame, work, side, used, floor, cutoff, stop, plan)
    inner = arrange(table, split(table, frame, side))
    scratch, columns = make_work(table, inner), len(floor)
    total = np.zeros(table.classes, np.int64)
    for row in inner.rows[0]:
        total[table.label[row]] += table.weight[row]
    weight, bound, value = total.sum(), leaf_cost(table, total), np.int64(INFINITE)
    plan[0, 0] = -1
    if bound < cutoff:
        value = bound
        if table.min_count or table.min_weight:
            value = limited_leaf(table, frame, side)
    queue = make_queue(_FIRST_ROOM + columns, columns)
    open_columns(queue, inner.n_cuts, floor, table.node_price, cutoff)
    found, trial = np.empty((2, columns + 1), np.int64), np.empty_like(plan)
    while queue.size[OPEN] > 0 and not stop[0]:
        queue = with_room(queue, 1)
        slot = pop(queue)
        f, goal = queue.span[slot, COLUMN], min(cutoff, value)
        if queue.bound[slot] >= goal:
            floor[f] = min(floor[f], queue.bound[slot])
            continue
        cost = evaluate(
            table, inner, scratch, queue, slot, depth, weight, used, goal, stop, found, trial
        )
        if cost < goal:
            goal = value = cost
            for i in range(len(plan)):
                plan[i, 0], plan[i, 1] = trial[i, 0], trial[i, 1]
        first = table.node_price + weight * price(table, used, f)
        settle(queue, slot, first, found, goal, floor)
    for f in range(columns):
        bound = min(bound, floor[f])
    return bound, value if value < cutoff else INFINITE


@entry
def evaluate_each(
    table: Table, frame: Frame, work: Work, queue: Queue, slots: Array, depth: int, weight: int,
    used: Array, goal: int, stop: Array, found: Array, plans: Array, costs: Array,
) -> None:  # fmt: skip
    """Evaluate several intervals with one goal; see `evaluate`.

    Parameters
    ----------
    slots : int64 (m,)
    found : int64 (m, 2, columns + 1), plans : int64 (m, tests, 2), costs : int64 (m,)
        What is found for each.
    """
    for k in range(len(slots)):
        if not stop[0]:
            costs[k] = evaluate(
                table, frame, work, queue, slots[k], depth, weight, used, goal, stop, found[k],
                plans[k],
            )  # fmt: skip
