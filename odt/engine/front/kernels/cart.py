"""CART on packed, sorted columns: depth limited, or best first with a leaf budget.

Deterministic: scores are compared exactly, ties go to the lowest column and cut, nodes of equal
gain are split in the order they were made. Nodes are rows of six int64 (see the constants).
"""

from __future__ import annotations

from odt.engine.compilation import entry, inner
from odt.engine.front.kernels.arrays import floats, table, vector
from odt.engine.front.kernels.layout import CODE_SHIFT, ROW_MASK, Array, Data, Int
from odt.engine.front.kernels.scan import best_cut, compare, gain, middle, segment
from odt.engine.lending import lend

START, STOP, LEVEL, LEFT, COLUMN, CUT, NODE_WIDTH = 0, 1, 2, 3, 4, 5, 6
UNLIMITED = 1 << 30


@inner
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


@inner
def mark(entries: Array, start: Int, stop: Int, left: Int, side: Array) -> None:
    """Set ``side[row]`` to 0 for the first `left` rows of a sorted column, 1 for the others."""
    for i in range(start, start + left):
        side[entries[i] & ROW_MASK] = 0
    for i in range(start + left, stop):
        side[entries[i] & ROW_MASK] = 1


@inner
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


@inner
def _open(
    data: Data, keys: Array, nodes: Array, gains: Array, tied: Array, node: Int, criterion: Int
) -> None:
    """Find the best cut of a new node, and those of other columns with the same score."""
    part = segment(data, keys, nodes[node, START], nodes[node, STOP], criterion)
    if part.error == 0:
        return
    x, y, z = 0.0, 0.0, 0
    for f in range(len(keys)):
        u, v, w, low, high = best_cut(data, keys[f], part, criterion)
        if low < 0:
            continue
        first = nodes[node, COLUMN] < 0
        sign = 1 if first else compare(criterion, u, v, w, x, y, z, part.total)
        if sign > 0:
            x, y, z = u, v, w
            nodes[node, COLUMN], nodes[node, CUT] = f, middle(data, f, low, high)
            gains[node] = max(0.0, gain(data, part, criterion, x, y, z))
        if len(tied):
            for g in range(f if sign > 0 else 0):
                tied[node, g] = -1
            tied[node, f] = middle(data, f, low, high) if sign == 0 else -1


@inner
def _add(
    nodes: Array, gains: Array, tied: Array, node: Int, start: Int, stop: Int, level: Int
) -> None:
    """Make an unsplit node."""
    nodes[node, START], nodes[node, STOP], nodes[node, LEVEL] = start, stop, level
    nodes[node, LEFT] = nodes[node, COLUMN] = -1
    gains[node] = -1.0
    if len(tied):
        for f in range(tied.shape[1]):
            tied[node, f] = -1


@inner
def _next(gains: Array, made: Int, done: Int, best_first: Int) -> Int:
    """The node to split: of largest gain, or the next in order; -1 if none is left."""
    chosen = -1
    for node in range(done, made):
        if gains[node] >= 0.0 and (chosen < 0 or gains[node] > gains[chosen]):
            chosen = node
            if not best_first:
                return chosen
    return chosen


@inner
def capacity(size: Int, max_depth: Int, max_leaves: Int) -> Int:
    """Largest number of nodes of a CART."""
    most = 2 * min(max_leaves, size) - 1
    return min(most, (2 << max_depth) - 1) if max_depth < 30 else most


@inner
def grow(
    data: Data, keys: Array, size: Int, max_depth: Int, max_leaves: Int, criterion: Int,
    side: Array, spare: Array, tied: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Grow a CART on the first `size` entries of `keys`, which are reordered.

    Returns
    -------
    nodes : int64 (made, 6)
        START, STOP, LEVEL, LEFT (right is the next one, -1: leaf), COLUMN, CUT.
    order : int64 (branches,)
        The nodes that were split, in the order of splitting.

    Unless empty, ``tied[node, f]`` gets the cut of column f that is as good as the chosen one of
    another column, or -1.
    """
    best_first = max_leaves < size
    most = capacity(size, max_depth, max_leaves)
    nodes, gains = table(most, NODE_WIDTH), floats(most)
    order = vector(most // 2 + 1)
    made, splits, done, fresh = 1, 0, 0, 0
    _add(nodes, gains, tied, 0, 0, size, 0)
    while splits + 1 < max_leaves:
        for node in range(fresh, made):
            if nodes[node, LEVEL] < max_depth:
                _open(data, keys, nodes, gains, tied, node, criterion)
        fresh = made
        node = _next(gains, made, done, best_first)
        if node < 0:
            break
        if not best_first:
            done = node + 1
        start, stop, entries = nodes[node, START], nodes[node, STOP], keys[nodes[node, COLUMN]]
        left, level = prefix(entries, start, stop, nodes[node, CUT]), nodes[node, LEVEL] + 1
        order[splits], gains[node], nodes[node, LEFT] = node, -1.0, made
        splits += 1
        if level < max_depth and splits + 1 < max_leaves:
            mark(entries, start, stop, left, side)
            partition(keys, start, stop, side, spare)
        for _ in range(2):
            _add(nodes, gains, tied, made, start, start + left, level)
            start, left, made = start + left, stop - start - left, made + 1
    return nodes[:made], order[:splits]


@entry
def grow_tree(
    data: Data, keys: Array, size: Int, max_depth: Int, max_leaves: Int, criterion: Int,
    side: Array, spare: Array, tied: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """`grow` for Python."""
    return grow(lend(data), keys, size, max_depth, max_leaves, criterion, side, spare, tied)
