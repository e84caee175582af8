"""Every cut of two sibling states that have one test left, in one pass and without a partition.

`side` tells to which of the two states a row belongs. For one column, `best` (in: error to beat;
out: least error of a cut) and `cuts` are filled for both; only strict improvements count.
"""

from __future__ import annotations

import numpy as np

from odt.engine.kernels.compiler import compiled
from odt.engine.kernels.layout import CLASS_MASK, CODE_SHIFT, ROW_BITS, ROW_MASK, Array, Data, Int
from odt.engine.kernels.scan import allowed, squared_error

WEIGHT, ROWS, SUM, SQUARE, MOMENTS = 0, 1, 2, 3, 4


@compiled
def scan_binary(
    entries: Array, size: Int, side: Array, counts: Array, best: Array, cuts: Array
) -> None:
    """Two classes, unit weights, no limits on the sides."""
    left = np.zeros(4, np.int64)
    code = np.full(2, -1, np.int64)
    for i in range(size):
        entry = entries[i]
        s = np.int64(side[entry & ROW_MASK])
        value = entry >> CODE_SHIFT
        if value != code[s]:
            a, b = left[2 * s], left[2 * s + 1]
            error = min(a, b) + min(counts[s, 0] - a, counts[s, 1] - b)
            if error < best[s]:
                best[s], cuts[s] = error, code[s]
            code[s] = value
        left[2 * s + ((entry >> ROW_BITS) & CLASS_MASK)] += 1


@compiled
def scan_classes(
    data: Data, entries: Array, size: Int, side: Array, counts: Array, sums: Array,
    best: Array, cuts: Array,
) -> None:  # fmt: skip
    """Any number of classes, weights and limits on the sides.

    The largest class on the right is only brought up to date where a stale, larger value would
    make a cut an improvement.
    """
    classes, free = data.classes, data.min_count == 1 and data.min_weight == 0
    left, right = np.zeros(2 * classes, np.int64), np.empty(2 * classes, np.int64)
    code, weight, rows = np.full(2, -1, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    top_left, rest = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for s in range(2):
        for k in range(classes):
            right[s * classes + k] = counts[s, k]
            rest[s] = max(rest[s], counts[s, k])
        rest[s] = np.int64(sums[s, WEIGHT]) - rest[s]
    for i in range(size):
        entry = entries[i]
        row = entry & ROW_MASK
        s = np.int64(side[row])
        value = entry >> CODE_SHIFT
        if value != code[s]:
            if rest[s] - top_left[s] < best[s]:
                top = right[s * classes]
                for k in range(s * classes + 1, (s + 1) * classes):
                    top = max(top, right[k])
                rest[s] = np.int64(sums[s, WEIGHT]) - top
                if rest[s] - top_left[s] < best[s] and (
                    free or allowed(data, rows[s], sums[s, ROWS], weight[s], sums[s, WEIGHT])
                ):
                    best[s], cuts[s] = rest[s] - top_left[s], code[s]
            code[s] = value
        k = s * classes + ((entry >> ROW_BITS) & CLASS_MASK)
        w = 1 if data.unit else data.weight[row]
        if not free:
            weight[s] += w
            rows[s] += data.rows[row]
        left[k] += w
        right[k] -= w
        top_left[s] = max(top_left[s], left[k])


@compiled
def scan_target(
    data: Data, entries: Array, size: Int, side: Array, sums: Array, best: Array, cuts: Array
) -> None:
    """Squared error."""
    part = np.zeros((2, MOMENTS))
    code = np.full(2, -1, np.int64)
    for i in range(size):
        entry = entries[i]
        row = entry & ROW_MASK
        s = np.int64(side[row])
        value = entry >> CODE_SHIFT
        if value != code[s]:
            p, q = part[s], sums[s]
            if code[s] >= 0 and allowed(data, p[ROWS], q[ROWS], p[WEIGHT], q[WEIGHT]):
                error = squared_error(data, p[SQUARE], p[SUM], p[WEIGHT]) + squared_error(
                    data, q[SQUARE] - p[SQUARE], q[SUM] - p[SUM], q[WEIGHT] - p[WEIGHT]
                )
                if error < best[s]:
                    best[s], cuts[s] = error, code[s]
            code[s] = value
        w = data.weight[row]
        part[s, WEIGHT] += w
        part[s, ROWS] += data.rows[row]
        part[s, SUM] += w * data.target[row]
        part[s, SQUARE] += w * data.target[row] * data.target[row]
