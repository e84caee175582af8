"""The arrays of the kernels: what stays fixed, and the rows of one subproblem in lane order.

Everything runs on ranks: ``rank[f, r]`` numbers the distinct codes of a column, so values of any
scale are compared exactly. The width of all integers is chosen from the data: 16 bits where the
total weight allows, else 32 or 64; every prefix sum then fits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.compiler import entry
from odt.engine.branch_and_bound.lanes import LANES
from odt.engine.columns import Columns
from odt.problem import Problem

Array = NDArray[Any]


class Table(NamedTuple):
    """All kernel rows, and the prices of a tree.

    Attributes
    ----------
    rank : integers (columns, rows)
    label : int16 (rows,)
    weight : integers (rows,)
        Of the type of the prefix sums.
    count : int64 (rows,)
        Number of examples of a row.
    feature : int64 (columns,)
    test_price, new_price : int64 (columns,)
        Per unit of weight that meets a test on the column; more for the first test of its feature.
    error_price, node_price : int
    classes : int
    min_count, min_weight : int
        Least number of examples and least weight of a leaf; 0 where there is no limit.
    """

    rank: Array
    label: Array
    weight: Array
    count: Array
    feature: Array
    test_price: Array
    new_price: Array
    error_price: int
    node_price: int
    classes: int
    min_count: int
    min_weight: int


class Frame(NamedTuple):
    """The rows of one subproblem, every column sorted.

    Attributes
    ----------
    rows : int32 (columns, n)
        Kernel rows by rising rank.
    cuts : integers (columns, n)
        The distinct ranks that occur, rising: the test ``rank <= cuts[f, i]``.
    n_cuts : int64 (columns,)
        Number of tests that separate something.
    q : integers (columns, columns, slots)
        ``q[g, f]``: rank in column f of the rows sorted by column g, in lane order.
    label : int16 (columns, slots)
        -1 in slots that are not used.
    weight : integers (columns, slots)
    last : int8 (columns, slots)
        1 where the next row has another rank.
    """

    rows: Array
    cuts: Array
    n_cuts: Array
    q: Array
    label: Array
    weight: Array
    last: Array


def make_table(problem: Problem, columns: Columns) -> Table:
    """Return the table of a problem whose cost fits in 62 bits.

    Parameters
    ----------
    problem : Problem
    columns : Columns
        Its columns.
    """
    costs, data, shape = problem.costs, problem.dataset, problem.shape
    features = np.array([c.feature for c in columns.columns], dtype=np.int64)
    total = data.total_weight
    narrow = max(total, columns.n_rows) < 1 << 15
    middle = max(total, columns.n_rows) < 1 << 31
    steps = np.int16 if narrow else np.int32 if middle else np.int64
    codes = columns.codes if len(columns.columns) else np.zeros((0, columns.n_rows), np.int32)
    ranks = [np.unique(row, return_inverse=True)[1] for row in codes]
    return Table(
        rank=np.array(ranks, dtype=np.int16 if narrow else np.int32).reshape(codes.shape),
        label=columns.label.astype(np.int16),
        weight=columns.weight.astype(steps),
        count=columns.count,
        feature=features,
        test_price=costs.test * data.cost_units[features],
        new_price=np.full(len(features), costs.explanation, dtype=np.int64),
        error_price=costs.error,
        node_price=costs.node,
        classes=data.n_classes,
        min_count=shape.min_samples_leaf if shape.min_samples_leaf > 1 else 0,
        min_weight=problem.min_leaf_weight if problem.min_leaf_weight > 1 else 0,
    )


def root_frame(table: Table) -> Frame:
    """Return the frame of all rows."""
    order = np.argsort(table.rank, axis=1, kind="stable").astype(np.int32)
    return arrange(table, order)


@entry
def arrange(table: Table, rows: Array) -> Frame:
    """Return the frame of the given rows, sorted by every column: int32 (columns, n)."""
    columns, n = rows.shape
    length = (n + LANES - 1) // LANES
    slots = length * LANES
    cuts = np.empty((columns, n), table.rank.dtype)
    n_cuts = np.zeros(columns, np.int64)
    q = np.zeros((columns, columns, slots), table.rank.dtype)
    label = np.full((columns, slots), -1, np.int16)
    weight = np.zeros((columns, slots), table.weight.dtype)
    last = np.ones((columns, slots), np.int8)
    slot = np.empty(n, np.int64)
    for k in range(n):
        slot[k] = (k % length) * LANES + k // length
    for g in range(columns):
        found = 0
        for k in range(n):
            row = rows[g, k]
            label[g, slot[k]] = table.label[row]
            weight[g, slot[k]] = table.weight[row]
            if k + 1 < n and table.rank[g, rows[g, k + 1]] == table.rank[g, row]:
                last[g, slot[k]] = 0
            else:
                cuts[g, found] = table.rank[g, row]
                found += 1
        n_cuts[g] = found - 1
        for f in range(columns):
            here, keys = q[g, f], table.rank[f]
            for k in range(n):
                here[slot[k]] = keys[rows[g, k]]
    return Frame(rows, cuts, n_cuts, q, label, weight, last)


@entry
def split(table: Table, frame: Frame, side: Any) -> Array:
    """Return the rows of a frame on one side of a test, sorted by every column.

    Parameters
    ----------
    side : Side
    """
    columns, n = frame.rows.shape
    keys = table.rank[side.column]
    size = 0
    for k in range(n):
        size += (keys[frame.rows[0, k]] ^ side.flip) <= side.limit
    out = np.empty((columns, size), np.int32)
    for g in range(columns):
        at = 0
        for k in range(n):
            row = frame.rows[g, k]
            if (keys[row] ^ side.flip) <= side.limit:
                out[g, at] = row
                at += 1
    return out
