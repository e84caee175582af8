"""Every cut of one column of a state that has one test left, without growing anything.

Each scan gets the entries of one state in one column and the error to beat, and returns the least
error of a cut and the code just below it (-1: no cut is better).
"""

from __future__ import annotations

import numpy as np

from odt.engine.compilation import inner
from odt.engine.front.kernels.arrays import vector, zeros
from odt.engine.front.kernels.layout import (
    CLASS_MASK,
    CODE_SHIFT,
    ROW_BITS,
    ROW_MASK,
    Array,
    Data,
    Int,
)
from odt.engine.front.kernels.scan import allowed, squared_error

WEIGHT, ROWS, SUM, SQUARE, MOMENTS = 0, 1, 2, 3, 4


@inner
def scan_binary(entries: Array, size: Int, counts: Array, best: Int) -> tuple[Int, Int]:
    """Two classes, unit weights, no limits on the sides."""
    zeros, ones, b, cut = counts[0], counts[1], 0, -1
    code = entries[0] >> CODE_SHIFT
    for i in range(size):
        entry = entries[i]
        value = entry >> CODE_SHIFT
        if value != code:
            error = min(i - b, b) + min(zeros - i + b, ones - b)
            if error < best:
                best, cut = error, code
            code = value
        b += (entry >> ROW_BITS) & 1
    return best, cut


@inner
def scan_classes(
    data: Data, entries: Array, size: Int, counts: Array, sums: Array, best: Int
) -> tuple[Int, Int]:
    """Any number of classes, weights and limits on the sides.

    The largest class on the right is only brought up to date where a stale, larger value would
    make a cut an improvement.
    """
    free, cut = data.min_count == 1 and data.min_weight == 0, -1
    total, every = np.int64(sums[WEIGHT]), np.int64(sums[ROWS])
    left, right = zeros(data.classes), vector(data.classes)
    weight = rows = top_left = top_right = 0
    for k in range(data.classes):
        right[k] = counts[k]
        top_right = max(top_right, counts[k])
    code = entries[0] >> CODE_SHIFT
    for i in range(size):
        entry = entries[i]
        value = entry >> CODE_SHIFT
        row = entry & ROW_MASK
        if value != code:
            if total - top_left - top_right < best:
                top_right = right[0]
                for k in range(1, data.classes):
                    top_right = max(top_right, right[k])
                error = total - top_left - top_right
                if error < best and (free or allowed(data, rows, every, weight, total)):
                    best, cut = error, code
            code = value
        k = (entry >> ROW_BITS) & CLASS_MASK
        w = 1 if data.unit else data.weight[row]
        if not free:
            weight += w
            rows += data.rows[row]
        left[k] += w
        right[k] -= w
        top_left = max(top_left, left[k])
    return best, cut


@inner
def scan_target(data: Data, entries: Array, size: Int, sums: Array, best: Int) -> tuple[Int, Int]:
    """Squared error."""
    part, square, weight, rows, cut = 0.0, 0.0, 0, 0, -1
    total, every = np.int64(sums[WEIGHT]), np.int64(sums[ROWS])
    code = entries[0] >> CODE_SHIFT
    for i in range(size):
        entry = entries[i]
        value = entry >> CODE_SHIFT
        row = entry & ROW_MASK
        if value != code:
            if allowed(data, rows, every, weight, total):
                error = squared_error(data, square, part, weight) + squared_error(
                    data, sums[SQUARE] - square, sums[SUM] - part, total - weight
                )
                if error < best:
                    best, cut = error, code
            code = value
        w = data.weight[row]
        weight += w
        rows += data.rows[row]
        part += w * data.target[row]
        square += w * data.target[row] * data.target[row]
    return best, cut


@inner
def best_last_cut(
    data: Data, entries: Array, size: Int, counts: Array, sums: Array, best: Int
) -> tuple[Int, Int]:
    """Least error below `best` of a cut of one column, and the code below it (-1: none)."""
    if entries[0] >> CODE_SHIFT == entries[size - 1] >> CODE_SHIFT:
        return best, -1
    if len(data.target):
        return scan_target(data, entries, size, sums, best)
    if data.classes == 2 and data.unit and data.min_count == 1 and data.min_weight == 0:
        return scan_binary(entries, size, counts, best)
    return scan_classes(data, entries, size, counts, sums, best)


@inner
def least_last_error(data: Data, counts: Array, sums: Array) -> Int:
    """Error below which no single test can go: all but the two largest classes."""
    if len(data.target):
        return 0
    first = second = np.int64(0)
    for k in range(data.classes):
        second = max(second, min(first, counts[k]))
        first = max(first, counts[k])
    return np.int64(sums[WEIGHT]) - first - second


@inner
def divide(entries: Array, size: Int, side: Array, left: Array, right: Array) -> None:
    """Copy the entries of both sides, each staying sorted."""
    a: Int = 0
    b: Int = 0
    for i in range(size):
        entry = entries[i]
        right_side = np.int64(side[entry & ROW_MASK])
        left[a] = entry
        right[b] = entry
        a += 1 - right_side
        b += right_side
