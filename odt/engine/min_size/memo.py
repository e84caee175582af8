"""Hash table from sets of examples to proved bounds, in plain arrays.

One record belongs to one pair of a set of examples and a depth limit. It holds a lower and an
upper bound on the fewest branches of a consistent tree within that depth, and the cut that
proves the upper bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry, inner
from odt.engine.min_size.bits import Words, count

LOWER, UPPER, SPLIT, VERSION, TRIED = range(5)
FIELDS = 5
RING = 4096
"""Failed sets kept for comparison."""
INFINITE = 1 << 20
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)


class Memo(NamedTuple):
    """Arrays of the table: ``keys`` (capacity, words + 1) and ``record`` (capacity, FIELDS).

    The last word of a key is the depth limit, ``EMPTY`` in a free slot. Beside the table, the
    sets of the last refuted queries are kept in a ring, since whatever contains one of them
    fails too: ``failed`` (RING, words), their depth limits and lower bounds in ``failed_limit``,
    and in ``failed_count[0]`` how many were ever put in.
    """

    keys: Words
    record: NDArray[np.int32]
    failed: Words
    failed_limit: NDArray[np.int32]
    failed_count: NDArray[np.int64]


def new_memo(capacity: int, width: int) -> Memo:
    """Return an empty table; ``capacity`` must be a power of two."""
    keys = np.empty((capacity, width + 1), dtype=np.uint64)
    keys[:, width] = EMPTY
    return Memo(
        keys=keys,
        record=np.empty((capacity, FIELDS), dtype=np.int32),
        failed=np.empty((RING, width), dtype=np.uint64),
        failed_limit=np.empty((RING, 2), dtype=np.int32),
        failed_count=np.zeros(1, dtype=np.int64),
    )


@entry
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


@inner
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


@entry
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


@inner
def remember_failed(memo: Memo, words: Words, depth: int, lower: int) -> None:
    """Put the set of a refuted query into the ring, in place of the oldest."""
    place = memo.failed_count[0] % memo.failed.shape[0]
    memo.failed_count[0] += 1
    for w in range(words.shape[0]):
        memo.failed[place, w] = words[w]
    memo.failed_limit[place, 0] = depth
    memo.failed_limit[place, 1] = lower


@inner
def failed_inside(memo: Memo, words: Words, depth: int, budget: int) -> int:
    """Return the place of a failed set that a set contains and that refutes a query, or -1."""
    depth = min(depth, budget)
    for place in range(min(memo.failed_count[0], memo.failed.shape[0])):
        if memo.failed_limit[place, 1] > budget and memo.failed_limit[place, 0] >= depth:
            inside = True
            for w in range(words.shape[0]):
                if memo.failed[place, w] & ~words[w]:
                    inside = False
                    break
            if inside:
                return place
    return -1


@entry
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
