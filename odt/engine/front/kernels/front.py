"""Fronts of (error, complexity): merging, Minkowski sums, lower convex hulls.

A vertex is one row of five int64: error, complexity, shape (inner nodes and depth), test (column
and cut), children (the two vertices it was made of). A front lists vertices by rising error and
falling complexity; ties are decided by shape, then test, so that the smaller tree wins.
"""

from __future__ import annotations

from odt.engine.compilation import entry, inner
from odt.engine.front.kernels.arrays import table
from odt.engine.front.kernels.exact import compare_products
from odt.engine.front.kernels.layout import Array, Int

ERROR, COMPLEXITY, SHAPE, TEST, CHILDREN, WIDTH = 0, 1, 2, 3, 4, 5
_DEPTH_BITS = 16
_DEPTH_MASK = (1 << _DEPTH_BITS) - 1
_PAIR = 32
_PAIR_MASK = (1 << _PAIR) - 1
LEAF = -1


@inner
def pack(high: Int, low: Int) -> Int:
    """Two non-negative 31-bit numbers in one, ordered by the first, then the second."""
    return (high << _PAIR) | low


@inner
def unpack(pair: Int) -> tuple[Int, Int]:
    """Undo `pack`."""
    return pair >> _PAIR, pair & _PAIR_MASK


@inner
def join(left: Int, right: Int) -> Int:
    """Shape of a branch over two trees of the given shapes."""
    depth = max(left & _DEPTH_MASK, right & _DEPTH_MASK) + 1
    inner = (left >> _DEPTH_BITS) + (right >> _DEPTH_BITS) + 1
    return (inner << _DEPTH_BITS) | depth


@inner
def leaf(error: Int) -> Array:
    """The front of a state where only the leaf is possible."""
    front = table(1, WIDTH)
    for k in range(WIDTH):
        front[0, k] = 0
    front[0, ERROR], front[0, TEST] = error, LEAF
    return front


@inner
def _put(out: Array, at: Int, a: Array, b: Array, i: Int, j: Int, price: Int, test: Int) -> None:
    out[at, ERROR] = a[i, ERROR] + b[j, ERROR]
    out[at, COMPLEXITY] = a[i, COMPLEXITY] + b[j, COMPLEXITY] + price
    out[at, SHAPE] = join(a[i, SHAPE], b[j, SHAPE])
    out[at, TEST] = test


@inner
def minkowski(a: Array, b: Array, at_a: Int, at_b: Int, price: Int, test: Int) -> Array:
    """Hull of a branch over two hulls stored from vertex `at_a` and `at_b` on."""
    out = table(len(a) + len(b) - 1, WIDTH)
    i = j = size = 0
    while True:
        _put(out, size, a, b, i, j, price, test)
        out[size, CHILDREN] = pack(at_a + i, at_b + j)
        size += 1
        more_a, more_b = i + 1 < len(a), j + 1 < len(b)
        if not (more_a or more_b):
            return out[:size]
        sign = -1 if more_a else 1
        if more_a and more_b:
            sign = compare_products(
                a[i + 1, ERROR] - a[i, ERROR],
                b[j, COMPLEXITY] - b[j + 1, COMPLEXITY],
                b[j + 1, ERROR] - b[j, ERROR],
                a[i, COMPLEXITY] - a[i + 1, COMPLEXITY],
            )
        if sign <= 0:
            i += 1
        if sign >= 0:
            j += 1


@inner
def copy_vertex(source: Array, i: Int, target: Array, j: Int) -> None:
    """Copy vertex `i` of one array to place `j` of another."""
    for k in range(WIDTH):
        target[j, k] = source[i, k]


@inner
def _before(a: Array, i: Int, b: Array, j: Int) -> Int:
    for k in range(CHILDREN):
        if a[i, k] != b[j, k]:
            return a[i, k] < b[j, k]
    return True


@inner
def _hidden(out: Array, size: Int) -> Int:
    """Of the last three vertices, the middle one lies on or above the segment of the others."""
    first, last, new = size - 2, size - 1, size
    return (
        compare_products(
            out[last, ERROR] - out[first, ERROR],
            out[last, COMPLEXITY] - out[new, COMPLEXITY],
            out[new, ERROR] - out[last, ERROR],
            out[first, COMPLEXITY] - out[last, COMPLEXITY],
        )
        >= 0
    )


@inner
def merge(a: Array, b: Array, convex: bool, max_error: Int) -> Array:
    """Front of the union of two fronts; with `convex`, only the vertices of its lower hull."""
    out = table(len(a) + len(b), WIDTH)
    i = j = size = 0
    while i < len(a) or j < len(b):
        if j == len(b) or (i < len(a) and _before(a, i, b, j)):
            copy_vertex(a, i, out, size)
            i += 1
        else:
            copy_vertex(b, j, out, size)
            j += 1
        if size and (
            out[size, COMPLEXITY] >= out[size - 1, COMPLEXITY] or out[size, ERROR] > max_error
        ):
            continue
        while convex and size >= 2 and _hidden(out, size):
            copy_vertex(out, size, out, size - 1)
            size -= 1
        size += 1
    return out[:size]


@inner
def add_branch(
    front: Array, a: Array, b: Array, at: Int, price: Int, test: Int, convex: bool, max_error: Int
) -> Array:
    """Merge every branch over the two given fronts into `front`; `at` packs where they start."""
    at_a, at_b = unpack(at)
    if convex:
        return merge(front, minkowski(a, b, at_a, at_b, price, test), convex, max_error)
    for i in range(len(a)):
        chain = minkowski(a[i : i + 1], b, at_a + i, at_b, price, test)
        front = merge(front, chain, convex, max_error)
    return front


@entry
def merge_fronts(a: Array, b: Array, convex: bool, max_error: Int) -> Array:
    """`merge` for Python."""
    return merge(a, b, convex, max_error)
