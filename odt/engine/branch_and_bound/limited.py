"""The exact cost of a side where leaves have a least number of examples or a least weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import (
    COUNT,
    FEATURE,
    LABEL,
    NEW_PRICE,
    TEST_PRICE,
    WEIGHT,
    Frame,
    Int,
    Side,
    Table,
)
from odt.engine.compilation import inner

Array = NDArray[Any]
TOO_SMALL = 1 << 60


@inner
def price(table: Table, used: Array, column: Int) -> Int:
    """Price of one unit of weight that meets a test on a column, below the features used."""
    fresh = used[table.column[column, FEATURE]] == 0
    return table.column[column, TEST_PRICE] + fresh * table.column[column, NEW_PRICE]


@inner
def members(table: Table, frame: Frame, outer: Side, inner: Side, g: Int, rows: Array) -> Int:
    """Put the rows on both sides into `rows`, sorted by column g; return their number."""
    size = 0
    for row in frame.rows[g]:
        if (table.rank[outer.column, row] ^ outer.flip) <= outer.limit and (
            table.rank[inner.column, row] ^ inner.flip
        ) <= inner.limit:
            rows[size] = row
            size += 1
    return size


@inner
def errors_of(total: Array, part: Array) -> tuple[Int, Int]:
    """Return weight and errors of a leaf with the class weights ``total - part``."""
    weight, most = np.int64(0), np.int64(0)
    for c in range(len(total)):
        weight += total[c] - part[c]
        most = max(most, total[c] - part[c])
    return weight, weight - most


@inner
def limited_side(table: Table, frame: Frame, outer: Side, inner: Side, used: Array) -> Int:
    """Cost of the best leaf or stump of the rows on both given sides that keeps the limits.

    Returns
    -------
    int
        `TOO_SMALL` if not even a leaf may stand here.
    """
    best = np.int64(limited_leaf(table, frame, outer, inner))
    if best == TOO_SMALL:
        return best
    total, none = np.zeros(table.classes, np.int64), np.zeros(table.classes, np.int64)
    left, rows = np.zeros(table.classes, np.int64), np.empty(frame.rows.shape[1], np.int32)
    for g in range(len(frame.n_cuts)):
        size = members(table, frame, outer, inner, g, rows)
        examples, before = np.int64(0), np.int64(0)
        for c in range(table.classes):
            total[c] = left[c] = 0
        for k in range(size):
            total[table.row[rows[k], LABEL]] += table.row[rows[k], WEIGHT]
            examples += table.row[rows[k], COUNT]
        weight, _ = errors_of(total, none)
        base = 3 * table.node_price + weight * price(table, used, g)
        for k in range(size - 1):
            left[table.row[rows[k], LABEL]] += table.row[rows[k], WEIGHT]
            before += table.row[rows[k], COUNT]
            if table.rank[g, rows[k]] == table.rank[g, rows[k + 1]]:
                continue
            if min(before, examples - before) < table.min_count:
                continue
            after, wrong = errors_of(total, left)
            if min(after, weight - after) < table.min_weight:
                continue
            _, others = errors_of(left, none)
            best = min(best, base + table.error_price * (wrong + others))
    return best


@inner
def limited_leaf(table: Table, frame: Frame, outer: Side, inner: Side) -> Int:
    """Cost of a leaf for the rows on both given sides; `TOO_SMALL` if it breaks the limits."""
    total, none = np.zeros(table.classes, np.int64), np.zeros(table.classes, np.int64)
    rows = np.empty(frame.rows.shape[1], np.int32)
    examples = np.int64(0)
    for k in range(members(table, frame, outer, inner, 0, rows)):
        total[table.row[rows[k], LABEL]] += table.row[rows[k], WEIGHT]
        examples += table.row[rows[k], COUNT]
    weight, errors = errors_of(total, none)
    if examples < table.min_count or weight < table.min_weight:
        return TOO_SMALL
    return table.error_price * errors + table.node_price
