"""The depth-first dynamic program over states (set of rows, tests left).

`expand` solves one state: it tries every offered test, takes the fronts of both sides from the
memo, from one pass over both (one test left), or from itself, and keeps the front of the union.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odt.engine.compilation import entry, inner
from odt.engine.front.kernels.arrays import pairs, zeros
from odt.engine.front.kernels.cart import mark
from odt.engine.front.kernels.front import (
    COMPLEXITY,
    ERROR,
    SHAPE,
    TEST,
    add_branch,
    join,
    leaf,
    merge,
    pack,
)
from odt.engine.front.kernels.generate import offered
from odt.engine.front.kernels.last_level import WEIGHT, best_last_cut, divide, least_last_error
from odt.engine.front.kernels.last_level_bounds import Scanned, floor, make_scanned, note
from odt.engine.front.kernels.layout import ALL, Array, Data, Int
from odt.engine.front.kernels.memo import (
    FULL,
    HITS,
    LEFT,
    MISSING,
    SCANS,
    STATES,
    TESTS,
    USED,
    Memo,
    front_at,
    insert,
    seek,
    start_at,
)
from odt.engine.front.kernels.split import Sides, count_side, gather, make_sides, separate
from odt.engine.lending import lend


class Work(NamedTuple):
    """Scratch memory of one thread, and the options of a search.

    Attributes
    ----------
    levels : int64 (levels, columns, rows)
        Sorted columns of the state open at each level; level 0 is the root.
    copy : int64 (columns, rows), spare, other : int64 (rows,)
        For growing a CART and for the last level.
    side : uint8 (depth + 1, rows)
        Side of each row under the test being tried at each level; the last row is for CART.
    plan : int64 (depth, rules, 5)
        Generator rules per level.
    used : int64 (attributes,)
        How often each feature was tested on the current path.
    key : uint64 (words,)
        Key of the state last looked up; from USED on, where features have a price of their own,
        always the bit set of those on the current path.
    stop : uint8 (1,)
        Set by the caller to finish greedily.
    convex : bool
        Keep hulls instead of whole fronts.
    max_error : int
        Vertices above it are dropped where a better one exists.
    offset, stride : int
        Which of the root's tests this thread tries.
    """

    levels: Array
    copy: Array
    spare: Array
    other: Array
    side: Array
    plan: Array
    used: Array
    key: Array
    stop: Array
    convex: bool
    max_error: int
    offset: int
    stride: int


@inner
def price(data: Data, work: Work, column: Int, weight: Int) -> Int:
    """Complexity of a test in a state of the given weight."""
    unit = data.test_price[column]
    if work.used[data.attribute[column]] == 0:
        unit += data.feature_price[column]
    return data.branch_price + unit * np.int64(weight)


@inner
def use(data: Data, work: Work, column: Int, step: Int) -> None:
    """Put the feature of a column on the current path (step 1) or take it off (step -1)."""
    feature = data.attribute[column]
    before = work.used[feature]
    work.used[feature] = before + step
    if len(work.key) > USED and (before == 0 or before + step == 0):
        work.key[USED + (feature >> 6)] ^= np.uint64(1) << np.uint64(feature & 63)


@inner
def same_price(data: Data, work: Work) -> bool:
    """All columns cost the same."""
    for f in range(1, len(data.test_price)):
        if price(data, work, f, 1.0) != price(data, work, f - 1, 1.0):
            return False
    return True


@inner
def last_fronts(
    data: Data, work: Work, keys: Array, size: Int, side: Array, sides: Sides, known: Array
) -> tuple[Array, Array]:
    """Fronts of the unknown ones of two states with one test left, over every cut."""
    columns, uniform = len(keys), same_price(data, work)
    best, cuts = pairs(columns), pairs(columns)
    parts, lowest = (work.spare, work.other), zeros(2)
    for s in range(2):
        lowest[s] = least_last_error(data, sides.counts[s], sides.sums[s])
    for f in range(columns):
        for s in range(2):
            best[f, s], cuts[f, s] = best[f - 1, s] if uniform and f else sides.error[s], -1
        if (known[0] or best[f, 0] == lowest[0]) and (known[1] or best[f, 1] == lowest[1]):
            continue
        divide(keys[f], size, side, work.spare, work.other)
        for s in range(2):
            if not known[s] and best[f, s] > lowest[s]:
                best[f, s], cuts[f, s] = best_last_cut(
                    data, parts[s], sides.size[s], sides.counts[s], sides.sums[s], best[f, s]
                )
    left, right = leaf(sides.error[0]), leaf(sides.error[1])
    for f in range(columns):
        for s in range(2):
            if cuts[f, s] >= 0:
                point = last_branch(data, work, sides, s, f, cuts[f, s], best[f, s])
                if s == 0:
                    left = merge(left, point, work.convex, work.max_error)
                else:
                    right = merge(right, point, work.convex, work.max_error)
    return left, right


@inner
def last_branch(
    data: Data, work: Work, sides: Sides, s: Int, column: Int, cut: Int, error: Int
) -> Array:
    """The front with the single branch over two leaves."""
    point = leaf(error)
    point[0, COMPLEXITY] = price(data, work, column, sides.sums[s, WEIGHT])
    point[0, SHAPE] = join(point[0, SHAPE], point[0, SHAPE])
    point[0, TEST] = pack(column, cut)
    return point


@inner
def key_of(work: Work, sides: Sides, s: Int, left: Int) -> Array:
    """Key of a side below the current path."""
    work.key[0], work.key[1] = sides.digest[s, 0], sides.digest[s, 1]
    work.key[LEFT] = np.uint64(left)
    return work.key


@inner
def lookup(memo: Memo, work: Work, sides: Sides, s: Int, left: Int, known: Array) -> Int:
    """Slot of a side, MISSING if pure; `known` tells whether it needs no further work."""
    known[s] = sides.error[s] == 0
    if known[s]:
        return MISSING
    slot = seek(memo, key_of(work, sides, s, left))
    known[s] = memo.where[slot, 1] > 0
    memo.counters[HITS] += known[s]
    return slot if known[s] else MISSING


@inner
def store(memo: Memo, work: Work, sides: Sides, s: Int, left: Int, front: Array) -> Int:
    """Remember the front of a side."""
    return insert(memo, key_of(work, sides, s, left), front)


@inner
def leaves_front(front: Array, work: Work, sides: Sides, cost: Int, test: Int) -> Array:
    """Add the branch over two leaves."""
    a, b = leaf(sides.error[0]), leaf(sides.error[1])
    return add_branch(front, a, b, 0, cost, test, work.convex, work.max_error)


@inner
def scan_sides(
    data: Data, memo: Memo, work: Work, level: Int, size: Int, sides: Sides,
    known: Array, slots: Array,
) -> None:  # fmt: skip
    """Solve the unknown sides, which have one test left and every cut."""
    memo.counters[SCANS] += 1
    left = len(work.plan) - level - 1
    fronts = last_fronts(data, work, work.levels[level], size, work.side[level], sides, known)
    for s in range(2):
        if not known[s]:
            slots[s] = store(memo, work, sides, s, left, fronts[0] if s == 0 else fronts[1])


@inner
def floor_front(data: Data, work: Work, sides: Sides, s: Int, least: Int) -> Array:
    """A front that no tree of a side with one test left can beat."""
    front, point = leaf(sides.error[s]), leaf(least)
    if least >= sides.error[s]:
        return front
    weight = sides.sums[s, WEIGHT]
    point[0, COMPLEXITY] = price(data, work, 0, weight)
    for f in range(1, len(data.test_price)):
        point[0, COMPLEXITY] = min(point[0, COMPLEXITY], price(data, work, f, weight))
    point[0, SHAPE] = join(point[0, SHAPE], point[0, SHAPE])
    return merge(front, point, work.convex, work.max_error)


@inner
def is_hopeless(
    data: Data, memo: Memo, work: Work, front: Array, scanned: Scanned, column: Int,
    sides: Sides, known: Array, slots: Array, cost: Int, test: Int,
) -> Int:  # fmt: skip
    """No vertex of a test can enter the front, whatever a scan of its sides would find."""
    a, b = front_at(memo, slots[0]), front_at(memo, slots[1])
    for s in range(2):
        if not known[s]:
            least = floor(data, scanned, column, sides, s)
            bound = floor_front(data, work, sides, s, least)
            if s == 0:
                a = bound
            else:
                b = bound
    merged = add_branch(front, a, b, 0, cost, test, work.convex, work.max_error)
    entered = 0
    for i in range(len(merged)):
        entered += merged[i, TEST] == test
    return entered == 0


@inner
def solve_last(data: Data, memo: Memo, work: Work, level: Int, size: Int, whole: Sides) -> Int:
    """Solve a state of the last level where every cut is offered; its slot, or FULL."""
    keys, side, known = work.levels[level], work.side[level], zeros(2)
    mark(keys[0], 0, size, size, side)
    known[1] = 1
    front, _ = last_fronts(data, work, keys, size, side, whole, known)
    return store(memo, work, whole, 0, 1, front)


@inner
def expand(data: Data, memo: Memo, work: Work, level: Int, size: Int) -> Int:
    """Solve the state open at a level; its slot, or FULL when the memo must grow."""
    keys, side, left = work.levels[level], work.side[level], len(work.plan) - level
    whole, sides = make_sides(data.classes), make_sides(data.classes)
    slots, known = zeros(2), zeros(2)
    count_side(data, keys[0], 0, size, whole, 0)
    memo.counters[STATES] += 1
    if left == 1 and work.plan[level, 0, 0] == ALL:
        return solve_last(data, memo, work, level, size, whole)
    front = leaf(whole.error[0])
    tests = offered(
        data, keys, size, work.plan[level], work.stop[0], work.copy, work.side[-1], work.spare
    )
    is_last = left == 2 and work.plan[level + 1, 0, 0] == ALL
    scanned, hopeless = make_scanned(len(tests)), False
    for t in range(len(tests)):
        if work.stop[0] and t > 0:
            break
        column, test = tests[t, 0], pack(tests[t, 0], tests[t, 1])
        count = separate(data, keys, column, tests[t, 1], whole, sides)
        if count == 0 or (level == 0 and t % work.stride != work.offset):
            continue
        memo.counters[TESTS] += 1
        cost = price(data, work, column, whole.sums[0, WEIGHT])
        if left == 1:
            front = leaves_front(front, work, sides, cost, test)
            continue
        hopeless = False
        use(data, work, column, 1)
        for s in range(2):
            slots[s] = lookup(memo, work, sides, s, left - 1, known)
        if not (known[0] and known[1]):
            mark(keys[column], 0, size, count, side)
            if is_last:
                hopeless = is_hopeless(
                    data, memo, work, front, scanned, column, sides, known, slots, cost, test
                )
                if not hopeless:
                    scan_sides(data, memo, work, level, size, sides, known, slots)
            for s in range(0 if is_last else 2):
                if not known[s] and min(slots[0], slots[1]) != FULL:
                    gather(keys, size, side, s, work.levels[level + 1])
                    slots[s] = expand(data, memo, work, level + 1, sides.size[s])
        use(data, work, column, -1)
        if hopeless:
            continue
        if slots[0] == FULL or slots[1] == FULL:
            return FULL
        at = pack(start_at(memo, slots[0]), start_at(memo, slots[1]))
        a, b = front_at(memo, slots[0]), front_at(memo, slots[1])
        front = add_branch(front, a, b, at, cost, test, work.convex, work.max_error)
        if is_last:
            note(scanned, column, sides, a[0, ERROR], b[0, ERROR])
    return store(memo, work, whole, 0, left, front)


@entry
def search(data: Data, memo: Memo, work: Work) -> Int:
    """Solve the state of all rows; its slot, or FULL when the memo must grow."""
    return expand(lend(data), lend(memo), lend(work), 0, data.keys.shape[1])
