"""Growing the boxes level by level, with arrays that grow too."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.intervals import Intervals
from heuristics.rl.kernels import EMPTY, Grid, Level, expand, rehash
from odt.data.dataset import Dataset

_CHUNK = 16384
"""Questions answered between two looks at the limits, and at least those about one box."""
_SEED = 20230400


class Grown(NamedTuple):
    """Boxes of all levels, one after the other; see `Boxes`.

    Attributes
    ----------
    of_column, class_weights : ndarray
    levels : tuple of slice
    children : ndarray of int32, shape (n_inner, d * p, 2)
    complete : bool
    """

    of_column: NDArray[np.int16]
    class_weights: NDArray[np.int64]
    levels: tuple[slice, ...]
    children: NDArray[np.int32]
    complete: bool


def grow(
    dataset: Dataset,
    codes: NDArray[np.int64],
    intervals: Intervals,
    max_depth: int,
    max_states: int,
    should_stop: Callable[[], bool],
) -> Grown:
    """Expand the boxes breadth first until the largest depth or a limit.

    Parameters
    ----------
    dataset : Dataset
    codes : ndarray of int64, shape (n, d)
        See `Columns.codes`.
    intervals : Intervals
    max_depth, max_states : int
    should_stop : callable
    """
    grid = _grid(dataset, codes, intervals)
    levels, counts, children = [_root(grid)], [1], []
    complete = True
    for depth in range(max_depth if grid.codes.shape[1] else 0):
        total = sum(counts)
        below, n, links = _expand_level(
            grid, levels[-1], counts[-1], depth + 1 < max_depth, max_states - total, should_stop
        )
        links[links >= 0] += total
        children.append(links)
        complete = len(links) == counts[-1]
        levels[-1] = _without_rows(levels[-1])
        levels.append(below)
        counts.append(n)
        if not complete:
            break
    ends = np.cumsum([0, *counts]).tolist()
    questions = grid.codes.shape[1] * grid.cut.shape[1]
    return Grown(
        np.concatenate([level.intervals[:n] for level, n in zip(levels, counts, strict=True)]),
        np.concatenate([level.weights[:n] for level, n in zip(levels, counts, strict=True)]),
        tuple(slice(a, b) for a, b in pairwise(ends) if a < b),
        np.concatenate([np.empty((0, questions, 2), np.int32), *children]),
        complete,
    )


def _expand_level(
    grid: Grid,
    above: Level,
    n_above: int,
    keep_rows: bool,
    room: int,
    should_stop: Callable[[], bool],
) -> tuple[Level, int, NDArray[np.int32]]:
    """Return the next level, its number of boxes, and the links to it as far as they were found."""
    questions = grid.codes.shape[1] * grid.cut.shape[1]
    below, n, done = _level(grid, 0, 0), 0, 0
    links = np.empty((n_above, questions, 2), np.int32)
    while done < n_above and n < room and not should_stop():
        last = min(done + max(1, _CHUNK // questions), n_above)
        n_rows = int(above.start[last] - above.start[done]) * questions * keep_rows
        below = _with_room(grid, below, n, 2 * questions * (last - done), n_rows)
        n = expand(grid, above, done, last, below, n, keep_rows, links)
        done = last
    return below, n, links[:done]


def _grid(dataset: Dataset, codes: NDArray[np.int64], intervals: Intervals) -> Grid:
    """Merge the rows that no question tells apart."""
    d = codes.shape[1]
    rows, row_of = np.zeros((1, 0), np.int64), np.zeros(len(codes), np.int64)
    if d:
        rows, row_of = np.unique(codes, axis=0, return_inverse=True)
    weights = np.zeros((len(rows), dataset.n_classes), np.int64)
    np.add.at(weights, (row_of.reshape(-1), dataset.y), dataset.weights)
    generator = np.random.default_rng(_SEED)
    random = generator.integers(0, 2**63 - 1, size=(d, len(intervals.lower)))
    return Grid(rows.astype(np.int32), weights, intervals.cut, intervals.left, intervals.right,
                random)  # fmt: skip


def _root(grid: Grid) -> Level:
    root = _level(grid, 1, len(grid.codes))
    root.hashes[0] = np.bitwise_xor.reduce(grid.random[:, 0])
    root.weights[0] = grid.weights.sum(axis=0)
    root.rows[:] = np.arange(len(grid.codes))
    root.start[1] = len(grid.codes)
    return root


def _level(grid: Grid, size: int, n_rows: int) -> Level:
    """Return a level with room for so many boxes and rows; it holds the interval 0 everywhere."""
    slots = 1 << max(2 * size, 1).bit_length()
    return Level(
        np.zeros((size, grid.codes.shape[1]), np.int16),
        np.zeros(size, np.int64),
        np.zeros((size, grid.weights.shape[1]), np.int64),
        np.zeros(size + 1, np.int64),
        np.zeros(n_rows, np.int32),
        np.full(slots, EMPTY, np.int32),
    )


def _with_room(grid: Grid, level: Level, n: int, boxes: int, n_rows: int) -> Level:
    """Return the level with room for more boxes and rows, copied if need be."""
    used = int(level.start[n])
    if n + boxes <= len(level.hashes) and used + n_rows <= len(level.rows):
        return level
    wider = _level(grid, n + max(boxes, n), used + max(n_rows, used))
    wider.intervals[:n], wider.hashes[:n] = level.intervals[:n], level.hashes[:n]
    wider.weights[:n] = level.weights[:n]
    wider.start[: n + 1] = level.start[: n + 1]
    wider.rows[:used] = level.rows[:used]
    rehash(wider, n)
    return wider


def _without_rows(level: Level) -> Level:
    """Free what only the expansion of a level needs."""
    nothing = np.empty(0, np.int32)
    return level._replace(rows=nothing, table=nothing)
