"""The compiled part of building boxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry, inner

EMPTY = -1
"""In place of a box without examples, and of a free slot."""


class Grid(NamedTuple):
    """What never changes while boxes are built.

    Attributes
    ----------
    codes : ndarray of int32, shape (m, d)
        The part of each coordinate that a distinct row is in.
    weights : ndarray of int64, shape (m, K)
        Its weight in each class.
    cut, left, right : ndarray, shape (intervals, p)
        See `Intervals`.
    random : ndarray of int64, shape (d, intervals)
        Random numbers; the hash of a box is the exclusive or of those of its intervals.
    """

    codes: NDArray[np.int32]
    weights: NDArray[np.int64]
    cut: NDArray[np.int64]
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    random: NDArray[np.int64]


class Level(NamedTuple):
    """Boxes of one depth, with room for more.

    Attributes
    ----------
    intervals : ndarray of int16, shape (size, d)
    hashes : ndarray of int64, shape (size,)
    weights : ndarray of int64, shape (size, K)
    start : ndarray of int64, shape (size + 1,)
        Where the rows of a box begin in ``rows``.
    rows : ndarray of int32
    table : ndarray of int32
        Open addressing: box numbers by hash; a power of two long and at most half full.
    """

    intervals: NDArray[np.int16]
    hashes: NDArray[np.int64]
    weights: NDArray[np.int64]
    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    table: NDArray[np.int32]


@inner
def _slot(level: Level, code: int, box: NDArray[np.int16]) -> int:
    """Return where the table has a box, or the free slot where it belongs."""
    mask = len(level.table) - 1
    slot = (code ^ (code >> 32)) & mask
    while True:
        found = level.table[slot]
        if found < 0:
            return slot
        if level.hashes[found] == code and (level.intervals[found] == box).all():
            return slot
        slot = (slot + 1) & mask


@inner
def _insert(
    grid: Grid, level: Level, n: int, slot: int, code: int, box: NDArray[np.int16],
    rows: NDArray[np.int32], keep_rows: bool,
) -> None:  # fmt: skip
    level.table[slot] = n
    level.hashes[n] = code
    level.intervals[n] = box
    level.weights[n] = 0
    for row in rows:
        level.weights[n] += grid.weights[row]
    level.start[n + 1] = level.start[n]
    if keep_rows:
        level.rows[level.start[n] : level.start[n] + len(rows)] = rows
        level.start[n + 1] += len(rows)


@entry
def expand(
    grid: Grid, above: Level, first: int, last: int, below: Level, n: int, keep_rows: bool,
    children: NDArray[np.int32],
) -> int:  # fmt: skip
    """Find the boxes after every question about the boxes ``first`` to ``last`` of a level.

    Parameters
    ----------
    grid : Grid
    above : Level
    first, last : int
    below : Level
        The next level; must have room.
    n : int
        Boxes it has so far.
    keep_rows : bool
        Whether the rows of new boxes will be needed.
    children : ndarray of int32, shape (size of above, d * p, 2)
        Filled in: the numbers in ``below`` after "at most" and "more"; -1 for an empty box.

    Returns
    -------
    int
        Boxes the next level has now.
    """
    d, p = grid.codes.shape[1], grid.cut.shape[1]
    yes, no = np.empty(len(grid.codes), np.int32), np.empty(len(grid.codes), np.int32)
    for s in range(first, last):
        box, rows = above.intervals[s].copy(), above.rows[above.start[s] : above.start[s + 1]]
        for k in range(d):
            old = box[k]
            rest = above.hashes[s] ^ grid.random[k, old]
            for u in range(p):
                cut, n_yes, n_no = grid.cut[old, u], 0, 0
                for row in rows:
                    if grid.codes[row, k] <= cut:
                        yes[n_yes] = row
                        n_yes += 1
                    else:
                        no[n_no] = row
                        n_no += 1
                for side in range(2):
                    new, count = (grid.left, n_yes) if side == 0 else (grid.right, n_no)
                    child = EMPTY
                    if count:
                        box[k] = new[old, u]
                        code = rest ^ grid.random[k, box[k]]
                        slot = _slot(below, code, box)
                        child = below.table[slot]
                        if child < 0:
                            child = n
                            members = yes[:n_yes] if side == 0 else no[:n_no]
                            _insert(grid, below, n, slot, code, box, members, keep_rows)
                            n += 1
                    children[s, k * p + u, side] = child
                box[k] = old
    return n


@entry
def rehash(level: Level, n: int) -> None:
    """Fill the table of a level, which must be empty, with its first ``n`` boxes."""
    for i in range(n):
        level.table[_slot(level, level.hashes[i], level.intervals[i])] = i
