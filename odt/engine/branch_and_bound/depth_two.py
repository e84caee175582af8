"""Best tree of depth two on one side of a test: bisection of thresholds with cutoffs.

The two sides of a first test are solved by one more test each, the *stumps*. Every stump of every
column costs one pass of `extreme_prefixes`. The cost of the best stump never falls when rows
enter; so between two evaluated thresholds i < j of the first test no tree is cheaper than
left(i) + right(j). An interval whose bound reaches the cutoff is closed, another is cut at its
middle. The bounds are kept for each second column, and a column is scanned again only where it
can still win.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.compiler import compiled, entry
from odt.engine.branch_and_bound.frame import Frame, Table
from odt.engine.branch_and_bound.lanes import LANES, class_weight, extreme_prefixes
from odt.engine.branch_and_bound.limited import limited_leaf, limited_side
from odt.engine.branch_and_bound.queue import INFINITE, copy

Array = NDArray[Any]
PAIR_SLOTS = 12
STACK = 128


class Work(NamedTuple):
    """Scratch of one thread for frames of one size.

    Attributes
    ----------
    x : integers (PAIR_SLOTS, columns, slots)
        Steps of pairs of classes: 1 for the first class, -1 for the second, times the weight.
    tag : int64 (PAIR_SLOTS, columns)
        Which pair a slot of ``x`` holds, -1 for none.
    label : int16 (columns, slots)
        Labels of the rows of this side of the outer test, -1 for others.
    labelled : uint8 (columns,)
        Whether a row of ``label`` is up to date.
    out : integers (3 * LANES,)
    low, high : int64 (STACK,), left, right : int64 (STACK, columns + 1)
        Open intervals, and the bounds of each column at their ends; last the least of them.
    """

    x: Array
    tag: Array
    label: Array
    labelled: Array
    out: Array
    low: Array
    high: Array
    left: Array
    right: Array


class Side(NamedTuple):
    """Rows of a frame on one side of an outer test: ``q[g, column] ^ flip <= limit``."""

    column: int
    flip: int
    limit: int


@entry
def make_work(table: Table, frame: Frame) -> Work:
    """Return scratch for a frame."""
    columns, slots = frame.label.shape
    return Work(
        np.empty((PAIR_SLOTS, columns, slots), table.weight.dtype),
        np.full((PAIR_SLOTS, columns), -1, np.int64),
        np.empty((columns, slots), np.int16),
        np.zeros(columns, np.uint8),
        np.empty(3 * LANES, table.weight.dtype),
        np.empty(STACK, np.int64),
        np.empty(STACK, np.int64),
        np.empty((STACK, columns + 1), np.int64),
        np.empty((STACK, columns + 1), np.int64),
    )


@compiled
def price(table: Table, used: Array, column: int) -> int:
    """Price of one unit of weight that meets a test on a column, below the features used."""
    fresh = used[table.feature[column]] == 0
    return table.test_price[column] + fresh * table.new_price[column]


@compiled
def steps(frame: Frame, work: Work, side: Side, a: int, b: int, pair: int, g: int) -> Array:
    """Return the steps of a pair of classes in the order of column g."""
    slot = pair % PAIR_SLOTS
    x = work.x[slot, g]
    if work.tag[slot, g] != pair:
        work.tag[slot, g] = pair
        label, weight, q = frame.label[g], frame.weight[g], frame.q[g, side.column]
        flip, limit = side.flip, side.limit
        for k in range(len(x)):
            sign = (label[k] == a) - (label[k] == b)
            x[k] = sign * weight[k] * ((q[k] ^ flip) <= limit)
    return x


@compiled
def side_labels(frame: Frame, work: Work, side: Side, g: int) -> Array:
    """Return the labels of the rows of a side in the order of column g, -1 for other rows."""
    label = work.label[g]
    if not work.labelled[g]:
        work.labelled[g] = 1
        q, flip, limit = frame.q[g, side.column], side.flip, side.limit
        for k in range(len(label)):
            label[k] = frame.label[g, k] if (q[k] ^ flip) <= limit else -1
    return label


@compiled
def leaf_cost(table: Table, total: Array) -> int:
    """Cost of a leaf with these class weights."""
    return table.error_price * (total.sum() - total.max()) + table.node_price


@compiled
def stump_bound(
    table: Table, frame: Frame, work: Work, side: Side, f: int, flip: int, limit: int, total: Array,
    used: Array, need: int, known: Array, found: Array,
) -> int:  # fmt: skip
    """Cost of the best leaf or stump of the rows with ``q[., f] ^ flip <= limit``.

    Parameters
    ----------
    total : int64 (classes,)
        Class weights of these rows.
    need : int
        Stumps that cost this much or more need not be told apart.
    known, found : int64 (columns + 1,)
        Lower bounds for each column, as known and as found; last the value returned. It is exact
        if it is below `need`.
    """
    columns, classes = len(frame.n_cuts), len(total)
    weight = total.sum()
    best = leaf_cost(table, total)
    for g in range(columns):
        base = 3 * table.node_price + weight * price(table, used, g)
        if known[g] >= need or base >= need:
            found[g] = max(known[g], base)
            best = min(best, found[g])
            continue
        value = INFINITE
        for a in range(classes):
            for b in range(a + 1, classes):
                if total[a] == 0 or total[b] == 0:
                    continue
                outside = base + table.error_price * (weight - total[a] - total[b])
                if outside < need:
                    x = steps(frame, work, side, a, b, a * classes + b, g)
                    low, high = extreme_prefixes(
                        frame.q[g, f], x, frame.last[g], flip, limit, work.out
                    )
                    right = min(total[b] + low, total[a] - high)
                    outside += table.error_price * right
                value = min(value, outside)
        if value == INFINITE:
            value = base
        found[g] = max(value, known[g])
        best = min(best, found[g])
    found[columns] = best
    return best


@compiled
def depth_two(
    table: Table, frame: Frame, work: Work, side: Side, used: Array, floor: Array, cutoff: int,
    stop: Array, plan: Array,
) -> tuple[int, int]:  # fmt: skip
    """Search the trees of depth two on one side of an outer test.

    Parameters
    ----------
    floor : int64 (columns,)
        Lower bound of the trees with each first column; raised in place.
    cutoff : int
        Only trees that cost less are wanted.
    stop : uint8 (1,)
        The search is given up as soon as this is set; what it returns is then void.
    plan : int64 (1, 2)
        Gets column and cut of the first test of the cheapest tree below the cutoff; column -1
        for a leaf.

    Returns
    -------
    bound : int
        Lower bound of every tree; it leaves limits on leaves out of account.
    value : int
        Cost of the tree of the plan, `INFINITE` if none is below the cutoff.
    """
    work.tag[:] = -1
    work.labelled[:] = 0
    total = np.zeros(table.classes, np.int64)
    everything = frame.cuts[0, frame.n_cuts[0]]
    label = side_labels(frame, work, side, 0)
    for c in range(table.classes):
        total[c] = class_weight(frame.q[0, 0], label, frame.weight[0], everything, c, work.out)
    bound, value = leaf_cost(table, total), np.int64(INFINITE)
    plan[0, 0], columns = -1, len(floor)
    done = np.zeros(columns, np.uint8)
    if bound < cutoff:
        value = bound
        if table.min_count or table.min_weight:
            value = limited_leaf(table, frame, side)
    for _ in range(columns):
        f = next_column(floor, done)
        done[f] = 1
        if floor[f] < min(cutoff, value):
            first = table.node_price + total.sum() * price(table, used, f)
            used[table.feature[f]] += 1
            found, value = first_tests(
                table, frame, work, side, used, f, first, total, min(cutoff, value), value, stop,
                plan,
            )  # fmt: skip
            used[table.feature[f]] -= 1
            floor[f] = max(floor[f], found)
        bound = min(bound, floor[f])
    return bound, value if value < cutoff else INFINITE


@compiled
def next_column(floor: Array, done: Array) -> int:
    """The most promising column that is not done."""
    best = -1
    for f in range(len(floor)):
        if not done[f] and (best < 0 or floor[f] < floor[best]):
            best = f
    return best


@compiled
def first_tests(
    table: Table, frame: Frame, work: Work, side: Side, used: Array, f: int, first: int,
    total: Array, cutoff: int, value: int, stop: Array, plan: Array,
) -> tuple[int, int]:  # fmt: skip
    """Search the trees whose first test is on column f.

    Parameters
    ----------
    first : int
        Cost of the first test itself.
    total : int64 (classes,)
        Class weights of the side.
    value : int
        Cost of the best tree so far; the plan changes only for a cheaper one.

    Returns
    -------
    floor, value : int
        Lower bound of these trees, and the cost of the best tree now.
    """
    columns, classes = len(frame.n_cuts), len(total)
    label = side_labels(frame, work, side, f)
    inside, outside = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    low, high, left, right = work.low, work.high, work.left, work.right
    left[0], right[0] = table.node_price, table.node_price
    low[0], high[0], top, floor = -1, frame.n_cuts[f], 1, INFINITE
    while top > 0:
        top -= 1
        i, j = low[top], high[top]
        goal = min(cutoff, value)
        bound = first + left[top, columns] + right[top, columns]
        if bound >= goal or j - i < 2:
            if j - i >= 2:
                floor = min(floor, bound)
            continue
        if stop[0]:
            return floor, value
        middle = (i + j) >> 1
        cut = np.int64(frame.cuts[f, middle])
        for c in range(classes):
            inside[c] = 0
            if total[c] > 0:
                inside[c] = class_weight(frame.q[f, f], label, frame.weight[f], cut, c, work.out)
            outside[c] = total[c] - inside[c]
        # The lower interval stays at `top` with a new right end, the upper one goes above it.
        left_need = goal - first - right[top, columns]
        right_need = goal - first - left[top, columns]
        copy(right[top], right[top + 1])
        l = stump_bound(
            table, frame, work, side, f, 0, cut, inside, used, left_need, left[top], left[top + 1]
        )
        r = stump_bound(
            table, frame, work, side, f, -1, -cut - 2, outside, used, right_need,
            right[top + 1], right[top],
        )  # fmt: skip
        floor = min(floor, first + l + r)
        cost = first + l + r
        if cost < goal and (table.min_count or table.min_weight):
            cost = first + limited_side(table, frame, side, Side(f, 0, cut), used)
            cost += limited_side(table, frame, side, Side(f, -1, -cut - 2), used)
        if cost < goal:
            value, plan[0, 0], plan[0, 1] = cost, f, cut
        high[top], low[top + 1], high[top + 1] = middle, middle, j
        top += 2
    return floor, value
