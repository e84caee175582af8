"""CART on packed, sorted columns: depth limited, or best first with a leaf budget.

Deterministic: gains are compared exactly, nodes of equal gain are split in the order they were
made. Nodes are rows of eight int64 (see the constants); a node that was not split has LEFT -1.
"""

from __future__ import annotations

import numpy as np

from odt.engine.kernels.compiler import compiled
from odt.engine.kernels.layout import CODE_SHIFT, ROW_MASK, Array, Data, Int
from odt.engine.kernels.scan import best_cut, middle

START, STOP, LEVEL, LEFT, COLUMN, CUT, NODE_WIDTH = 0, 1, 2, 3, 4, 5, 6
UNLIMITED = 1 << 30


@compiled
def prefix(entries: Array, start: Int, stop: Int, cut: Int) -> Int:
    """Number of entries of a sorted column whose code is at most `cut`."""
    a, b = start, stop
    while a < b:
        m = (a + b) >> 1
        if entries[m] >> CODE_SHIFT <= cut:
            a = m + 1
        else:
            b = m
    return a - start


@compiled
def mark(entries: Array, start: Int, stop: Int, left: Int, side: Array) -> None:
    """Set ``side[row]`` to 0 for the first `left` rows of a sorted column, 1 for the others."""
    for i in range(start, start + left):
        side[entries[i] & ROW_MASK] = 0
    for i in range(start + left, stop):
        side[entries[i] & ROW_MASK] = 1


@compiled
def partition(keys: Array, start: Int, stop: Int, side: Array, spare: Array) -> None:
    """Move side 0 before side 1 in every column of a segment, each side staying sorted."""
    for f in range(len(keys)):
        entries = keys[f]
        at, kept = start, 0
        for i in range(start, stop):
            entry = entries[i]
            right = side[entry & ROW_MASK]
            entries[at] = entry
            spare[kept] = entry
            at += 1 - right
            kept += right
        for i in range(kept):
            entries[at + i] = spare[i]


@compiled
def _open(
    data: Data, keys: Array, nodes: Array, gains: Array, node: Int, criterion: Int, counts: Array
) -> None:
    """Find the best cut of a new node."""
    start, stop = nodes[node, START], nodes[node, STOP]
    gain, column, low, high = best_cut(data, keys, start, stop, criterion, counts)
    gains[node] = gain if column >= 0 else -1.0
    nodes[node, COLUMN] = column
    nodes[node, CUT] = middle(data, column, low, high) if column >= 0 else 0


@compiled
def _add_children(nodes: Array, gains: Array, node: Int, made: Int, left: Int) -> None:
    start, stop, level = nodes[node, START], nodes[node, STOP], nodes[node, LEVEL] + 1
    nodes[node, LEFT] = made
    nodes[made, START], nodes[made, STOP], nodes[made, LEVEL] = start, start + left, level
    nodes[made + 1, START], nodes[made + 1, STOP] = start + left, stop
    nodes[made + 1, LEVEL] = level
    for child in range(made, made + 2):
        nodes[child, LEFT] = nodes[child, COLUMN] = -1
        gains[child] = -1.0


@compiled
def _next(gains: Array, made: Int, done: Int, best_first: bool) -> Int:
    """The node to split: of largest gain, or the next in order; -1 if none is left."""
    chosen = -1
    for node in range(done, made):
        if gains[node] >= 0.0 and (chosen < 0 or gains[node] > gains[chosen]):
            chosen = node
            if not best_first:
                return chosen
    return chosen


@compiled
def grow(
    data: Data,
    keys: Array,
    size: Int,
    max_depth: Int,
    max_leaves: Int,
    criterion: Int,
    side: Array,
    spare: Array,
) -> tuple[Array, Array]:
    """Grow a CART on the first `size` entries of `keys`, which are reordered.

    Returns
    -------
    nodes : int64 (made, 6)
        START, STOP, LEVEL, LEFT (right is the next one, -1: leaf), COLUMN, CUT.
    order : int64 (branches,)
        The nodes that were split, in the order of splitting.
    """
    best_first = max_leaves < size
    capacity = 2 * min(max_leaves, size) - 1
    if max_depth < 30:
        capacity = min(capacity, (2 << max_depth) - 1)
    nodes, gains = np.empty((capacity, NODE_WIDTH), np.int64), np.empty(capacity)
    order, counts = np.empty(capacity // 2 + 1, np.int64), np.empty(data.classes, np.int64)
    nodes[0, START], nodes[0, STOP], nodes[0, LEVEL], nodes[0, LEFT] = 0, size, 0, -1
    nodes[0, COLUMN], gains[0] = -1, -1.0
    made, splits, done = 1, 0, 0
    for root in range(min(1, max_depth, max_leaves - 1)):
        _open(data, keys, nodes, gains, root, criterion, counts)
    while splits + 1 < max_leaves:
        node = _next(gains, made, done, best_first)
        if node < 0:
            break
        if not best_first:
            done = node + 1
        start, stop, entries = nodes[node, START], nodes[node, STOP], keys[nodes[node, COLUMN]]
        left = prefix(entries, start, stop, nodes[node, CUT])
        _add_children(nodes, gains, node, made, left)
        gains[node] = -1.0
        order[splits] = node
        splits += 1
        if nodes[node, LEVEL] + 1 < max_depth and splits + 1 < max_leaves:
            mark(entries, start, stop, left, side)
            partition(keys, start, stop, side, spare)
            for child in range(made, made + 2):
                _open(data, keys, nodes, gains, child, criterion, counts)
        made += 2
    return nodes[:made], order[:splits]
