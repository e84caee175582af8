"""The two sides of a test: what is counted, and which tests are actions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odt.engine.compilation import inner
from odt.engine.front.kernels.arrays import table, vector
from odt.engine.front.kernels.cart import prefix
from odt.engine.front.kernels.last_level import MOMENTS, ROWS, SQUARE, SUM, WEIGHT
from odt.engine.front.kernels.layout import CLASS_MASK, ROW_BITS, ROW_MASK, Array, Data, Int
from odt.engine.front.kernels.scan import allowed, squared_error


class Sides(NamedTuple):
    """Class weights, moments, digest, number of entries and leaf error of each side."""

    counts: Array
    sums: Array
    digest: Array
    size: Array
    error: Array


@inner
def make_sides(classes: Int) -> Sides:
    """Room for the two sides of a test."""
    return Sides(
        table(2, classes),
        np.empty((2, MOMENTS)),
        np.empty((2, 2), np.uint64),
        vector(2),
        vector(2),
    )


@inner
def _close(data: Data, sides: Sides, s: Int) -> None:
    """Error of one leaf over a side."""
    sums = sides.sums[s]
    sides.error[s] = 0
    if sides.size[s] and len(data.target):
        sides.error[s] = squared_error(data, sums[SQUARE], sums[SUM], np.int64(sums[WEIGHT]))
    elif sides.size[s]:
        top = np.int64(0)
        for k in range(data.classes):
            top = max(top, sides.counts[s, k])
        sides.error[s] = np.int64(sums[WEIGHT]) - top


@inner
def count_side(data: Data, entries: Array, start: Int, stop: Int, sides: Sides, s: Int) -> None:
    """Fill a side from a range of entries."""
    counts, sums = sides.counts[s], sides.sums[s]
    for k in range(data.classes):
        counts[k] = 0
    for k in range(MOMENTS):
        sums[k] = 0.0
    first = second = np.uint64(0)
    weight = rows = 0
    for i in range(start, stop):
        row = entries[i] & ROW_MASK
        w = data.weight[row]
        counts[(entries[i] >> ROW_BITS) & CLASS_MASK] += w
        weight += w
        rows += data.rows[row]
        first += data.digest[row, 0]
        second += data.digest[row, 1]
        if len(data.target):
            sums[SUM] += w * data.target[row]
            sums[SQUARE] += w * data.target[row] * data.target[row]
    sums[WEIGHT], sums[ROWS] = weight, rows
    sides.digest[s, 0], sides.digest[s, 1], sides.size[s] = first, second, stop - start
    _close(data, sides, s)


@inner
def _subtract(data: Data, whole: Sides, sides: Sides, known: Int) -> None:
    """Fill the other side from the whole and the known side."""
    s = 1 - known
    for k in range(data.classes):
        sides.counts[s, k] = whole.counts[0, k] - sides.counts[known, k]
    for k in range(MOMENTS):
        sides.sums[s, k] = whole.sums[0, k] - sides.sums[known, k]
    for k in range(2):
        sides.digest[s, k] = whole.digest[0, k] - sides.digest[known, k]
    sides.size[s] = whole.size[0] - sides.size[known]
    _close(data, sides, s)


@inner
def separate(data: Data, keys: Array, column: Int, cut: Int, whole: Sides, sides: Sides) -> Int:
    """Fill both sides of a test; its number of left entries, or 0 if it is not an action."""
    size, entries = whole.size[0], keys[column]
    left = prefix(entries, 0, size, cut)
    if left == 0 or left == size:
        return 0
    known, start, stop = 0, 0, left
    if 2 * left > size:
        known, start, stop = 1, left, size
    count_side(data, entries, start, stop, sides, known)
    _subtract(data, whole, sides, known)
    a, b = sides.sums[0], whole.sums[0]
    return (
        left
        if allowed(
            data, np.int64(a[ROWS]), np.int64(b[ROWS]), np.int64(a[WEIGHT]), np.int64(b[WEIGHT])
        )
        else 0
    )


@inner
def gather(keys: Array, size: Int, side: Array, wanted: Int, out: Array) -> None:
    """Copy the entries of one side to the next level, every column staying sorted."""
    for f in range(len(keys)):
        entries, target = keys[f], out[f]
        at = 0
        for i in range(size):
            target[at] = entries[i]
            at += side[entries[i] & ROW_MASK] == wanted
