"""Trees of two and three yes/no columns from counts of pairs, on sets of rows as bits.

With the class weights of every pair of columns, the errors of every tree of depth two follow by
additions (Demirovic et al., MurTree, JMLR 23, 2022). The table of the rows that fail a test is
that of all rows less that of the rows that pass; both are looked at as they are counted.

Two sets of rows bound each other: what leaves a set takes at most its own weight of errors with
it. So the trees below a new test are bounded from those below the tests tried before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import Int
from odt.engine.branch_and_bound.packs import Pack
from odt.engine.branch_and_bound.pair_lanes import FIRST_WORD, WIDTH, count_row, pair_row
from odt.engine.branch_and_bound.queue import INFINITE
from odt.engine.compilation import entry, inner

Array = NDArray[Any]


class Prices(NamedTuple):
    """Prices of a tree.

    Attributes
    ----------
    error : int
        Per unit of weight.
    node : int
    """

    error: int
    node: int


class Scratch(NamedTuple):
    """Arrays of `two_sides`.

    Attributes
    ----------
    active : int64 (2, words)
        Words with a row of the mask, and these rows.
    range : int64 (segments + 1, 3)
        As `Pack.segment`, with the first active word in place of the first word.
    alone : int32 (classes, 2, width)
        Weight of the rows that pass (fail) the first column and pass another.
    have : int64 (classes, 2, 2)
        Weight of the rows that pass (fail) the first column and pass (fail) the second.
    peak : int32 (4, width)
        Most weight right below each second column, see `pair_row`.
    """

    active: Array
    range: Array
    alone: Array
    have: Array
    peak: Array


@inner
def activate(pack: Pack, scratch: Scratch, f: Int, i: Int) -> None:
    """Note the words of the rows that pass columns f, if that is not -1, and i."""
    found = 0
    for s in range(len(pack.segment) - 1):
        scratch.range[s, FIRST_WORD] = found
        for w in range(pack.segment[s, FIRST_WORD], pack.segment[s + 1, FIRST_WORD]):
            mask = pack.turned[i, w]
            if f >= 0:
                mask &= pack.turned[f, w]
            if mask != 0:
                scratch.active[0, found], scratch.active[1, found] = w, mask
                found += 1
    scratch.range[len(pack.segment) - 1, FIRST_WORD] = found


@inner
def make_scratch(pack: Pack) -> Scratch:
    """Return arrays for a pack."""
    words, width = pack.bits.shape
    classes = len(pack.total)
    spans = np.empty(pack.segment.shape, np.int64)
    for s in range(len(spans)):
        for k in range(len(spans[0])):
            spans[s, k] = pack.segment[s, k]
    return Scratch(
        np.empty((2, words), np.int64),
        spans,
        np.zeros((classes, 2, width), np.int32),
        np.empty((classes, 2, 2), np.int64),
        np.empty((4, width), np.int32),
    )


@entry
def count_pairs(pack: Pack) -> Array:
    """Return the weight, for each class and pair of columns, of the rows that pass both.

    Returns
    -------
    int32 (classes, p, width)
        Of columns i <= j; what lies below the diagonal is not to be used.
    """
    scratch, classes, p = make_scratch(pack), len(pack.total), len(pack.column)
    _, width = pack.bits.shape
    blocks, whole = width // WIDTH, np.empty((classes, p, width), np.int32)
    for i in range(p):
        activate(pack, scratch, -1, i)
        for c in range(classes):
            count_row(
                pack.bits, scratch.active, scratch.range, whole, np.int64(c),
                np.int64((c * p + i) * blocks), np.int64(i // WIDTH), np.int64(blocks),
            )  # fmt: skip
    return whole


@inner
def cheapest_leaf(prices: Prices, have: Array, side: Int, part: Int) -> Int:
    """Cost of a leaf of the class weights of one side and one part of it; both if -1."""
    weight, most = np.int64(0), np.int64(0)
    for c in range(len(have)):
        mine = have[c, side, 0] + have[c, side, 1] if part < 0 else have[c, side, part]
        weight += mine
        most = max(most, mine)
    return prices.error * (weight - most) + prices.node


@inner
def stump(prices: Prices, have: Array, side: Int, part: Int, right: Int) -> Int:
    """Cost of a leaf, or a test with so much weight on the right side, whichever is less."""
    weight = np.int64(0)
    for c in range(len(have)):
        weight += have[c, side, part]
    cost = prices.error * (weight - right) + 3 * prices.node
    return min(cost, cheapest_leaf(prices, have, side, part))


@inner
def single_weights(pack: Pack, whole: Array, f: Int, alone: Array) -> None:
    """Fill `Scratch.alone` for a first column, -1 for none: all rows pass."""
    for c in range(len(alone)):
        for j in range(len(pack.column)):
            every = whole[c, j, j]
            mine = every if f < 0 else whole[c, min(f, j), max(f, j)]
            alone[c, 0, j], alone[c, 1, j] = mine, every - mine


@inner
def two_sides(
    pack: Pack, prices: Prices, whole: Array, scratch: Scratch, f: Int, out: Array
) -> None:
    """Find the best tree of depth two on both sides of a column.

    Parameters
    ----------
    out : int64 (2, 2)
        For each side the cost and the first column of the tree, -1 for a leaf.
    """
    alone, have, peak = scratch.alone, scratch.have, scratch.peak
    classes, p, width = whole.shape
    blocks = width // WIDTH
    for j in range(width):
        for k in range(4):
            peak[k, j] = 0
    for side in range(2):
        for c in range(classes):
            mine = pack.total[c] if f < 0 else np.int64(whole[c, f, f])
            have[c, side, 0], have[c, side, 1] = pack.total[c] - mine if side else mine, 0
        out[side, 0], out[side, 1] = cheapest_leaf(prices, have, side, -1), -1
    for i in range(p):
        for c in range(classes):
            for side in range(2):
                every = have[c, side, 0] + have[c, side, 1]
                have[c, side, 0] = alone[c, side, i]
                have[c, side, 1] = every - alone[c, side, i]
        activate(pack, scratch, f, i)
        right = pair_row(
            pack.bits, scratch.active, scratch.range, whole, alone, have, peak,
            np.int64(classes), np.int64(i * blocks), np.int64(p * blocks),
            np.int64(i // WIDTH), np.int64(blocks),
        )  # fmt: skip
        for side in range(2):
            passes = right[0] if side == 0 else right[2]
            fails = right[1] if side == 0 else right[3]
            cost = stump(prices, have, side, 0, max(passes, peak[2 * side, i])) + prices.node
            cost += stump(prices, have, side, 1, max(fails, peak[2 * side + 1, i]))
            if cost < out[side, 0]:
                out[side, 0], out[side, 1] = cost, i


@entry
def best_low_tree(
    pack: Pack, prices: Prices, depth: Int, cutoff: Int, literal: Int, seen: Array, stop: Array,
    plan: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Search the trees of depth 2 or 3 on a set of rows.

    Parameters
    ----------
    cutoff : int
        Only trees that cost less are wanted.
    literal : int
        If the rows are those with one answer to one column: twice the column, plus 1 for yes;
        else -1.
    seen : int64 (2 * columns, 2 * columns)
        Costs of the best trees of depth two on the rows of two literals, -1 where unknown. Which
        literal came first makes no difference. Each entry has one value, whoever writes it.
    stop : uint8 (1,)
        The search is given up as soon as this is set; what it returns is then void.
    plan : int64 (2**(depth - 1) - 1, 2)
        See `best_tree`.

    Returns
    -------
    bound, value : int
        Lower bound of every tree, and the cost of the best one if that is below the cutoff.
    """
    p, whole, scratch = len(pack.column), count_pairs(pack), make_scratch(pack)
    alone, out = scratch.alone, np.empty((2, 2), np.int64)
    if depth == 2:
        single_weights(pack, whole, -1, alone)
        two_sides(pack, prices, whole, scratch, -1, out)
        plan[0, 0] = pack.column[out[0, 1]] if out[0, 1] >= 0 else -1
        plan[0, 1] = 0
        return out[0, 0], out[0, 0]
    weight, most = np.int64(0), np.int64(0)
    for c in range(len(pack.total)):
        weight += pack.total[c]
        most = max(most, pack.total[c])
    plan[0, 0] = -1
    bound = value = prices.error * (weight - most) + prices.node
    known, mass = np.empty((2, p), np.int64), np.zeros(p, np.int64)
    for f in range(p):
        for c in range(len(pack.total)):
            mass[f] += whole[c, f, f]
        for side in range(2):
            known[side, f] = prices.node
            if literal >= 0:
                known[side, f] = max(prices.node, seen[literal, 2 * pack.column[f] + 1 - side])
    for f in range(p):
        if stop[0]:
            break
        single_weights(pack, whole, f, alone)
        bound_sides(prices, alone, mass, weight, known, f)
        goal, column = min(cutoff, value), pack.column[f]
        if prices.node + known[0, f] + known[1, f] < goal:
            two_sides(pack, prices, whole, scratch, f, out)
            for side in range(2):
                known[side, f] = out[side, 0]
                if literal >= 0:
                    other = 2 * column + 1 - side
                    seen[literal, other], seen[other, literal] = out[side, 0], out[side, 0]
        cost = prices.node + known[0, f] + known[1, f]
        bound = min(bound, cost)
        if cost < goal:
            value = cost
            plan[0, 0], plan[0, 1] = column, 0
            for side in range(2):
                plan[1 + side, 0] = pack.column[out[side, 1]] if out[side, 1] >= 0 else -1
                plan[1 + side, 1] = 0
    return bound, value if value < cutoff else INFINITE


@inner
def bound_sides(
    prices: Prices, alone: Array, mass: Array, weight: Int, known: Array, f: Int
) -> None:
    """Raise the lower bounds of the trees of both sides of a column from those of others.

    Parameters
    ----------
    alone : int32 (classes, 2, width)
        See `Scratch`.
    mass : int64 (p,)
        Weight that passes each column.
    weight : int
        Of all rows.
    known : int64 (2, p)
        Lower bounds of the sides that pass and that fail each column.
    """
    left, right, price = known[0, f], known[1, f], prices.error
    for g in range(len(mass)):
        both = np.int64(0)
        for c in range(len(alone)):
            both += alone[c, 0, g]
        left = max(left, known[0, g] - price * (mass[g] - both))
        left = max(left, known[1, g] - price * (weight - mass[g] - mass[f] + both))
        right = max(right, known[0, g] - price * both)
        right = max(right, known[1, g] - price * (mass[f] - both))
    known[0, f], known[1, f] = left, right
