"""Solved states: an open-addressing table from a key to a front in a pool.

The key is the digest of a set of rows (two words), the tests left, and, where the first use of a
feature has a price, the bit set of the features used on the path. Only the digest stands for more
than it says: two sets of rows share theirs with probability 2**-128 (decision record 11).

The table never grows by itself: a full one makes the search unwind, its owner doubles the arrays
and starts again, and everything already solved is found at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odt.engine.compilation import entry, inner
from odt.engine.front.kernels.front import TEST, WIDTH, copy_vertex
from odt.engine.front.kernels.layout import Array, Int

FULL, MISSING = -2, -1
VERTICES, ENTRIES, HITS, STATES, SCANS, TESTS, COUNTERS = 0, 1, 2, 3, 4, 5, 6
DIGEST, LEFT, USED = 2, 2, 3
"""Words of a digest, where a key holds the tests left, and where its set of features starts."""
_MIX = np.uint64(0xD1B54A32D192ED03)


class Memo(NamedTuple):
    """Table and pool.

    Attributes
    ----------
    slots : uint64 (capacity, words)
        Keys, capacity a power of two.
    where : int64 (capacity, 2)
        First vertex and length of the front of each key; length 0 where the slot is free.
    pool : int64 (vertices, 5)
        Vertices of all fronts. Vertex 0 is the leaf without error.
    counters : int64
        Vertices and entries in use, hits, states expanded, last-level scans, tests tried.
    """

    slots: Array
    where: Array
    pool: Array
    counters: Array


def make_memo(entries: Int, vertices: Int, words: Int) -> Memo:
    """An empty memo for keys of some words; `entries` must be a power of two."""
    memo = Memo(
        np.zeros((entries, words), dtype=np.uint64),
        np.zeros((entries, 2), dtype=np.int64),
        np.zeros((vertices, WIDTH), dtype=np.int64),
        np.zeros(COUNTERS, dtype=np.int64),
    )
    memo.pool[0, TEST] = -1
    memo.counters[VERTICES] = 1
    return memo


@inner
def seek(memo: Memo, key: Array) -> Int:
    """Slot of a key, or the free one where it belongs; the whole key is compared."""
    hashed = key[0]
    for k in range(DIGEST, len(key)):
        hashed = (hashed ^ key[k]) * _MIX
        hashed ^= hashed >> np.uint64(29)
    mask = len(memo.slots) - 1
    at = np.int64(hashed & np.uint64(mask))
    while memo.where[at, 1]:
        k = 0
        while k < len(key) and memo.slots[at, k] == key[k]:
            k += 1
        if k == len(key):
            break
        at = (at + 1) & mask
    return at


@inner
def insert(memo: Memo, key: Array, front: Array) -> Int:
    """Store a front under a new key and return its slot, or FULL."""
    used, entries = memo.counters[VERTICES], memo.counters[ENTRIES]
    if used + len(front) > len(memo.pool) or 2 * (entries + 1) > len(memo.slots):
        return FULL
    at = seek(memo, key)
    for k in range(len(key)):
        memo.slots[at, k] = key[k]
    memo.where[at, 0], memo.where[at, 1] = used, len(front)
    for i in range(len(front)):
        copy_vertex(front, i, memo.pool, used + i)
    memo.counters[VERTICES] += len(front)
    memo.counters[ENTRIES] += 1
    return at


def enlarge(old: Memo) -> Memo:
    """A memo of twice the size with the same content."""
    new = make_memo(2 * len(old.slots), 2 * len(old.pool), old.slots.shape[1])
    used = int(old.counters[VERTICES])
    new.pool[:used] = old.pool[:used]
    new.counters[:] = old.counters
    filled = np.flatnonzero(old.where[:, 1])
    place(old.slots[filled], old.where[filled], new)
    return new


@entry
def place(slots: Array, where: Array, new: Memo) -> None:
    """Insert entries whose fronts are in the pool already."""
    for i in range(len(slots)):
        at = seek(new, slots[i])
        for k in range(slots.shape[1]):
            new.slots[at, k] = slots[i, k]
        new.where[at, 0], new.where[at, 1] = where[i, 0], where[i, 1]


@inner
def front_at(memo: Memo, slot: Int) -> Array:
    """The front stored in a slot (MISSING: the leaf without error)."""
    if slot == MISSING:
        return memo.pool[:1]
    start = memo.where[slot, 0]
    return memo.pool[start : start + memo.where[slot, 1]]


@inner
def start_at(memo: Memo, slot: Int) -> Int:
    """Vertex where the front of a slot starts."""
    return 0 if slot == MISSING else memo.where[slot, 0]
