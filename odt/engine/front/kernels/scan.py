"""Best cut of one column of a segment by gini, entropy or squared error, with exact ties.

A segment holds the entries ``keys[:, start:stop]`` of one set of rows, every column sorted. A
score is three numbers, (x, y, z): sums of squared class weights left and right and the weight
left (gini); minus the entropy times the weight in fixed point as z (entropy); the squares that
the cut explains as x (squared error). Ties go to the lowest cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odt.engine.compilation import inner
from odt.engine.front.kernels.arrays import floats, vector, zeros
from odt.engine.front.kernels.exact import compare_products
from odt.engine.front.kernels.layout import (
    CLASS_MASK,
    CODE_SHIFT,
    ENTROPY,
    ROW_BITS,
    ROW_MASK,
    SQUARED,
    Array,
    Data,
    Int,
)

EXACT_TOTAL = 1 << 20
_NEAR = 1e-12
_LEAST = -(1 << 62)


class Segment(NamedTuple):
    """A set of rows to split: its place, class weights, and the totals a scan starts from."""

    start: int
    stop: int
    counts: Array
    total: int
    rows: int
    squares: float
    logs: int
    error: int


@inner
def xlogx(data: Data, x: Int) -> Int:
    """X * log2(x) in fixed point, so that sums do not depend on their order."""
    if x < len(data.xlogx):
        return data.xlogx[x]
    return np.int64(np.rint(x * np.log2(np.float64(x)) * data.xlogx_scale))


@inner
def squared_error(data: Data, square: Int, part: Int, weight: Int) -> Int:
    """Squared error of a leaf in integer units, from its sums of y * y, y and one."""
    return np.int64(np.rint(max(0.0, square - part * part / weight) * data.scale))


@inner
def allowed(data: Data, count: Int, rows: Int, weight: Int, total: Int) -> Int:
    """Both sides of a cut are large enough."""
    least, light = data.min_count, data.min_weight
    return min(count, rows - count) >= least and min(weight, total - weight) >= light


@inner
def segment(data: Data, keys: Array, start: Int, stop: Int, criterion: Int) -> Segment:
    """Count a set of rows; for regression, ``squares`` is the sum of the target."""
    counts = zeros(data.classes)
    total = rows = top = logs = 0
    part = square = 0.0
    for i in range(start, stop):
        row = keys[0, i] & ROW_MASK
        w = data.weight[row]
        counts[(keys[0, i] >> ROW_BITS) & CLASS_MASK] += w
        total += w
        rows += data.rows[row]
        if criterion == SQUARED:
            part += w * data.target[row]
            square += w * data.target[row] * data.target[row]
    if criterion == SQUARED:
        return Segment(
            start, stop, counts, total, rows, part, 0, squared_error(data, square, part, total)
        )
    for k in range(len(counts)):
        top = max(top, counts[k])
        square += np.float64(counts[k]) * counts[k]
        if criterion == ENTROPY:
            logs += xlogx(data, counts[k])
    return Segment(start, stop, counts, total, rows, square, logs, total - top)


@inner
def compare_gini(a: Int, b: Int, wa: Int, c: Int, d: Int, wc: Int, total: Int) -> Int:
    """Sign of ``a/wa + b/(total-wa) - c/wc - d/(total-wc)``, exact for totals up to 2**20."""
    wb, wd = total - wa, total - wc
    new, old = a / wa + b / wb, c / wc + d / wd
    if abs(new - old) > _NEAR * old:
        return 1 if new > old else -1
    if total > EXACT_TOTAL:
        return 0
    left = np.int64(a) * wb + np.int64(b) * wa
    right = np.int64(c) * wd + np.int64(d) * wc
    return compare_products(left, wc * wd, right, wa * wb)


@inner
def compare(criterion: Int, x: Int, y: Int, z: Int, u: Int, v: Int, w: Int, total: Int) -> Int:
    """Sign of the difference of two scores (x, y, z) and (u, v, w)."""
    if criterion == ENTROPY:
        return (z > w) - (z < w)
    if criterion == SQUARED:
        return (x > u * (1.0 + _NEAR)) - (u > x * (1.0 + _NEAR))
    return compare_gini(x, y, z, u, v, w, total)


@inner
def gain(data: Data, part: Segment, criterion: Int, x: Int, y: Int, z: Int) -> Int:
    """Decrease of impurity times weight."""
    if criterion == ENTROPY:
        return np.float64(z - part.logs + xlogx(data, part.total))
    if criterion == SQUARED:
        return x - part.squares * part.squares / part.total
    return x / z + y / (part.total - z) - part.squares / part.total


@inner
def _gini(data: Data, entries: Array, part: Segment) -> tuple[Int, Int, Int, Int, Int]:
    left, right = floats(len(part.counts)), floats(len(part.counts))
    for k in range(len(left)):
        left[k], right[k] = 0.0, part.counts[k]
    best_l, best_r, best_w, low, high = -1.0, 0.0, 1, -1, -1
    best, sum_l, sum_r, weight, seen = 0.0, 0.0, part.squares, 0, 0
    free = data.min_count == 1 and data.min_weight == 0
    code = entries[part.start] >> CODE_SHIFT
    for i in range(part.start, part.stop):
        entry = entries[i]
        after = entry >> CODE_SHIFT
        if after != code:
            score = sum_l / weight + sum_r / (part.total - weight)
            if (
                score >= best * (1.0 - _NEAR)
                and (free or allowed(data, seen, part.rows, weight, part.total))
                and compare_gini(sum_l, sum_r, weight, best_l, best_r, best_w, part.total) > 0
            ):
                best, best_l, best_r, best_w = score, sum_l, sum_r, weight
                low, high = code, after
            code = after
        row = entry & ROW_MASK
        k = (entry >> ROW_BITS) & CLASS_MASK
        w = 1 if data.unit else data.weight[row]
        sum_l += w * (2.0 * left[k] + w)
        sum_r -= w * (2.0 * right[k] - w)
        left[k] += w
        right[k] -= w
        weight += w
        if not free:
            seen += data.rows[row]
    return best_l, best_r, best_w, low, high


@inner
def _entropy(data: Data, entries: Array, part: Segment) -> tuple[Int, Int, Int, Int, Int]:
    left, right = vector(len(part.counts)), vector(len(part.counts))
    for k in range(len(left)):
        left[k], right[k] = 0, part.counts[k]
    best, low, high, inside, weight, seen = np.int64(_LEAST), -1, -1, part.logs, 0, 0
    free = data.min_count == 1 and data.min_weight == 0
    code = entries[part.start] >> CODE_SHIFT
    for i in range(part.start, part.stop):
        entry = entries[i]
        after = entry >> CODE_SHIFT
        if after != code:
            score = inside - xlogx(data, weight) - xlogx(data, part.total - weight)
            if score > best and (free or allowed(data, seen, part.rows, weight, part.total)):
                best, low, high = score, code, after
            code = after
        row = entry & ROW_MASK
        k = (entry >> ROW_BITS) & CLASS_MASK
        w = 1 if data.unit else data.weight[row]
        a, b = left[k], right[k]
        inside += xlogx(data, a + w) - xlogx(data, a) + xlogx(data, b - w) - xlogx(data, b)
        left[k], right[k] = a + w, b - w
        weight += w
        if not free:
            seen += data.rows[row]
    return 0.0, 0.0, best, low, high


@inner
def _squared(data: Data, entries: Array, part: Segment) -> tuple[Int, Int, Int, Int, Int]:
    best, low, high = -1.0, -1, -1
    inside, weight, seen = 0.0, 0, 0
    code = entries[part.start] >> CODE_SHIFT
    for i in range(part.start, part.stop):
        entry = entries[i]
        after = entry >> CODE_SHIFT
        if after != code:
            rest = part.squares - inside
            score = inside * inside / weight + rest * rest / (part.total - weight)
            if score > best * (1.0 + _NEAR) and allowed(data, seen, part.rows, weight, part.total):
                best, low, high = score, code, after
            code = after
        row = entry & ROW_MASK
        inside += data.weight[row] * data.target[row]
        weight += data.weight[row]
        seen += data.rows[row]
    return best, 0.0, 0, low, high


@inner
def best_cut(
    data: Data, entries: Array, part: Segment, criterion: Int
) -> tuple[Int, Int, Int, Int, Int]:
    """Score (three numbers) of the best cut of a column, and the codes around it, -1 if none."""
    if entries[part.start] >> CODE_SHIFT == entries[part.stop - 1] >> CODE_SHIFT:
        return 0.0, 0.0, 0, -1, -1
    if criterion == ENTROPY:
        return _entropy(data, entries, part)
    if criterion == SQUARED:
        return _squared(data, entries, part)
    return _gini(data, entries, part)


@inner
def middle(data: Data, column: Int, low: Int, high: Int) -> Int:
    """The cut nearest below the midpoint of two values: ``x <= cut`` separates their codes."""
    base = data.offsets[column]
    point = 0.5 * data.values[base + low] + 0.5 * data.values[base + high]
    a, b = low, high - 1
    while a < b:
        m = (a + b + 1) >> 1
        if data.values[base + m] <= point:
            a = m
        else:
            b = m - 1
    return a
