"""The linear program over pairs of examples, and its safe rounding to integer weights."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from odt.core.run import Allowance
from odt.engine.compilation import entry
from odt.engine.min_size.bits import pack
from odt.engine.min_size.pool import MAX_PAIRS, SCALE, Vector
from odt.engine.quiet_highs import QuietHighs
from odt.errors import Stopped

PORTION = 1 << 18
"""Pairs that are listed at once."""
OPTIONS = {"presolve": "off", "solver": "simplex", "simplex_strategy": 1}
"""Serial dual simplex without presolve: the fastest way for these small dense programs."""


def dual_vector(
    left: NDArray[np.bool_],
    position: NDArray[np.int32],
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    run: Allowance,
) -> Vector | None:
    """Return good weights for a subset of the examples: the packing LP, rounded safely.

    Parameters
    ----------
    left : bool array of shape (examples, cuts)
        First sides of all cuts.
    position : int array of shape (chains, examples)
        Number of cuts of each chain that an example lies beyond.
    labels : int array of shape (examples,)
        Class codes.
    rows : int array
        The examples of the subset.
    run : Allowance
        The program ends with it.

    Returns
    -------
    Vector or None
        None if the program was not solved.

    Raises
    ------
    Stopped
        If the run must stop.
    """
    one, two = hardest_pairs(position, labels, rows, run.should_stop)
    apart = left[one] ^ left[two]
    _, distinct = np.unique(pack(apart.T), axis=0, return_index=True)
    weight = _packing(apart[:, distinct], run.remaining())
    if weight is None:
        return None
    return _safe(apart, one, two, np.floor(SCALE * weight).astype(np.int64))


def hardest_pairs(
    position: NDArray[np.int32],
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    stop: Callable[[], bool] = lambda: False,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of different class in ``rows`` that the fewest cuts separate.

    Pairs are listed in portions, of which the hardest so far are kept.
    """
    n, pairs = len(rows), np.zeros((3, 0), dtype=np.int64)
    step = max(1, PORTION // max(n, 1))
    for first in range(0, n, step):
        Stopped.poll(stop)
        more = list_pairs(position, labels, rows, first, min(first + step, n))
        pairs = np.concatenate([pairs, more], axis=1)
        pairs = pairs[:, np.argsort(pairs[2], kind="stable")[:MAX_PAIRS]]
    return pairs[0], pairs[1]


@entry
def list_pairs(
    position: NDArray[np.int32],
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    first: int,
    last: int,
) -> NDArray[np.int64]:
    """Return the pairs of different class of ``rows[first:last]`` with later rows.

    The third row is how many cuts separate each.
    """
    n = rows.shape[0]
    pairs = np.empty((3, (last - first) * (n - first)), dtype=np.int64)
    found = 0
    for i in range(first, last):
        for j in range(i + 1, n):
            a, b = rows[i], rows[j]
            if labels[a] != labels[b]:
                pairs[0, found] = a
                pairs[1, found] = b
                pairs[2, found] = 0
                for f in range(position.shape[0]):
                    pairs[2, found] += abs(position[f, a] - position[f, b])
                found += 1
    return pairs[:, :found]


def _packing(apart: NDArray[np.bool_], seconds: float) -> NDArray[np.float64] | None:
    """Return weights of most total such that no column of ``apart`` carries more than 1."""
    matrix = csc_array(apart.T.astype(np.float64))
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = matrix.shape
    program.col_cost_ = -np.ones(program.num_col_)
    program.col_lower_ = np.zeros(program.num_col_)
    program.col_upper_ = np.ones(program.num_col_)
    program.row_lower_ = np.full(program.num_row_, -highspy.kHighsInf)
    program.row_upper_ = np.ones(program.num_row_)
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    solver: Any = QuietHighs()
    for option, value in OPTIONS.items():
        solver.setOptionValue(option, value)
    if isfinite(seconds):
        solver.setOptionValue("time_limit", seconds)
    solver.passModel(program)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.array(solver.getSolution().col_value)


def _safe(
    apart: NDArray[np.bool_],
    one: NDArray[np.int64],
    two: NDArray[np.int64],
    weight: NDArray[np.int64],
) -> Vector:
    """Scale integer weights down until no cut carries more than ``SCALE``."""
    used = weight > 0
    weight = weight[used]
    load = int((weight @ apart[used]).max(initial=0))
    if load > SCALE:
        weight = weight * SCALE // load
    return Vector(one[used].astype(np.int32), two[used].astype(np.int32), weight)
