"""The arrays of the kernels: what stays fixed, and the rows of one subproblem in lane order.

Everything runs on ranks: ``rank[f, r]`` numbers the distinct codes of a column, so values of any
scale are compared exactly. The width of the integers is chosen from the data: 16 bits where the
total weight allows, else 32 or 64; every prefix sum then fits. There are few arrays with several
planes each, because the time to compile grows with the number of arrays that are passed on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.lanes import LANES
from odt.engine.compilation import inner
from odt.engine.front.columns import Columns
from odt.model.problem import Problem

Array = NDArray[Any]
Int = Any
"""A number in a kernel: Python's or one of NumPy's."""
LABEL, WEIGHT, COUNT = 0, 1, 2
FEATURE, TEST_PRICE, NEW_PRICE = 0, 1, 2
LAST = 2


class Table(NamedTuple):
    """All kernel rows, and the prices of a tree.

    Attributes
    ----------
    rank : integers (columns, rows)
        Their type is that of all integers in lane order.
    row : int64 (rows, 3)
        `LABEL`, `WEIGHT`, and `COUNT`, the number of examples.
    column : int64 (columns, 3)
        `FEATURE`, `TEST_PRICE` per unit of weight that meets a test on the column, `NEW_PRICE`
        for the first test of its feature on a path.
    error_price, node_price : int
    classes : int
    min_count, min_weight : int
        Least number of examples and least weight of a leaf; 0 where there is no limit.
    """

    rank: Array
    row: Array
    column: Array
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
    plane : integers (columns, 3, slots)
        For the rows sorted by each column, in lane order: `LABEL`, -1 in slots that are not used;
        `WEIGHT`; and `LAST`, 1 where the next row has another rank.
    """

    rows: Array
    cuts: Array
    n_cuts: Array
    q: Array
    plane: Array


class Side(NamedTuple):
    """Rows of a frame on one side of a test: ``q[g, column] ^ flip <= limit``."""

    column: Int
    flip: Int
    limit: Int


@inner
def at_most(column: Int, cut: Int) -> Side:
    """Return the rows with ``q <= cut``."""
    return Side(np.int64(column), np.int64(0), np.int64(cut))


@inner
def above(column: Int, cut: Int) -> Side:
    """Return the rows with ``q > cut``, which is ``q ^ -1 <= -cut - 2``."""
    return Side(np.int64(column), np.int64(-1), np.int64(-cut - 2))


@inner
def everything(frame: Frame) -> Side:
    """Return the side of a test that all rows pass."""
    return at_most(0, frame.cuts[0, frame.n_cuts[0]])


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
    width = _integers(problem, columns)
    codes = columns.codes if len(features) else np.zeros((0, columns.n_rows), np.int32)
    ranks = [(np.cumsum(np.bincount(row) > 0) - 1)[row] for row in codes]
    new = np.full(len(features), costs.prices.explanation)
    return Table(
        rank=np.array(ranks, dtype=width).reshape(codes.shape),
        row=np.column_stack([columns.label, columns.weight, columns.count]).astype(np.int64),
        column=np.column_stack([features, costs.prices.tests * data.cost_units[features], new]),
        error_price=costs.prices.errors,
        node_price=costs.prices.nodes,
        classes=data.n_classes,
        min_count=shape.min_samples_leaf if shape.min_samples_leaf > 1 else 0,
        min_weight=problem.limits.leaf_weight if problem.limits.leaf_weight > 1 else 0,
    )


def frame_bytes(problem: Problem, columns: Columns) -> int:
    """Return about how much memory the frame of all rows takes."""
    itemsize = int(np.dtype(_integers(problem, columns)).itemsize)
    return len(columns.columns) ** 2 * columns.n_rows * itemsize


def _integers(problem: Problem, columns: Columns) -> type[np.signedinteger[Any]]:
    return smallest_integers(max(problem.dataset.total_weight, columns.n_rows))


def smallest_integers(largest: int) -> type[np.signedinteger[Any]]:
    """Return the smallest integers for rows whose total weight and ranks are at most this."""
    kinds: tuple[type[np.signedinteger[Any]], ...] = (np.int16, np.int32, np.int64)
    return next(kind for kind in kinds if largest < np.iinfo(kind).max)


def root_frame(table: Table) -> Frame:
    """Return the frame of all rows."""
    order = np.argsort(table.rank, axis=1, kind="stable").astype(np.int32)
    return arrange(table, order)


def arrange(table: Table, rows: Array) -> Frame:
    """Return the frame of the given rows, sorted by every column: int32 (columns, n)."""
    columns, n = rows.shape
    length, kind = (n + LANES - 1) // LANES, table.rank.dtype
    own = np.take_along_axis(table.rank, rows, axis=1)
    last = np.ones((columns, n), dtype=bool)
    last[:, :-1] = own[:, 1:] != own[:, :-1]
    cuts, n_cuts = np.zeros((columns, n), dtype=kind), last.sum(axis=1) - 1
    for g in range(columns):
        cuts[g, : n_cuts[g] + 1] = own[g, last[g]]
    spare = length * LANES - n
    lane = np.arange(length * LANES).reshape(LANES, length).T.ravel()
    filled = np.minimum(lane, n - 1)
    plane = np.empty((columns, 3, length * LANES), dtype=kind)
    plane[:, LABEL] = table.row[rows, LABEL][:, filled]
    plane[:, WEIGHT] = table.row[rows, WEIGHT][:, filled]
    plane[:, LAST] = last[:, filled]
    if spare:
        plane[:, :, lane >= n] = np.array([-1, 0, 0], dtype=kind)[:, None]
    q = np.empty((columns, columns, length * LANES), dtype=kind)
    for g in range(columns):
        np.take(table.rank, rows[g, filled], axis=1, out=q[g])
    return Frame(rows, cuts, n_cuts, q, plane)


def split(table: Table, frame: Frame, side: Side) -> Array:
    """Return the rows of a frame on one side of a test, sorted by every column."""
    key = table.rank[side.column].astype(np.int64)
    inside = (key ^ side.flip) <= side.limit
    rows: Array = frame.rows[inside[frame.rows]]
    return rows.reshape(len(frame.rows), -1)
