"""From the plan of a kernel to a tree; the last test of every path is chosen here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import FEATURE, Table
from odt.engine.front.columns import Columns
from odt.model.tree import Tree

Array = NDArray[Any]


def rebuild(columns: Columns, table: Table, plan: Array, depth: int) -> Tree:
    """Return the tree of a plan.

    Parameters
    ----------
    columns : Columns
    table : Table
        Made of these columns.
    plan : int64 (2**(depth - 1) - 1, 2)
        See `best_tree`.
    depth : int
        At least 1.
    """
    used = np.zeros(columns.problem.dataset.n_features, dtype=np.int64)
    return _build(columns, table, plan, depth, np.arange(columns.n_rows), used)


def _build(
    columns: Columns, table: Table, plan: Array, depth: int, rows: Array, used: Array
) -> Tree:
    if depth == 0:
        test = None
    elif depth == 1:
        test = best_test(table, rows, used)
    else:
        test = None if plan[0, 0] < 0 else (int(plan[0, 0]), int(plan[0, 1]))
    if test is None:
        return Tree.leaf(columns.largest_class(rows))
    column, cut = test
    here = table.rank[column, rows]
    half = (len(plan) - 1) // 2
    sides = (rows[here <= cut], plan[1 : 1 + half]), (rows[here > cut], plan[1 + half :])
    for (_, below), (others, _) in (sides, sides[::-1]):
        if not len(others):  # the test separates nothing
            return _build(columns, table, below, depth - 1, rows, used)
    deeper = used.copy()
    deeper[table.column[column, FEATURE]] += 1
    left, right = (_build(columns, table, p, depth - 1, r, deeper) for r, p in sides)
    codes = columns.codes[column]
    cut = columns.centred(column, int(codes[sides[0][0]].max()), int(codes[sides[1][0]].min()))
    return Tree.branch(columns.test(column, cut), left, right)


def best_test(table: Table, rows: Array, used: Array) -> tuple[int, int] | None:
    """Return column and cut of the test that, with two leaves, is cheaper than a leaf.

    Ties go to the leaf, then to the lowest column and cut.

    Parameters
    ----------
    table : Table
    rows : int array
    used : int64 (features,)
        How often each feature was asked before.
    """
    label, weight, count = table.row[rows].T
    total, n_examples = np.zeros(table.classes, dtype=np.int64), int(count.sum())
    np.add.at(total, label, weight)
    mass = int(total.sum())
    best: int | None = table.error_price * (mass - int(total.max())) + table.node_price
    found = None
    if n_examples < table.min_count or mass < table.min_weight:
        best = None
    for f in range(len(table.rank)):
        rank = table.rank[f, rows].astype(np.intp)
        examples = np.bincount(rank, weights=count).astype(np.int64)
        cuts = np.flatnonzero(examples)[:-1]
        if not len(cuts):
            continue
        by_class = np.zeros((len(examples), table.classes), dtype=np.int64)
        np.add.at(by_class, (rank, label), weight)
        left = by_class.cumsum(axis=0)[cuts]
        examples = examples.cumsum()[cuts]
        errors = mass - left.max(axis=1) - (total - left).max(axis=1)
        small = np.minimum(examples, n_examples - examples) < table.min_count
        small |= np.minimum(left.sum(axis=1), mass - left.sum(axis=1)) < table.min_weight
        if small.all():
            continue
        at = int(np.where(small, mass + 1, errors).argmin())
        feature, price, new = table.column[f].tolist()
        price += (used[feature] == 0) * new
        cost = table.error_price * int(errors[at]) + 3 * table.node_price + mass * price
        if best is None or cost < best:
            best, found = cost, (f, int(cuts[at]))
    return found
