"""Open intervals of thresholds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry, inner

Array = NDArray[Any]
Int = Any
COLUMN, LOW, HIGH, BOUND = 0, 1, 2, 3
SLOTS, FREE = 0, 1
INFINITE = 1 << 61
"""More than the cost of any tree; two of them still add up without overflow."""
_FIRST_ROOM = 256


class Queue(NamedTuple):
    """Intervals between two evaluated cuts of a column.

    Attributes
    ----------
    node : int64 (capacity, 2 * columns + 6)
        `COLUMN`; `LOW` and `HIGH`, two cuts, -1 and the number of cuts for the ends; `BOUND`: no
        tree whose first test lies strictly between costs less, `INFINITE` in a slot that is not
        in use. Then lower bounds by next column for the left side at `LOW` and the least of them,
        and the same for the right side at `HIGH` (see `ends`).
    free : int64 (capacity,)
        Slots that were in use.
    size : int64 (2,)
        How many `SLOTS` were ever in use, and how many of them are `FREE`.
    """

    node: Array
    free: Array
    size: Array


def open_columns(n_cuts: Array, floor: Array, least: int, cutoff: int) -> Queue:
    """Return the interval of all cuts of each column that may hold a tree below the cutoff.

    From then on ``floor[f]`` is the least bound of what is closed in the column.

    Parameters
    ----------
    n_cuts, floor : int64 (columns,)
        Number of cuts, and lower bounds so far.
    least : int
        Cost of an empty leaf.
    cutoff : int
    """
    columns = np.flatnonzero((n_cuts > 0) & (floor < cutoff))
    capacity = _FIRST_ROOM + len(columns)
    node = np.full((capacity, 2 * len(floor) + 6), least, dtype=np.int64)
    mine = node[: len(columns)]
    mine[:, COLUMN], mine[:, LOW], mine[:, HIGH] = columns, -1, n_cuts[columns]
    mine[:, BOUND] = floor[columns]
    floor[columns], floor[n_cuts <= 0] = INFINITE, INFINITE
    size = np.array([len(columns), 0], dtype=np.int64)
    return Queue(node, np.empty(capacity, dtype=np.int64), size)


def whole_set(floor: Array) -> Queue:
    """Return a queue of one interval without a column: no first test, see `evaluate`."""
    node = np.concatenate([[-1, -1, -1, 0], floor, [0], floor, [0]]).astype(np.int64)
    return Queue(node[None], np.empty(1, dtype=np.int64), np.array([1, 0], dtype=np.int64))


def with_room(queue: Queue) -> Queue:
    """Return the queue, or a copy of twice the size if fewer than half its slots are left."""
    capacity = len(queue.node)
    if 2 * (capacity - queue.size[SLOTS] + queue.size[FREE]) >= capacity:
        return queue
    node, free = np.empty_like(queue.node), np.empty_like(queue.free)
    return Queue(np.concatenate([queue.node, node]), np.concatenate([queue.free, free]), queue.size)


def best_slots(queue: Queue, most: int, goal: int) -> Array:
    """Return the slots of the intervals of least bound, if that is below the goal."""
    bound = queue.node[: queue.size[SLOTS], BOUND]
    first = np.argsort(bound, kind="stable")[:most]
    chosen: Array = first[bound[first] < goal]
    return chosen


def least_bounds(queue: Queue, floor: Array) -> Array:
    """Return the least bound of each column, of what is closed and what is open."""
    result = floor.copy()
    mine = queue.node[: queue.size[SLOTS]]
    mine = mine[mine[:, BOUND] < INFINITE]
    np.minimum.at(result, mine[:, COLUMN], mine[:, BOUND])
    return result


@inner
def least(queue: Queue) -> Int:
    """Return the slot of least bound, -1 if none is in use."""
    best, bound = -1, np.int64(INFINITE)
    for slot in range(queue.size[SLOTS]):
        if queue.node[slot, BOUND] < bound:
            best, bound = slot, queue.node[slot, BOUND]
    return best


@inner
def is_full(queue: Queue) -> Int:
    """Say whether no slot is left."""
    return queue.size[SLOTS] == len(queue.node) and queue.size[FREE] == 0


@inner
def ends(queue: Queue, slot: Int) -> tuple[Array, Array]:
    """Return the bounds of an interval on the left and on the right: int64 (columns + 1,)."""
    node = queue.node[slot]
    middle = (len(node) + 4) >> 1
    return node[4:middle], node[middle:]


@inner
def copy(source: Array, target: Array) -> None:
    """Copy a vector."""
    for i in range(len(target)):
        target[i] = source[i]


@inner
def take(queue: Queue) -> Int:
    """Return a slot that is not in use, to be filled."""
    if queue.size[FREE] > 0:
        queue.size[FREE] -= 1
        return queue.free[queue.size[FREE]]
    queue.size[SLOTS] += 1
    return queue.size[SLOTS] - 1


@entry
def settle(queue: Queue, slot: Int, first: Int, found: Array, goal: Int, floor: Array) -> None:
    """Replace an evaluated interval by its two halves.

    Parameters
    ----------
    queue : Queue
        Not full.
    slot : int
        The interval.
    first : int
        Cost of the first test.
    found : int64 (2, columns + 1)
        Bounds of the left and the right side at the middle cut.
    goal : int
        Halves whose bound reaches it are closed.
    floor : int64 (columns,)
        Least bound of what is closed, by column; lowered.
    """
    node, last = queue.node[slot], len(floor)
    left, right = ends(queue, slot)
    f, low, high, least = node[COLUMN], node[LOW], node[HIGH], node[BOUND]
    middle = (low + high) >> 1
    upper = max(least, first + found[0, last] + right[last])
    lower = max(least, first + left[last] + found[1, last])
    floor[f] = min(floor[f], first + found[0, last] + found[1, last])
    if high - middle > 1 and upper >= goal:
        floor[f] = min(floor[f], upper)
    elif high - middle > 1:
        other = take(queue)
        copy(node, queue.node[other])
        queue.node[other, LOW], queue.node[other, BOUND] = middle, upper
        copy(found[0], ends(queue, other)[0])
    if middle - low > 1 and lower < goal:
        node[HIGH], node[BOUND] = middle, lower
        copy(found[1], right)
        return
    if middle - low > 1:
        floor[f] = min(floor[f], lower)
    node[BOUND], queue.free[queue.size[FREE]] = INFINITE, slot
    queue.size[FREE] += 1
