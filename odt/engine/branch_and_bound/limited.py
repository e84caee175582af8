"""The exact cost of a side where leaves have a least number of examples or a least weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.compiler import compiled
from odt.engine.branch_and_bound.frame import Frame, Table

Array = NDArray[Any]
TOO_SMALL = 1 << 60


@compiled
def limited_side(table: Table, frame: Frame, outer: Any, inner: Any, used: Array) -> int:
    """Cost of the best leaf or stump of the rows on both given sides that keeps the limits.

    Parameters
    ----------
    outer, inner : Side

    Returns
    -------
    int
        `TOO_SMALL` if not even a leaf may stand here.
    """
    columns, n = frame.rows.shape
    total, left = np.zeros(table.classes, np.int64), np.zeros(table.classes, np.int64)
    best = np.int64(TOO_SMALL)
    for g in range(columns):
        total[:] = 0
        left[:] = 0
        examples, before = 0, 0
        members = np.empty(n, np.int32)
        size = 0
        for k in range(n):
            row = frame.rows[g, k]
            if (table.rank[outer.column, row] ^ outer.flip) <= outer.limit and (
                table.rank[inner.column, row] ^ inner.flip
            ) <= inner.limit:
                members[size] = row
                size += 1
                total[table.label[row]] += table.weight[row]
                examples += table.count[row]
        weight = total.sum()
        if examples < table.min_count or weight < table.min_weight:
            return TOO_SMALL
        best = min(best, table.error_price * (weight - total.max()) + table.node_price)
        fresh = used[table.feature[g]] == 0
        price = table.test_price[g] + fresh * table.new_price[g]
        base = 3 * table.node_price + weight * price
        for k in range(size - 1):
            row = members[k]
            left[table.label[row]] += table.weight[row]
            before += table.count[row]
            if table.rank[g, row] == table.rank[g, members[k + 1]]:
                continue
            part = left.sum()
            if min(before, examples - before) < table.min_count:
                continue
            if min(part, weight - part) < table.min_weight:
                continue
            errors = weight - left.max() - (total - left).max()
            best = min(best, base + table.error_price * errors)
    return best


@compiled
def limited_leaf(table: Table, frame: Frame, side: Any) -> int:
    """Cost of a leaf for the rows of a side; `TOO_SMALL` if it breaks the limits."""
    total = np.zeros(table.classes, np.int64)
    examples = 0
    for k in range(frame.rows.shape[1]):
        row = frame.rows[0, k]
        if (table.rank[side.column, row] ^ side.flip) <= side.limit:
            total[table.label[row]] += table.weight[row]
            examples += table.count[row]
    weight = total.sum()
    if examples < table.min_count or weight < table.min_weight:
        return TOO_SMALL
    return table.error_price * (weight - total.max()) + table.node_price
