"""Open intervals of root thresholds in the order of their bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import entry, inner

Array = NDArray[Any]
Int = Any
COLUMN, LOW, HIGH, BOUND = 0, 1, 2, 3
OPEN, FREE = 0, 1
INFINITE = 1 << 61
"""More than the cost of any tree; two of them still add up without overflow."""


class Queue(NamedTuple):
    """A binary heap of intervals between two evaluated cuts of a column.

    Attributes
    ----------
    node : int64 (capacity, 2 * columns + 6)
        `COLUMN`; `LOW` and `HIGH`, two cuts, -1 and the number of cuts for the ends; `BOUND`: no
        tree whose first test lies strictly between costs less. Then lower bounds by next column
        for the left side at `LOW` and the least of them, and the same for the right side at
        `HIGH` (see `ends`).
    heap : int64 (2, capacity)
        The slots in the heap, by bound, and those not in use.
    size : int64 (2,)
        How many slots there are in each.
    """

    node: Array
    heap: Array
    size: Array


@entry
def make_queue(capacity: Int, columns: Int) -> Queue:
    """Return an empty queue."""
    heap, size = np.zeros((2, capacity), np.int64), np.zeros(2, np.int64)
    for slot in range(capacity):
        heap[FREE, slot] = capacity - 1 - slot
    size[FREE] = capacity
    return Queue(np.zeros((capacity, 2 * columns + 6), np.int64), heap, size)


@entry
def with_room(queue: Queue, wanted: Int) -> Queue:
    """Return the queue, or a copy of twice the size, with at least `wanted` free slots."""
    free = queue.size[FREE]
    if free >= wanted:
        return queue
    n, width = queue.node.shape
    larger = make_queue(2 * n + wanted, (width - 6) >> 1)
    for slot in range(n):
        larger.heap[OPEN, slot] = queue.heap[OPEN, slot]
        copy(queue.node[slot], larger.node[slot])
    for k in range(free):
        larger.heap[FREE, n + wanted + k] = queue.heap[FREE, k]
    larger.size[OPEN], larger.size[FREE] = queue.size[OPEN], n + wanted + free
    return larger


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
    """Return a free slot, to be filled."""
    queue.size[FREE] -= 1
    return queue.heap[FREE, queue.size[FREE]]


@inner
def release(queue: Queue, slot: Int) -> None:
    """Give back a slot that is not in the heap."""
    queue.heap[FREE, queue.size[FREE]] = slot
    queue.size[FREE] += 1


@entry
def push(queue: Queue, slot: Int) -> None:
    """Put a filled slot into the heap."""
    heap, node, at = queue.heap[OPEN], queue.node, queue.size[OPEN]
    queue.size[OPEN] += 1
    while at > 0 and node[heap[(at - 1) >> 1], BOUND] > node[slot, BOUND]:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = slot


@entry
def pop(queue: Queue) -> Int:
    """Take the slot of least bound out of the heap; it is not free yet."""
    queue.size[OPEN] -= 1
    heap, node, size, at = queue.heap[OPEN], queue.node, queue.size[OPEN], 0
    first, slot = heap[0], heap[size]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and node[heap[child + 1], BOUND] < node[heap[child], BOUND]:
            child += 1
        if node[heap[child], BOUND] >= node[slot, BOUND]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = slot
    return first


@entry
def open_columns(queue: Queue, n_cuts: Array, floor: Array, least: Int, cutoff: Int) -> None:
    """Push the interval of all cuts of each column that may hold a tree below the cutoff.

    From then on ``floor[f]`` is the least bound of what is closed in the column.

    Parameters
    ----------
    queue : Queue
        With a free slot for every column.
    n_cuts, floor : int64 (columns,)
        Number of cuts, and lower bounds so far.
    least : int
        Cost of an empty leaf.
    cutoff : int
    """
    for f in range(len(floor)):
        if n_cuts[f] > 0 and floor[f] >= cutoff:
            continue
        if n_cuts[f] > 0:
            slot = take(queue)
            node = queue.node[slot]
            for k in range(len(node)):
                node[k] = least
            node[COLUMN], node[LOW], node[HIGH], node[BOUND] = f, -1, n_cuts[f], floor[f]
            push(queue, slot)
        floor[f] = INFINITE


@entry
def settle(queue: Queue, slot: Int, first: Int, found: Array, goal: Int, floor: Array) -> None:
    """Replace an evaluated interval by its two halves.

    Parameters
    ----------
    queue : Queue
        With a free slot.
    slot : int
        The interval, taken by `pop`.
    first : int
        Cost of the first test.
    found : int64 (2, columns + 1)
        Bounds of the left and the right side at the middle cut.
    goal : int
        Halves whose bound reaches it are closed.
    floor : int64 (columns,)
        Least bound of what is closed, by column; lowered.
    """
    node, last = queue.node[slot], found.shape[1] - 1
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
        push(queue, other)
    if middle - low > 1 and lower < goal:
        node[HIGH], node[BOUND] = middle, lower
        copy(found[1], right)
        push(queue, slot)
        return
    if middle - low > 1:
        floor[f] = min(floor[f], lower)
    release(queue, slot)
