"""Solved states: an open-addressing table from (set digest, tests left) to a front in a pool.

The table never grows by itself: a full one makes the search unwind, its owner doubles the arrays
and starts again, and everything already solved is found at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odt.engine.front.kernels.compiler import compiled, entry
from odt.engine.front.kernels.front import TEST, WIDTH, copy_vertex
from odt.engine.front.kernels.layout import Array, Int

FULL, MISSING = -2, -1
VERTICES, ENTRIES, HITS, STATES, SCANS, TESTS, COUNTERS = 0, 1, 2, 3, 4, 5, 6
_MIX = np.uint64(0xD1B54A32D192ED03)


class Memo(NamedTuple):
    """Table and pool.

    Attributes
    ----------
    slots : uint64 (capacity, 2)
        Keys, capacity a power of two; both words zero where free.
    where : int64 (capacity, 2)
        First vertex and length of the front of each key.
    pool : int64 (vertices, 5)
        Vertices of all fronts. Vertex 0 is the leaf without error.
    counters : int64
        Vertices and entries in use, hits, states expanded, last-level scans, tests tried.
    """

    slots: Array
    where: Array
    pool: Array
    counters: Array


def make_memo(entries: Int, vertices: Int) -> Memo:
    """An empty memo; `entries` must be a power of two."""
    memo = Memo(
        np.zeros((entries, 2), dtype=np.uint64),
        np.zeros((entries, 2), dtype=np.int64),
        np.zeros((vertices, WIDTH), dtype=np.int64),
        np.zeros(COUNTERS, dtype=np.int64),
    )
    memo.pool[0, TEST] = -1
    memo.counters[VERTICES] = 1
    return memo


@compiled
def find(memo: Memo, first: Int, second: Int) -> Int:
    """Slot of a key, or MISSING."""
    mask = len(memo.slots) - 1
    at = np.int64(first & np.uint64(mask))
    while memo.slots[at, 0] or memo.slots[at, 1]:
        if memo.slots[at, 0] == first and memo.slots[at, 1] == second:
            return at
        at = (at + 1) & mask
    return MISSING


@compiled
def insert(memo: Memo, first: Int, second: Int, front: Array) -> Int:
    """Store a front under a new key and return its slot, or FULL."""
    used, entries = memo.counters[VERTICES], memo.counters[ENTRIES]
    if used + len(front) > len(memo.pool) or 2 * (entries + 1) > len(memo.slots):
        return FULL
    mask = len(memo.slots) - 1
    at = np.int64(first & np.uint64(mask))
    while memo.slots[at, 0] or memo.slots[at, 1]:
        at = (at + 1) & mask
    memo.slots[at, 0], memo.slots[at, 1] = first, second
    memo.where[at, 0], memo.where[at, 1] = used, len(front)
    for i in range(len(front)):
        copy_vertex(front, i, memo.pool, used + i)
    memo.counters[VERTICES] += len(front)
    memo.counters[ENTRIES] += 1
    return at


def enlarge(old: Memo) -> Memo:
    """A memo of twice the size with the same content."""
    new = make_memo(2 * len(old.slots), 2 * len(old.pool))
    used = int(old.counters[VERTICES])
    new.pool[:used] = old.pool[:used]
    new.counters[:] = old.counters
    filled = np.flatnonzero(old.slots.any(axis=1))
    place(old.slots[filled], old.where[filled], new)
    return new


@entry
def place(slots: Array, where: Array, new: Memo) -> None:
    """Insert entries whose fronts are in the pool already."""
    mask = len(new.slots) - 1
    for i in range(len(slots)):
        at = np.int64(slots[i, 0] & np.uint64(mask))
        while new.slots[at, 0] or new.slots[at, 1]:
            at = (at + 1) & mask
        for k in range(2):
            new.slots[at, k], new.where[at, k] = slots[i, k], where[i, k]


@compiled
def key(first: Int, second: Int, tests_left: Int, used: Int) -> tuple[Int, Int]:
    """Key of a state; `used` is a digest of the features used so far, zero if irrelevant."""
    salt = (np.uint64(tests_left) + np.uint64(1)) * _MIX
    return first ^ salt, second + salt + used


@compiled
def front_at(memo: Memo, slot: Int) -> Array:
    """The front stored in a slot (MISSING: the leaf without error)."""
    if slot == MISSING:
        return memo.pool[:1]
    start = memo.where[slot, 0]
    return memo.pool[start : start + memo.where[slot, 1]]


@compiled
def start_at(memo: Memo, slot: Int) -> Int:
    """Vertex where the front of a slot starts."""
    return 0 if slot == MISSING else memo.where[slot, 0]
