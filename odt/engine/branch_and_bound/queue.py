"""Open intervals of root thresholds in the order of their bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.compiler import compiled, entry

Array = NDArray[Any]
COLUMN, LOW, HIGH = 0, 1, 2
OPEN, FREE = 0, 1
INFINITE = 1 << 61
"""More than the cost of any tree; two of them still add up without overflow."""


class Queue(NamedTuple):
    """A binary heap of intervals between two evaluated cuts of a column.

    Attributes
    ----------
    span : int64 (capacity, 3)
        `COLUMN`, `LOW` and `HIGH`: -1 and the number of cuts stand for the ends.
    bound : int64 (capacity,)
        No tree whose first test lies strictly between costs less.
    left, right : int64 (capacity, columns + 1)
        Lower bounds by next column for the left side at `LOW` and the right side at `HIGH`; last
        the least of them.
    heap, free : int64 (capacity,)
        The slots in the heap, by bound, and those not in use.
    size : int64 (2,)
        How many slots there are in the heap and in ``free``.
    """

    span: Array
    bound: Array
    left: Array
    right: Array
    heap: Array
    free: Array
    size: Array


@entry
def make_queue(capacity: int, columns: int) -> Queue:
    """Return an empty queue."""
    free, size = np.empty(capacity, np.int64), np.zeros(2, np.int64)
    for slot in range(capacity):
        free[slot] = capacity - 1 - slot
    size[FREE] = capacity
    return Queue(
        np.zeros((capacity, 3), np.int64),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, columns + 1), np.int64),
        np.zeros((capacity, columns + 1), np.int64),
        np.zeros(capacity, np.int64),
        free,
        size,
    )


@entry
def with_room(queue: Queue, wanted: int) -> Queue:
    """Return the queue, or a copy of twice the size, with at least `wanted` free slots."""
    if queue.size[FREE] >= wanted:
        return queue
    n, width = queue.left.shape
    larger = make_queue(2 * n + wanted, width - 1)
    for slot in range(n):
        larger.bound[slot], larger.heap[slot] = queue.bound[slot], queue.heap[slot]
        for k in range(3):
            larger.span[slot, k] = queue.span[slot, k]
        copy(queue.left[slot], larger.left[slot])
        copy(queue.right[slot], larger.right[slot])
    larger.size[OPEN], larger.size[FREE] = queue.size[OPEN], n + wanted + queue.size[FREE]
    for k in range(queue.size[FREE]):
        larger.free[n + wanted + k] = queue.free[k]
    return larger


@compiled
def copy(source: Array, target: Array) -> None:
    """Copy a vector."""
    for i in range(len(target)):
        target[i] = source[i]


@compiled
def take(queue: Queue) -> int:
    """Return a free slot, to be filled."""
    queue.size[FREE] -= 1
    return queue.free[queue.size[FREE]]


@compiled
def release(queue: Queue, slot: int) -> None:
    """Give back a slot that is not in the heap."""
    queue.free[queue.size[FREE]] = slot
    queue.size[FREE] += 1


@compiled
def push(queue: Queue, slot: int) -> None:
    """Put a filled slot into the heap."""
    heap, bound, at = queue.heap, queue.bound, queue.size[OPEN]
    queue.size[OPEN] += 1
    while at > 0 and bound[heap[(at - 1) >> 1]] > bound[slot]:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = slot


@entry
def pop(queue: Queue) -> int:
    """Take the slot of least bound out of the heap; it is not free yet."""
    queue.size[OPEN] -= 1
    heap, bound, size, at = queue.heap, queue.bound, queue.size[OPEN], 0
    first, slot = heap[0], heap[size]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and bound[heap[child + 1]] < bound[heap[child]]:
            child += 1
        if bound[heap[child]] >= bound[slot]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = slot
    return first


@entry
def open_columns(queue: Queue, n_cuts: Array, floor: Array, least: int, cutoff: int) -> None:
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
            queue.span[slot, COLUMN], queue.span[slot, LOW] = f, -1
            queue.span[slot, HIGH], queue.bound[slot] = n_cuts[f], floor[f]
            for g in range(queue.left.shape[1]):
                queue.left[slot, g] = queue.right[slot, g] = least
            push(queue, slot)
        floor[f] = INFINITE


@entry
def settle(queue: Queue, slot: int, first: int, found: Array, goal: int, floor: Array) -> None:
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
    last = queue.left.shape[1] - 1
    f, low, high = queue.span[slot, COLUMN], queue.span[slot, LOW], queue.span[slot, HIGH]
    middle, least = (low + high) >> 1, queue.bound[slot]
    upper = max(least, first + found[0, last] + queue.right[slot, last])
    lower = max(least, first + queue.left[slot, last] + found[1, last])
    floor[f] = min(floor[f], first + found[0, last] + found[1, last])
    if high - middle > 1 and upper >= goal:
        floor[f] = min(floor[f], upper)
    elif high - middle > 1:
        other = take(queue)
        queue.span[other, COLUMN], queue.span[other, LOW] = f, middle
        queue.span[other, HIGH], queue.bound[other] = high, upper
        copy(found[0], queue.left[other])
        copy(queue.right[slot], queue.right[other])
        push(queue, other)
    if middle - low > 1 and lower < goal:
        queue.span[slot, HIGH], queue.bound[slot] = middle, lower
        copy(found[1], queue.right[slot])
        push(queue, slot)
        return
    if middle - low > 1:
        floor[f] = min(floor[f], lower)
    release(queue, slot)
