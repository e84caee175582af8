"""Best tree of any depth on one side of a test: best-first bisection, depth two at the bottom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.depth_two import depth_two
from odt.engine.branch_and_bound.frame import (
    FEATURE,
    LABEL,
    WEIGHT,
    Frame,
    Int,
    Side,
    Table,
    above,
    arrange,
    at_most,
    everything,
    split,
)
from odt.engine.branch_and_bound.limited import limited_leaf, price
from odt.engine.branch_and_bound.queue import (
    BOUND,
    COLUMN,
    HIGH,
    INFINITE,
    LOW,
    OPEN,
    Queue,
    copy,
    ends,
    make_queue,
    open_columns,
    pop,
    settle,
    with_room,
)
from odt.engine.branch_and_bound.stumps import Work, add_up, leaf_cost, make_work
from odt.engine.compilation import entry, inlined

Array = NDArray[Any]
_FIRST_ROOM = 64


@inlined
def evaluate(
    table: Table, frame: Frame, work: Work, queue: Queue, slot: Int, depth: Int, weight: Int,
    used: Array, goal: Int, stop: Array, found: Array, plan: Array,
) -> Int:  # fmt: skip
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
    node, last = queue.node[slot], len(frame.n_cuts)
    f = node[COLUMN]
    cut = np.int64(frame.cuts[f, (node[LOW] + node[HIGH]) >> 1])
    rest = goal - table.node_price - weight * price(table, used, f)
    left, right = ends(queue, slot)
    half = (len(plan) - 1) >> 1
    copy(left, found[0])
    copy(right, found[1])
    plan[0, 0], plan[0, 1] = f, cut
    used[table.column[f, FEATURE]] += 1
    found[0, last], value = best_tree(
        table, frame, work, at_most(f, cut), depth - 1, used, found[0, :last],
        rest - right[last], stop, plan[1 : 1 + half],
    )  # fmt: skip
    found[1, last], other = best_tree(
        table, frame, work, above(f, cut), depth - 1, used, found[1, :last],
        rest - left[last], stop, plan[1 + half :],
    )  # fmt: skip
    used[table.column[f, FEATURE]] -= 1
    return goal - rest + value + other


@entry
def best_tree(
    table: Table, frame: Frame, work: Work, side: Side, depth: Int, used: Array, floor: Array,
    cutoff: Int, stop: Array, plan: Array,
) -> tuple[Int, Int]:  # fmt: skip
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
    scratch, columns = make_work(inner), len(floor)
    total = np.zeros(table.classes, np.int64)
    for row in inner.rows[0]:
        total[table.row[row, LABEL]] += table.row[row, WEIGHT]
    weight, bound, value = add_up(total), leaf_cost(table, total), np.int64(INFINITE)
    plan[0, 0] = -1
    if bound < cutoff:
        value = bound
        if table.min_count > 0 or table.min_weight > 0:
            value = limited_leaf(table, frame, side, side)
    found, trial = np.empty((2, columns + 1), np.int64), np.empty(plan.shape, np.int64)
    shallow, _ = best_tree(
        table, inner, scratch, everything(inner), depth - 1, used, np.zeros(columns, np.int64),
        cutoff, stop, trial[: (len(plan) - 1) >> 1],
    )  # fmt: skip
    queue = make_queue(_FIRST_ROOM + columns, columns)
    open_columns(queue, inner.n_cuts, floor, table.node_price, cutoff)
    while queue.size[OPEN] > 0 and not stop[0]:
        queue = with_room(queue, 1)
        slot = pop(queue)
        f, least, goal = queue.node[slot, COLUMN], queue.node[slot, BOUND], min(cutoff, value)
        if least >= goal:
            floor[f] = min(floor[f], least)
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
        # On more rows a cut that separates nothing here may separate something.
        floor[f] = min(floor[f], shallow + 2 * table.node_price)
    return bound, value if value < cutoff else INFINITE


@entry
def evaluate_each(
    table: Table, frame: Frame, work: Work, queue: Queue, slots: Array, depth: Int, weight: Int,
    used: Array, goal: Int, stop: Array, found: Array, plans: Array, costs: Array,
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
