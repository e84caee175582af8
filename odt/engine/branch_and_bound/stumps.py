"""The best single test of a set of rows, by one vector pass for each column and pair of classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import LABEL, LAST, WEIGHT, Frame, Int, Side, Table
from odt.engine.branch_and_bound.lanes import LANES, class_weight, extreme_prefixes
from odt.engine.branch_and_bound.limited import price
from odt.engine.branch_and_bound.queue import INFINITE
from odt.engine.compilation import inner

Array = NDArray[Any]
PAIR_SLOTS = 12
STACK = 128


class Work(NamedTuple):
    """Scratch of one thread for frames of one size.

    Attributes
    ----------
    x : integers (columns, PAIR_SLOTS + 1, slots)
        For the rows of one side, sorted by each column, in lane order: the steps of pairs of
        classes, 1 for the first class, -1 for the second, times the weight; last the labels.
    tag : int64 (columns, PAIR_SLOTS + 1)
        Which pair ``x`` holds, -1 for none; 0 in the last place if the labels are up to date.
    out : integers (3 * LANES,)
    stack : int64 (STACK, 2 * columns + 4)
        Open intervals: two cuts, the bounds of each column on the left of the lower cut and the
        least of them, and the same on the right of the upper cut.
    """

    x: Array
    tag: Array
    out: Array
    stack: Array


def make_work(frame: Frame) -> Work:
    """Return scratch for a frame."""
    columns, _, slots = frame.plane.shape
    return Work(
        np.empty((columns, PAIR_SLOTS + 1, slots), dtype=frame.plane.dtype),
        np.empty((columns, PAIR_SLOTS + 1), dtype=np.int64),
        np.empty(3 * LANES, dtype=frame.plane.dtype),
        np.empty((STACK, 2 * columns + 4), dtype=np.int64),
    )


@inner
def forget(work: Work) -> None:
    """Make room for the rows of another side."""
    for g in range(len(work.tag)):
        for slot in range(PAIR_SLOTS + 1):
            work.tag[g, slot] = -1


@inner
def steps(frame: Frame, work: Work, side: Side, a: Int, b: Int, pair: Int, g: Int) -> Array:
    """Return the steps of a pair of classes in the order of column g."""
    slot = pair % PAIR_SLOTS
    x: Array = work.x[g, slot]
    if work.tag[g, slot] != pair:
        work.tag[g, slot] = pair
        label, weight, q = frame.plane[g, LABEL], frame.plane[g, WEIGHT], frame.q[g, side.column]
        for k in range(len(x)):
            sign = (label[k] == a) - np.int64(label[k] == b)
            x[k] = sign * weight[k] * ((q[k] ^ side.flip) <= side.limit)
    return x


@inner
def weigh(
    frame: Frame, work: Work, side: Side, f: Int, cut: Int, wanted: Array, out: Array
) -> None:
    """Put the class weights of the rows of a side with ``q[., f] <= cut`` into `out`.

    Classes without weight in `wanted` are left out.
    """
    label, weight = work.x[f, PAIR_SLOTS], frame.plane[f, WEIGHT]
    if work.tag[f, PAIR_SLOTS] < 0:
        work.tag[f, PAIR_SLOTS] = 0
        source, q = frame.plane[f, LABEL], frame.q[f, side.column]
        for k in range(len(label)):
            label[k] = source[k] if (q[k] ^ side.flip) <= side.limit else -1
    for c in range(len(out)):
        present = wanted[c] > 0
        out[c] = class_weight(frame.q[f, f], label, weight, cut, c, work.out) if present else 0


@inner
def add_up(total: Array) -> Int:
    """Return the sum of a vector."""
    result = np.int64(0)
    for weight in total:
        result += weight
    return result


@inner
def leaf_cost(table: Table, total: Array) -> Int:
    """Cost of a leaf with these class weights."""
    most = total[0]
    for weight in total:
        most = max(most, weight)
    return table.error_price * (add_up(total) - most) + table.node_price


@inner
def column_errors(
    frame: Frame, work: Work, outer: Side, inner: Side, total: Array, weight: Int, most: Int, g: Int
) -> Int:  # fmt: skip
    """Errors of the best test on a column, told apart only below `most`; none if impossible.

    Of the two sides of a test, one goes to each class of a pair. The errors are the weight of
    all other classes, and what of the pair lies on the wrong side.
    """
    classes, best = len(total), np.int64(INFINITE)
    for a in range(classes):
        if total[a] == 0:
            continue
        for b in range(a + 1, classes):
            if total[b] == 0:
                continue
            errors = weight - total[a] - total[b]
            if errors < most:
                x = steps(frame, work, outer, a, b, a * classes + b, g)
                low, high = extreme_prefixes(
                    frame.q[g, inner.column], x, frame.plane[g, LAST], inner.flip, inner.limit,
                    work.out,
                )  # fmt: skip
                errors += min(total[b] + low, total[a] - high)
            best = min(best, errors)
    return best if best < INFINITE else 0


@inner
def stump_bound(
    table: Table, frame: Frame, work: Work, outer: Side, inner: Side, total: Array, used: Array,
    need: Int, known: Array, found: Array,
) -> None:  # fmt: skip
    """Find the cost of the best leaf or single test of the rows on both given sides.

    Parameters
    ----------
    total : int64 (classes,)
        Class weights of these rows.
    need : int
        Tests that cost this much or more need not be told apart.
    known, found : int64 (columns + 1,)
        Lower bounds for each column, as known and as found. The last of `found` is the least of
        them and of a leaf: exact if it is below `need`.
    """
    columns, weight, best = len(frame.n_cuts), add_up(total), leaf_cost(table, total)
    for g in range(columns):
        base = 3 * table.node_price + weight * price(table, used, g)
        found[g] = max(known[g], base)
        if found[g] < need:
            most = weight + 1
            if table.error_price > 0:
                most = (need - base + table.error_price - 1) // table.error_price
            errors = column_errors(frame, work, outer, inner, total, weight, most, g)
            found[g] = max(known[g], base + table.error_price * errors)
        best = min(best, found[g])
    found[columns] = best
