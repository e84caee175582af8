"""Hash table from sets of examples to proved bounds, in plain arrays.

One record belongs to one pair of a set of examples and a depth limit. It holds a lower and an
upper bound on the fewest branches of a consistent tree within that depth, and the cut that
proves the upper bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.min_size.bits import Words, count, kernel

LOWER, UPPER, SPLIT, VERSION, TRIED = range(5)
FIELDS = 5
INFINITE = 1 << 20
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)


class Memo(NamedTuple):
    """Arrays of the table: ``keys`` (capacity, words + 1) and ``record`` (capacity, FIELDS).

    The last word of a key is the depth limit, ``EMPTY`` in a free slot.
    """

    keys: Words
    record: NDArray[np.int32]


def new_memo(capacity: int, width: int) -> Memo:
    """Return an empty table; ``capacity`` must be a power of two."""
    keys = np.empty((capacity, width + 1), dtype=np.uint64)
    keys[:, width] = EMPTY
    return Memo(keys, np.empty((capacity, FIELDS), dtype=np.int32))


@kernel
def find(keys: Words, words: Words, depth: int) -> int:
    """Return the slot of a set and depth limit, or of the free place where it belongs."""
    width = words.shape[0]
    tag = np.uint64(depth)
    h = tag * np.uint64(0x9E3779B97F4A7C15)
    for w in range(width):
        h ^= words[w]
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    wrap = keys.shape[0] - 1
    slot = np.int64(h >> np.uint64(1)) & wrap
    while keys[slot, width] != EMPTY:
        if keys[slot, width] == tag:
            same = True
            for w in range(width):
                if keys[slot, w] != words[w]:
                    same = False
                    break
            if same:
                return int(slot)
        slot = (slot + 1) & wrap
    return int(slot)


@kernel
def occupy(keys: Words, record: NDArray[np.int32], slot: int, words: Words, depth: int) -> None:
    """Write a new record without knowledge into a free slot."""
    width = words.shape[0]
    for w in range(width):
        keys[slot, w] = words[w]
    keys[slot, width] = np.uint64(depth)
    record[slot, LOWER] = 0
    record[slot, UPPER] = INFINITE
    record[slot, SPLIT] = -1
    record[slot, VERSION] = -1
    record[slot, TRIED] = 0


@kernel
def move(
    keys: Words,
    record: NDArray[np.int32],
    to: Words,
    to_record: NDArray[np.int32],
    least: int,
) -> int:
    """Copy the records of sets of at least ``least`` examples into an empty table; count them."""
    width = keys.shape[1] - 1
    moved = 0
    for slot in range(keys.shape[0]):
        if keys[slot, width] != EMPTY and count(keys[slot, :width]) >= least:
            place = find(to, keys[slot, :width], int(keys[slot, width]))
            to[place] = keys[slot]
            to_record[place] = record[slot]
            moved += 1
    return moved


@kernel
def middle_size(keys: Words) -> int:
    """Return the median size of the recorded sets."""
    width = keys.shape[1] - 1
    sizes = np.zeros(64 * width + 1, dtype=np.int64)
    for slot in range(keys.shape[0]):
        if keys[slot, width] != EMPTY:
            sizes[count(keys[slot, :width])] += 1
    half = sizes.sum() // 2
    middle = 0
    while sizes[: middle + 1].sum() < half:
        middle += 1
    return middle
