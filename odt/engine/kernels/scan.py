"""Best cut of a segment by gini, entropy or squared error, with exact ties.

A segment holds the entries ``keys[:, start:stop]`` of one set of rows, every column sorted. Ties
go to the lowest column, then the lowest cut.
"""

from __future__ import annotations

import numpy as np

from odt.engine.kernels.compiler import compiled
from odt.engine.kernels.exact import compare_products
from odt.engine.kernels.layout import (
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


@compiled
def xlogx(data: Data, x: Int) -> Int:
    """X * log2(x) in fixed point, so that sums do not depend on their order."""
    if x < len(data.xlogx):
        return data.xlogx[x]
    return np.int64(np.rint(x * np.log2(np.float64(x)) * data.xlogx_scale))


@compiled
def largest(counts: Array) -> Int:
    """The largest entry."""
    top = counts[0]
    for k in range(1, len(counts)):
        top = max(top, counts[k])
    return top


@compiled
def count_classes(data: Data, keys: Array, start: Int, stop: Int, counts: Array) -> tuple[Int, Int]:
    """Fill the class weights of a segment; return its weight and its number of data rows."""
    weight = rows = 0
    for k in range(len(counts)):
        counts[k] = 0
    for i in range(start, stop):
        row = keys[0, i] & ROW_MASK
        counts[(keys[0, i] >> ROW_BITS) & CLASS_MASK] += data.weight[row]
        weight += data.weight[row]
        rows += data.rows[row]
    return weight, rows


@compiled
def allowed(data: Data, count: Int, rows: Int, weight: Int, total: Int) -> Int:
    """Both sides of a cut are large enough."""
    least, light = data.min_count, data.min_weight
    return min(count, rows - count) >= least and min(weight, total - weight) >= light


@compiled
def _exceeds(a: Int, b: Int, c: Int, d: Int, wa: Int, wc: Int, total: Int) -> Int:
    """Whether a / wa + b / (total - wa) > c / wc + d / (total - wc), exact up to 2**20."""
    wb, wd = total - wa, total - wc
    new, old = a / wa + b / wb, c / wc + d / wd
    if abs(new - old) > _NEAR * old:
        return new > old
    if total > EXACT_TOTAL:
        return False
    left = np.int64(a) * wb + np.int64(b) * wa
    right = np.int64(c) * wd + np.int64(d) * wc
    return compare_products(left, wc * wd, right, wa * wb) > 0


@compiled
def _gini(
    data: Data, keys: Array, start: Int, stop: Int, counts: Array, rows: Int, total: Int
) -> tuple[float, Int, Int, Int]:
    """Largest decrease of gini impurity times weight; column and the codes around the cut."""
    left, right = np.empty(len(counts)), np.empty(len(counts))
    square = 0.0
    for k in range(len(counts)):
        square += np.float64(counts[k]) * counts[k]
    best_l, best_r, best_w = -1.0, 0.0, 1
    best, column, low, high = 0.0, -1, 0, 0
    free = data.min_count == 1 and data.min_weight == 0
    for f in range(len(keys)):
        entries = keys[f]
        code = entries[start] >> CODE_SHIFT
        if code == entries[stop - 1] >> CODE_SHIFT:
            continue
        for k in range(len(counts)):
            left[k], right[k] = 0.0, counts[k]
        sum_l, sum_r, weight, seen = 0.0, square, 0, 0
        for i in range(start, stop):
            entry = entries[i]
            after = entry >> CODE_SHIFT
            if after != code:
                score = sum_l / weight + sum_r / (total - weight)
                if (
                    score >= best * (1.0 - _NEAR)
                    and (free or allowed(data, seen, rows, weight, total))
                    and _exceeds(sum_l, sum_r, best_l, best_r, weight, best_w, total)
                ):
                    best, best_l, best_r, best_w = score, sum_l, sum_r, weight
                    column, low, high = f, code, after
                code = after
            row = entry & ROW_MASK
            k = (entry >> ROW_BITS) & CLASS_MASK
            w = 1 if data.unit else data.weight[row]
            sum_l += w * (2.0 * left[k] + w)
            sum_r -= w * (2.0 * right[k] - w)
            left[k] += w
            right[k] -= w
            weight += w
            seen += 1 if data.unit else data.rows[row]
    return best - square / total, column, low, high


@compiled
def _entropy(
    data: Data, keys: Array, start: Int, stop: Int, counts: Array, rows: Int, total: Int
) -> tuple[float, Int, Int, Int]:
    """As `_gini` for entropy in bits, in fixed point."""
    left, right = np.empty(len(counts), np.int64), np.empty(len(counts), np.int64)
    whole = 0
    for k in range(len(counts)):
        whole += xlogx(data, counts[k])
    best, column, low, high = np.int64(-1), -1, 0, 0
    free = data.min_count == 1 and data.min_weight == 0
    for f in range(len(keys)):
        entries = keys[f]
        code = entries[start] >> CODE_SHIFT
        if code == entries[stop - 1] >> CODE_SHIFT:
            continue
        for k in range(len(counts)):
            left[k], right[k] = 0, counts[k]
        inside, weight, seen = whole, 0, 0
        for i in range(start, stop):
            entry = entries[i]
            after = entry >> CODE_SHIFT
            if after != code:
                score = inside - xlogx(data, weight) - xlogx(data, total - weight)
                if (column < 0 or score > best) and (
                    free or allowed(data, seen, rows, weight, total)
                ):
                    best, column, low, high = score, f, code, after
                code = after
            row = entry & ROW_MASK
            k = (entry >> ROW_BITS) & CLASS_MASK
            w = 1 if data.unit else data.weight[row]
            a, b = left[k], right[k]
            inside += xlogx(data, a + w) - xlogx(data, a) + xlogx(data, b - w) - xlogx(data, b)
            left[k], right[k] = a + w, b - w
            weight += w
            seen += 1 if data.unit else data.rows[row]
    return np.float64(best - whole + xlogx(data, total)), column, low, high


@compiled
def _squared(
    data: Data, keys: Array, start: Int, stop: Int, rows: Int, total: Int
) -> tuple[float, Int, Int, Int]:
    """As `_gini` for the sum of squared deviations from the mean."""
    whole = 0.0
    for i in range(start, stop):
        row = keys[0, i] & ROW_MASK
        whole += data.weight[row] * data.target[row]
    root = whole * whole / total
    best, column, low, high = root, -1, 0, 0
    for f in range(len(keys)):
        entries = keys[f]
        code = entries[start] >> CODE_SHIFT
        part, weight, seen = 0.0, 0, 0
        for i in range(start, stop):
            entry = entries[i]
            after = entry >> CODE_SHIFT
            if after != code:
                rest = whole - part
                score = part * part / weight + rest * rest / (total - weight)
                if (column < 0 or score > best + _NEAR * abs(best)) and allowed(
                    data, seen, rows, weight, total
                ):
                    best, column, low, high = score, f, code, after
                code = after
            row = entry & ROW_MASK
            w = data.weight[row]
            part += w * data.target[row]
            weight += w
            seen += data.rows[row]
    return best - root, column, low, high


@compiled
def leaf_error(data: Data, keys: Array, start: Int, stop: Int, counts: Array) -> Int:
    """Error of one leaf over a segment: misclassified weight, or squared error times the scale."""
    total, _ = count_classes(data, keys, start, stop, counts)
    if len(data.target) == 0:
        return total - largest(counts)
    part = square = 0.0
    for i in range(start, stop):
        row = keys[0, i] & ROW_MASK
        part += data.weight[row] * data.target[row]
        square += data.weight[row] * data.target[row] * data.target[row]
    return squared_error(data, square, part, total)


@compiled
def squared_error(data: Data, square: Int, part: Int, weight: Int) -> Int:
    """Squared error of a leaf in integer units, from its sums of y * y, y and one."""
    return np.int64(np.rint(max(0.0, square - part * part / weight) * data.scale))


@compiled
def best_cut(
    data: Data, keys: Array, start: Int, stop: Int, criterion: Int, counts: Array
) -> tuple[float, Int, Int, Int]:
    """Gain, column, and the codes just below and above the best cut; column -1 if there is none."""
    if leaf_error(data, keys, start, stop, counts) == 0:
        return 0.0, -1, 0, 0
    total, rows = count_classes(data, keys, start, stop, counts)
    if criterion == SQUARED:
        return _squared(data, keys, start, stop, rows, total)
    if criterion == ENTROPY:
        return _entropy(data, keys, start, stop, counts, rows, total)
    return _gini(data, keys, start, stop, counts, rows, total)


@compiled
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
