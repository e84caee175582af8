"""Best tree of depth two on one side of a test: bisection of thresholds with cutoffs.

The two sides of a first test get one more test each. The cost of the best one never falls when
rows enter; so between two evaluated thresholds i < j of the first test no tree is cheaper than
left(i) + right(j). An interval whose bound reaches the cutoff is closed, another is cut at its
middle. The bounds are kept for each second column, and a column is scanned again only where it
can still win.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import (
    FEATURE,
    Frame,
    Int,
    Side,
    Table,
    above,
    at_most,
    everything,
)
from odt.engine.branch_and_bound.limited import limited_leaf, limited_side, price
from odt.engine.branch_and_bound.queue import INFINITE, copy
from odt.engine.branch_and_bound.stumps import (
    Work,
    add_up,
    forget,
    leaf_cost,
    stump_bound,
    weigh,
)
from odt.engine.compilation import inner

Array = NDArray[Any]


@inner
def depth_two(
    table: Table, frame: Frame, work: Work, side: Side, used: Array, floor: Array, cutoff: Int,
    stop: Array, plan: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Search the trees of depth two on one side of an outer test.

    Parameters
    ----------
    used : int64 (features,)
        How often each feature was asked on the way.
    floor : int64 (columns,)
        Lower bound of the trees with each first column; raised in place.
    cutoff : int
        Only trees that cost less are wanted.
    stop : uint8 (1,)
        The search is given up as soon as this is set; what it returns is then void.
    plan : int64 (2,)
        Gets column and cut of the first test of the cheapest tree below the cutoff; column -1
        for a leaf.

    Returns
    -------
    bound : int
        Lower bound of every tree; it leaves limits on leaves out of account.
    value : int
        Cost of the tree of the plan, `INFINITE` if none is below the cutoff.
    """
    forget(work)
    columns, all_rows = len(floor), everything(frame)
    total, done = np.ones(table.classes, np.int64), np.zeros(columns, np.uint8)
    weigh(frame, work, side, all_rows.column, all_rows.limit, total, total)
    bound, value, plan[0] = leaf_cost(table, total), np.int64(INFINITE), -1
    if bound < cutoff:
        value = bound
        if table.min_count > 0 or table.min_weight > 0:
            value = limited_leaf(table, frame, side, side)
    for _ in range(columns):
        f = next_column(floor, done)
        done[f] = 1
        if floor[f] < min(cutoff, value):
            found, value = first_tests(
                table, frame, work, side, used, f, total, cutoff, value, stop, plan
            )
            floor[f] = max(floor[f], found)
        bound = min(bound, floor[f])
    return bound, value if value < cutoff else INFINITE


@inner
def next_column(floor: Array, done: Array) -> Int:
    """Return the column of least bound that is not done."""
    best = -1
    for f in range(len(floor)):
        if not done[f] and (best < 0 or floor[f] < floor[best]):
            best = f
    return best


@inner
def first_tests(
    table: Table, frame: Frame, work: Work, side: Side, used: Array, f: Int, total: Array,
    cutoff: Int, value: Int, stop: Array, plan: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Search the trees whose first test is on column f.

    Parameters
    ----------
    total : int64 (classes,)
        Class weights of the side.
    value : int
        Cost of the best tree so far; the plan changes only for a cheaper one.

    Returns
    -------
    floor, value : int
        Lower bound of these trees, and the cost of the best tree now.
    """
    first, last = table.node_price + add_up(total) * price(table, used, f), len(frame.n_cuts)
    inside, stack = np.empty(table.classes, np.int64), work.stack
    stack[0, 0], stack[0, 1] = -1, frame.n_cuts[f]
    for k in range(2, stack.shape[1]):
        stack[0, k] = table.node_price
    used[table.column[f, FEATURE]] += 1
    top, floor = 0, np.int64(INFINITE)
    while top >= 0 and not stop[0]:
        here, there, goal = stack[top], stack[top + 1], min(cutoff, value)
        bound, middle = first + here[2 + last] + here[3 + 2 * last], (here[0] + here[1]) >> 1
        top -= 1
        if middle == here[0]:
            continue
        if bound >= goal:
            floor = min(floor, bound)
            continue
        cut = np.int64(frame.cuts[f, middle])
        weigh(frame, work, side, f, cut, total, inside)
        halve(table, frame, work, side, f, cut, total, inside, used, goal - first, here, there)
        there[0], there[1], here[1] = middle, here[1], middle
        cost = first + there[2 + last] + here[3 + 2 * last]
        floor = min(floor, cost)
        if cost < goal and (table.min_count > 0 or table.min_weight > 0):
            cost = first + limited_side(table, frame, side, at_most(f, cut), used)
            cost += limited_side(table, frame, side, above(f, cut), used)
        if cost < goal:
            value, plan[0], plan[1] = cost, f, cut
        top += 2
    used[table.column[f, FEATURE]] -= 1
    return floor, value


@inner
def halve(
    table: Table, frame: Frame, work: Work, side: Side, f: Int, cut: Int, total: Array,
    inside: Array, used: Array, rest: Int, here: Array, there: Array,
) -> None:  # fmt: skip
    """Bound both sides of a cut; ``here`` becomes the interval below, ``there`` the one above.

    `rest` is what both sides together may cost at most, plus one.
    """
    edge, outside = 3 + len(frame.n_cuts), np.empty(len(total), np.int64)
    for c in range(len(total)):
        outside[c] = total[c] - inside[c]
    left, right = here[2:edge], here[edge:]
    copy(right, there[edge:])
    left_need, right_need = rest - right[len(right) - 1], rest - left[len(left) - 1]
    stump_bound(
        table, frame, work, side, at_most(f, cut), inside, used, left_need, left, there[2:edge]
    )
    stump_bound(
        table, frame, work, side, above(f, cut), outside, used, right_need, there[edge:], right
    )
