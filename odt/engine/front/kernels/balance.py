"""Cuts that balance the pairs of different class between both sides (SER-DT, EC2).

Pairs are counted by the *mass* of the rows, ``p = m**2 - sum of squared class masses`` (twice the
number of pairs), and multiplied by their *importance* ``i``: ``p * i`` measures how much is left to
tell apart. Squares stay below 2**53, so that sums in float64 are exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odt.engine.compilation import entry, inner
from odt.engine.front.kernels.cart import mark, partition, prefix
from odt.engine.front.kernels.exact import compare_products
from odt.engine.front.kernels.layout import (
    CLASS_MASK,
    CODE_SHIFT,
    ENTROPY,
    ROW_BITS,
    ROW_MASK,
    Array,
    Data,
    Int,
)
from odt.engine.front.kernels.scan import allowed, compare_gini, xlogx

PAIRS = 3
"""The criterion of EC2: least sum of ``p * i`` over both sides."""
LOW, HIGH, MASS, CODES, LOGS, CUT_WIDTH = 0, 1, 2, 3, 4, 5
SCORE = 2
BEFORE, HEAVY, AFTER, HEAVIEST, RUN_WIDTH = 0, 1, 2, 3, 4
_NEAR = 1e-12


class Balance(NamedTuple):
    """What a segment of rows amounts to, and how much of it a side may keep.

    Attributes
    ----------
    mass, importance : int64 (rows,)
        Of each row; masses add up to at most 2**26.
    same : bool
        Importance is mass for every row.
    upright : bool (columns,)
        Whether the lower of two equal cuts of a column is taken.
    counts : int64 (K,)
        Mass of each class in the segment.
    total, whole, rows, weight : int
        Mass, importance, number of examples and weight of the segment.
    share, out_of : int
        A side may keep ``share / out_of`` of ``p * i``; ``out_of`` at most 2**10.
    """

    mass: Array
    importance: Array
    same: bool
    upright: Array
    counts: Array
    total: int
    whole: int
    rows: int
    weight: int
    share: int
    out_of: int


@inner
def _squares(counts: Array) -> Int:
    total = 0.0
    for k in range(len(counts)):
        total += np.float64(counts[k]) * counts[k]
    return total


@inner
def _keeps_more(b: Balance, pairs: Int, importance: Int, all_pairs: Int) -> Int:
    """Whether a part has more than its share of ``p * i``."""
    part = b.out_of * pairs * importance
    most = b.share * all_pairs * b.whole
    if part < most * (1.0 - _NEAR):
        return False
    if part > most * (1.0 + _NEAR):
        return True
    return (
        compare_products(
            np.int64(b.out_of * pairs), np.int64(importance), np.int64(b.share * all_pairs), b.whole
        )
        > 0
    )


@inner
def _lighter_codes(mass: Int, total: Int, codes: Int, all_codes: Int) -> Int:
    """Sum of the class codes on the lighter side: the same for a mirrored cut."""
    if 2 * mass == total:
        return min(codes, all_codes - codes)
    return codes if 2 * mass < total else all_codes - codes


@inner
def _score(b: Balance, criterion: Int, m: Int, i: Int, left: Int, right: Int, logs: Int) -> Int:
    """What to maximise, as a float; equal floats may still differ for gini."""
    other = b.total - m
    if criterion == PAIRS:
        remaining = (np.float64(m) * m - left) * i
        return -(remaining + (np.float64(other) * other - right) * (b.whole - i))
    if criterion == ENTROPY:
        return np.float64(logs)
    return left / m + right / other


@inner
def _admissible(b: Balance, m: Int, i: Int, left: Int, right: Int, all_pairs: Int) -> Int:
    """Neither side keeps more than its share."""
    other = b.total - m
    if _keeps_more(b, np.float64(m) * m - left, i, all_pairs):
        return False
    return not _keeps_more(b, np.float64(other) * other - right, b.whole - i, all_pairs)


@inner
def _compare(
    b: Balance, criterion: Int, score: Int, m: Int, left: Int, right: Int, lighter: Int,
    upright: Int, cut: Array, best: Array,
) -> Int:  # fmt: skip
    """Sign of the difference of a cut and the best one so far, ties resolved."""
    sign = (score > best[SCORE]) - (score < best[SCORE])
    if criterion == PAIRS or cut[LOW] < 0:
        return sign
    if criterion != ENTROPY:
        sign = compare_gini(left, right, m, best[0], best[1], cut[MASS], b.total)
    if sign == 0:
        side, old = min(m, b.total - m), min(cut[MASS], b.total - cut[MASS])
        sign = (side > old) - (side < old)
    if sign == 0:
        sign = (lighter < cut[CODES]) - (lighter > cut[CODES])
    if sign == 0:
        sign = 0 if upright else 1
    return sign


@inner
def _scan(data: Data, b: Balance, entries: Array, start: Int, stop: Int, criterion: Int,
          upright: Int, cut: Array, best: Array) -> None:  # fmt: skip
    """Write the best admissible cut of one sorted column; LOW stays -1 if there is none."""
    left, right = np.zeros(len(b.counts), np.int64), b.counts.copy()
    sum_l, sum_r = 0.0, _squares(b.counts)
    all_pairs, all_codes, inside = np.float64(b.total) * b.total - sum_r, 0, 0
    for k in range(len(right)):
        all_codes += k * right[k]
        inside += xlogx(data, right[k]) if criterion == ENTROPY else 0
    m, i, rows, weight, codes, logs = 0, 0, 0, 0, 0, 0
    limited = data.min_count > 1 or data.min_weight > 0
    code, least = entries[start] >> CODE_SHIFT, best[SCORE]
    for at in range(start, stop):
        packed = entries[at]
        after = packed >> CODE_SHIFT
        if after != code:
            if criterion == ENTROPY:
                logs = inside - xlogx(data, m) - xlogx(data, b.total - m)
            score = _score(b, criterion, m, i, sum_l, sum_r, logs)
            if (
                score >= least
                and not (limited and not allowed(data, rows, b.rows, weight, b.weight))
                and _admissible(b, m, i, sum_l, sum_r, all_pairs)
            ):
                lighter = _lighter_codes(m, b.total, codes, all_codes)
                if _compare(b, criterion, score, m, sum_l, sum_r, lighter, upright, cut, best) > 0:
                    cut[LOW], cut[HIGH], cut[MASS], cut[CODES] = code, after, m, lighter
                    cut[LOGS], best[0], best[1], best[SCORE] = logs, sum_l, sum_r, score
                    least = score - _NEAR * abs(score)
            code = after
        row = packed & ROW_MASK
        k = (packed >> ROW_BITS) & CLASS_MASK
        w = b.mass[row]
        x, y = left[k], right[k]
        sum_l += w * (2.0 * x + w)
        sum_r -= w * (2.0 * y - w)
        if criterion == ENTROPY:
            inside += xlogx(data, x + w) - xlogx(data, x) + xlogx(data, y - w) - xlogx(data, y)
        left[k], right[k] = x + w, y - w
        m += w
        i += w if b.same else b.importance[row]
        codes += k * w
        if limited:
            rows += data.rows[row]
            weight += data.weight[row]


@entry
def scan_cuts(
    data: Data, b: Balance, keys: Array, start: Int, stop: Int, criterion: Int
) -> tuple[Array, Array]:
    """Find the best admissible cut of every column of a segment.

    Ties go to the larger smaller side, then to the lower classes on it, then to the lower cut
    (the higher one where a column is not upright); with `PAIRS` to the lower cut at once.

    Returns
    -------
    cuts : int64 (columns, 5)
        Codes around the cut (LOW is -1 if there is none), mass on its left, sum of the class codes
        on its lighter side, and minus its entropy times the mass in fixed point.
    sums : float64 (columns, 3)
        Sums of squared class masses left and right; the score.
    """
    cuts, sums = np.empty((len(keys), CUT_WIDTH), np.int64), np.zeros((len(keys), 3))
    for f in range(len(keys)):
        cuts[f, LOW] = cuts[f, HIGH] = -1
        cuts[f, MASS] = cuts[f, CODES] = cuts[f, LOGS] = 0
        sums[f, SCORE] = -np.finfo(np.float64).max
        if keys[f, start] >> CODE_SHIFT != keys[f, stop - 1] >> CODE_SHIFT:
            _scan(data, b, keys[f], start, stop, criterion, b.upright[f], cuts[f], sums[f])
    return cuts, sums


@inner
def _run(b: Balance, entries: Array, at: Int, stop: Int, own: Array) -> tuple[Int, Int, Int]:
    """Pairs and importance of the rows of one value, and where they end."""
    code, end = entries[at] >> CODE_SHIFT, at
    m, i, squares = 0, 0, 0.0
    while end < stop and entries[end] >> CODE_SHIFT == code:
        row, k = entries[end] & ROW_MASK, (entries[end] >> ROW_BITS) & CLASS_MASK
        w = b.mass[row]
        squares += w * (2.0 * own[k] + w)
        own[k] += w
        m, i, end = m + w, i + b.importance[row], end + 1
    for back in range(at, end):
        own[(entries[back] >> ROW_BITS) & CLASS_MASK] = 0
    return np.float64(m) * m - squares, i, end


@entry
def scan_values(b: Balance, keys: Array, start: Int, stop: Int) -> tuple[Array, Array]:
    """Find in every column the value at which the heavy side flips, and its heaviest value.

    Returns
    -------
    values : int64 (columns, 4)
        The codes before and after the flip (-1: none), the flip itself (-1: constant column), and
        the pairs of the heaviest value.
    importance : int64 (columns,)
        Importance of the heaviest value; the product with its pairs is what is to be small.
    """
    values, importance = (
        np.full((len(keys), RUN_WIDTH), -1, np.int64),
        np.zeros(len(keys), np.int64),
    )
    all_pairs = np.float64(b.total) * b.total - _squares(b.counts)
    own, left = np.zeros(len(b.counts), np.int64), np.zeros(len(b.counts), np.int64)
    for f in range(len(keys)):
        entries = keys[f]
        if entries[start] >> CODE_SHIFT == entries[stop - 1] >> CODE_SHIFT:
            continue
        left[:] = 0
        at, before, m, i, squares, most = start, -1, 0, 0, 0.0, 0.0
        values[f, HEAVIEST] = 0
        while at < stop:
            code = entries[at] >> CODE_SHIFT
            pairs, own_importance, end = _run(b, entries, at, stop, own)
            if pairs * own_importance > most:
                most = pairs * own_importance
                values[f, HEAVIEST], importance[f] = np.int64(pairs), own_importance
            if values[f, HEAVY] < 0:
                for e in range(at, end):
                    row, k = entries[e] & ROW_MASK, (entries[e] >> ROW_BITS) & CLASS_MASK
                    w = b.mass[row]
                    squares += w * (2.0 * left[k] + w)
                    left[k] += w
                    m, i = m + w, i + b.importance[row]
                if _keeps_more(b, np.float64(m) * m - squares, i, all_pairs):
                    values[f, BEFORE], values[f, HEAVY] = before, code
                    if end < stop:
                        values[f, AFTER] = entries[end] >> CODE_SHIFT
            before, at = code, end
    return values, importance


@entry
def divide(
    keys: Array, start: Int, stop: Int, column: Int, cut: Int, side: Array, spare: Array
) -> Int:
    """Move the rows of a segment whose code is at most `cut` to its front; return their number."""
    left = prefix(keys[column], start, stop, cut)
    mark(keys[column], start, stop, left, side)
    partition(keys, start, stop, side, spare)
    return left
