"""Lower bounds that save last-level scans: tests whose best outcome could not enter the front.

A set with a few rows more than another makes at least its errors, and one with a few rows less at
most their weight fewer. So a test is bounded by the tests of the same column scanned before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odt.engine.compilation import inner
from odt.engine.front.kernels.arrays import pairs, vector, zeros
from odt.engine.front.kernels.last_level import WEIGHT, least_last_error
from odt.engine.front.kernels.layout import Array, Data, Int
from odt.engine.front.kernels.split import Sides


class Scanned(NamedTuple):
    """Tests of a state whose sides are solved: column, and weight and least error of both sides."""

    size: Array
    column: Array
    weight: Array
    error: Array


@inner
def make_scanned(tests: Int) -> Scanned:
    """Room for a number of tests."""
    return Scanned(zeros(1), vector(tests), pairs(tests), pairs(tests))


@inner
def note(scanned: Scanned, column: Int, sides: Sides, left_error: Int, right_error: Int) -> None:
    """Remember a solved test."""
    at = scanned.size[0]
    scanned.column[at] = column
    for s in range(2):
        scanned.weight[at, s] = np.int64(sides.sums[s, WEIGHT])
    scanned.error[at, 0], scanned.error[at, 1] = left_error, right_error
    scanned.size[0] += 1


@inner
def floor(data: Data, scanned: Scanned, column: Int, sides: Sides, s: Int) -> Int:
    """Least error that a side with one test left can have."""
    least = least_last_error(data, sides.counts[s], sides.sums[s])
    if len(data.target) or data.min_count > 1 or data.min_weight > 0:
        return least  # a smaller set may break a limit that the larger one keeps
    weight = np.int64(sides.sums[s, WEIGHT])
    for i in range(scanned.size[0]):
        if scanned.column[i] == column:
            more = max(np.int64(0), scanned.weight[i, s] - weight)
            least = max(least, scanned.error[i, s] - more)
    return least
