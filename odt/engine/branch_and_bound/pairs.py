"""Trees of yes/no columns from tables of pair counts, on sets of rows as bits.

With the class weights of every pair of columns, the errors of every tree of depth two follow by
additions (Demirovic et al., MurTree, JMLR 23, 2022). The table of the rows that fail a test is
that of all rows less that of the rows that pass. Rows are bits, one word for 64 of them; a row of
weight 5 stands in the segments of 1 and of 4 of its class, so weights cost nothing else.

Two sets of rows bound each other: what leaves a set takes at most its own weight of errors with
it. So the trees below a new test are bounded from those below the tests tried before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import LABEL, WEIGHT, Int, Table
from odt.engine.branch_and_bound.queue import INFINITE
from odt.engine.compilation import entry, inner

Array = NDArray[Any]
CLASS, FACTOR = 0, 1


class Answers(NamedTuple):
    """The answers of all rows, and the prices of a tree.

    Attributes
    ----------
    yes : uint64 (rows, columns)
        1 where the test of a column holds.
    segment : int64 (segments, 2)
        `CLASS` and `FACTOR` of the entries of a segment.
    classes, error_price, node_price : int
    """

    yes: Array
    segment: Array
    classes: int
    error_price: int
    node_price: int


class Pack(NamedTuple):
    """A set of rows as bits, without the columns that are constant on it.

    Attributes
    ----------
    row : int32 (entries,)
        The row of each entry, segment by segment.
    start : int64 (segments + 1, 2)
        First entry and first word of each segment.
    column : int64 (p,)
    bits : uint64 (words, p)
    """

    row: Array
    start: Array
    column: Array
    bits: Array


@intrinsic  # type: ignore[untyped-decorator]
def _ones(typing: Any, word: Any) -> Any:
    """Count the bits of a word."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    del word
    return types.int64(types.uint64), codegen


def make_answers(table: Table) -> tuple[Answers, Array, Array]:
    """Return the answers of a table of two-valued columns, and the entries of all rows.

    Returns
    -------
    answers : Answers
    row : int32 (entries,)
    first : int64 (segments + 1,)
        First entry of each segment.
    """
    segments, rows = [], []
    for c in range(table.classes):
        mine = np.flatnonzero(table.row[:, LABEL] == c)
        weight = table.row[mine, WEIGHT]
        for bit in range(int(weight.max(initial=0)).bit_length()):
            chosen = mine[(weight >> bit) & 1 == 1]
            if len(chosen):
                segments.append((c, 1 << bit))
                rows.append(chosen)
    answers = Answers(
        np.ascontiguousarray((table.rank == 0).T).astype(np.uint64),
        np.array(segments, dtype=np.int64),
        table.classes,
        table.error_price,
        table.node_price,
    )
    first = np.cumsum([0, *map(len, rows)])
    return answers, np.concatenate(rows).astype(np.int32), first.astype(np.int64)


@entry
def pack_rows(answers: Answers, row: Array, first: Array, column: Array) -> Pack:
    """Pack entries into bits, leaving out the columns that do not separate them."""
    segments = len(first) - 1
    start = np.zeros((segments + 1, 2), np.int64)
    for s in range(segments):
        start[s + 1, 0] = first[s + 1]
        start[s + 1, 1] = start[s, 1] + ((first[s + 1] - first[s] + 63) >> 6)
    kept, p = np.empty(len(column), np.int64), 0
    for f in column:
        holds = np.uint64(0)
        for r in row:
            holds += answers.yes[r, f]
        if 0 < holds < len(row):
            kept[p] = f
            p += 1
    bits = np.zeros((start[segments, 1], p), np.uint64)
    for s in range(segments):
        for e in range(first[s], first[s + 1]):
            k = e - first[s]
            word, at, yes = bits[start[s, 1] + (k >> 6)], np.uint64(k & 63), answers.yes[row[e]]
            for j in range(p):
                word[j] |= yes[kept[j]] << at
    return Pack(row, start, kept[:p].copy(), bits)


@entry
def pack_side(answers: Answers, pack: Pack, f: Int, wanted: Int) -> Pack:
    """Pack the entries whose answer to column number f of a pack is `wanted`, 1 for yes."""
    segments, size, column = len(pack.start) - 1, 0, pack.column[f]
    row, first = np.empty(len(pack.row), np.int32), np.zeros(segments + 1, np.int64)
    for s in range(segments):
        for e in range(pack.start[s, 0], pack.start[s + 1, 0]):
            if np.int64(answers.yes[pack.row[e], column]) == wanted:
                row[size] = pack.row[e]
                size += 1
        first[s + 1] = size
    return pack_rows(answers, row[:size].copy(), first, pack.column)


@entry
def class_weights(answers: Answers, pack: Pack) -> Array:
    """Return the class weights of a set of rows."""
    total = np.zeros(answers.classes, np.int64)
    for s in range(len(answers.segment)):
        entries = pack.start[s + 1, 0] - pack.start[s, 0]
        total[answers.segment[s, CLASS]] += entries * answers.segment[s, FACTOR]
    return total


@entry
def count_pairs(answers: Answers, pack: Pack, within: Int, out: Array) -> None:
    """Count, for each class and pair of columns, the weight of the rows that pass both.

    Parameters
    ----------
    within : int
        Only rows that pass this column; -1 for all.
    out : int64 (classes, p, p)
        Gets the counts of columns i <= j; what lies below the diagonal is left alone.
    """
    p = len(pack.column)
    for i in range(p):
        for c in range(answers.classes):
            for j in range(i, p):
                out[c, i, j] = 0
        for s in range(len(answers.segment)):
            factor, counts = answers.segment[s, FACTOR], out[answers.segment[s, CLASS], i]
            for w in range(pack.start[s, 1], pack.start[s + 1, 1]):
                words = pack.bits[w]
                mask = words[i] & words[within] if within >= 0 else words[i]
                if mask == 0:
                    continue
                for j in range(i, p):
                    counts[j] += factor * _ones(mask & words[j])


@inner
def cheapest_leaf(answers: Answers, total: Array) -> Int:
    """Cost of a leaf with these class weights."""
    weight, most = np.int64(0), np.int64(0)
    for c in range(len(total)):
        weight += total[c]
        most = max(most, total[c])
    return answers.error_price * (weight - most) + answers.node_price


@inner
def two_tests(answers: Answers, pairs: Array, total: Array, most: Array) -> tuple[Int, Int]:
    """Cost and first column (-1 for a leaf) of the best tree of depth two.

    The four leaves of a pair of tests are the same whichever is asked first, so each pair is
    looked at once.

    Parameters
    ----------
    pairs : int64 (classes, p, p), total : int64 (classes,)
        As counted on the rows.
    most : int64 (6 + classes, p)
        Scratch: for each second column the largest class of each of the four leaves; for each
        first column the weight that is right on both sides; the class weights of each column.
    """
    classes, p, _ = pairs.shape
    best, first, weight = cheapest_leaf(answers, total), -1, np.int64(0)
    left_total, right_total = np.empty(classes, np.int64), np.empty(classes, np.int64)
    for j in range(p):
        most[4, j], most[5, j] = 0, 0
    for c in range(classes):
        weight += total[c]
        for j in range(p):
            most[6 + c, j] = pairs[c, j, j]
    for i in range(p):
        inside = np.int64(0)
        for c in range(classes):
            left_total[c] = most[6 + c, i]
            right_total[c] = total[c] - most[6 + c, i]
            inside += left_total[c]
            largest_classes(
                pairs[c, i], most[6 + c], i, left_total[c], right_total[c], c == 0, most
            )
        left, right = best_seconds(most, i)
        left = answers.error_price * (inside - left) + 3 * answers.node_price
        right = answers.error_price * (weight - inside - right) + 3 * answers.node_price
        cost = answers.node_price + min(left, cheapest_leaf(answers, left_total))
        cost += min(right, cheapest_leaf(answers, right_total))
        if cost < best:
            best, first = cost, i
    return best, first


@inner
def largest_classes(
    both: Array, alone: Array, i: Int, have: Int, rest: Int, fresh: bool, most: Array
) -> None:
    """Take one class into account in the largest classes of the leaves of two tests."""
    yes_yes, yes_no, no_yes, no_no = most[0], most[1], most[2], most[3]
    for j in range(i + 1, len(both)):
        second = alone[j] - both[j]
        if fresh:
            yes_yes[j], yes_no[j], no_yes[j], no_no[j] = 0, 0, 0, 0
        yes_yes[j] = max(yes_yes[j], both[j])
        yes_no[j] = max(yes_no[j], have - both[j])
        no_yes[j] = max(no_yes[j], second)
        no_no[j] = max(no_no[j], rest - second)


@inner
def best_seconds(most: Array, i: Int) -> tuple[Int, Int]:
    """Return the most weight that is right on each side of a first column; note it for others."""
    yes_yes, yes_no, no_yes, no_no = most[0], most[1], most[2], most[3]
    passing, failing = most[4], most[5]
    left, right = passing[i], failing[i]
    for j in range(i + 1, len(passing)):
        left = max(left, yes_yes[j] + yes_no[j])
        right = max(right, no_yes[j] + no_no[j])
        passing[j] = max(passing[j], yes_yes[j] + no_yes[j])
        failing[j] = max(failing[j], yes_no[j] + no_no[j])
    return left, right


@entry
def add_classes(pairs: Array) -> Array:
    """Return the weight, of all classes, that passes two columns, shape (p, p)."""
    classes, p, _ = pairs.shape
    together = np.empty((p, p), np.int64)
    for i in range(p):
        for j in range(i, p):
            weight = np.int64(0)
            for c in range(classes):
                weight += pairs[c, i, j]
            together[i, j] = weight
            together[j, i] = weight
    return together


@entry
def order_columns(answers: Answers, pairs: Array, total: Array) -> Array:
    """Return the columns of a table, those of the best single tests first."""
    classes, p, _ = pairs.shape
    correct, order = np.zeros(p, np.int64), np.arange(p)
    for i in range(p):
        left, right = np.int64(0), np.int64(0)
        for c in range(classes):
            left = max(left, pairs[c, i, i])
            right = max(right, total[c] - pairs[c, i, i])
        correct[i] = left + right
    for i in range(1, p):
        k, f = i, order[i]
        while k > 0 and correct[order[k - 1]] < correct[f]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = f
    return order


@entry
def bound_sides(
    answers: Answers, together: Array, weight: Int, known: Array, solved: Array, f: Int,
) -> tuple[Int, Int]:  # fmt: skip
    """Lower bounds of the trees of the two sides of a column from those solved before.

    Parameters
    ----------
    together : int64 (p, p)
        Weight that passes two columns.
    weight : int
        Of all rows.
    known : int64 (2, p)
        Lower bounds of the sides that pass and that fail each solved column.
    solved : uint8 (p,)
    """
    left, right, price = answers.node_price, answers.node_price, answers.error_price
    for g in range(len(solved)):
        if solved[g]:
            both, mine, other = together[f, g], together[f, f], together[g, g]
            left = max(left, known[0, g] - price * (other - both))
            left = max(left, known[1, g] - price * (weight - other - mine + both))
            right = max(right, known[0, g] - price * both)
            right = max(right, known[1, g] - price * (mine - both))
    return left, right


@entry
def open_bound(answers: Answers, together: Array, weight: Int, known: Array, solved: Array) -> Int:
    """Lower bound of the trees whose first test is a column not solved, or that of a solved one."""
    least = np.int64(INFINITE)
    for f in range(len(solved)):
        low, high = known[0, f], known[1, f]
        if not solved[f]:
            low, high = bound_sides(answers, together, weight, known, solved, f)
        least = min(least, answers.node_price + low + high)
    return least


@entry
def best_binary_tree(
    answers: Answers, pack: Pack, depth: Int, cutoff: Int, literal: Int, seen: Array, stop: Array,
    plan: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Search the trees of a depth of at least 2 on a set of rows.

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
    p, total = len(pack.column), class_weights(answers, pack)
    pairs, most = (
        np.empty((answers.classes, p, p), np.int64),
        np.empty((6 + answers.classes, p), np.int64),
    )
    plan[0, 0], plan[0, 1] = -1, 0
    bound = value = cheapest_leaf(answers, total)
    if bound <= answers.node_price or p == 0:
        return bound, value
    count_pairs(answers, pack, -1, pairs)
    if depth == 2:
        value, f = two_tests(answers, pairs, total, most)
        plan[0, 0] = pack.column[f] if f >= 0 else -1
        return value, value
    trial, half = np.empty((len(plan), 2), np.int64), (len(plan) - 1) >> 1
    none = np.int64(-1)  # a literal -1 would be another type, and this kernel calls itself
    known, solved = np.zeros((2, p), np.int64), np.zeros(p, np.uint8)
    together, weight, first = add_classes(pairs), np.int64(0), answers.node_price
    for c in range(len(total)):
        weight += total[c]
    passing = np.empty((answers.classes, p, p), np.int64)
    failing = np.empty((answers.classes, p, p), np.int64)
    for f in order_columns(answers, pairs, total):
        low, high = bound_sides(answers, together, weight, known, solved, f)
        goal = min(cutoff, value)
        if first + low + high >= goal or stop[0]:
            bound = min(bound, first + low + high)
            continue
        cost, trial[0, 0], trial[0, 1] = INFINITE, pack.column[f], 0
        if depth == 3:
            low, high, cost = two_pairs(
                answers, pack, pairs, total, f, high, goal - first, literal, seen, passing, failing,
                most, trial,
            )  # fmt: skip
        else:
            low, cost = best_binary_tree(
                answers, pack_side(answers, pack, f, 1), depth - 1, goal - first - high, none,
                seen, stop, trial[1 : 1 + half],
            )  # fmt: skip
            if first + low + high < goal:
                high, other = best_binary_tree(
                    answers, pack_side(answers, pack, f, 0), depth - 1, goal - first - low,
                    none, seen, stop, trial[1 + half :],
                )  # fmt: skip
                cost += other
        known[0, f], known[1, f], solved[f] = low, high, 1
        bound = min(bound, first + low + high)
        if first + cost < goal:
            value = first + cost
            for t in range(len(plan)):
                plan[t, 0], plan[t, 1] = trial[t, 0], trial[t, 1]
    return bound, value if value < cutoff else INFINITE


@inner
def two_pairs(
    answers: Answers, pack: Pack, pairs: Array, total: Array, f: Int, high: Int, rest: Int,
    literal: Int, seen: Array, passing: Array, failing: Array, most: Array, plan: Array,
) -> tuple[Int, Int, Int]:  # fmt: skip
    """Find the best trees of depth two on both sides of a column; ``plan[1:3]`` gets them.

    Parameters
    ----------
    high : int
        Lower bound of the side that fails; it is not searched if that is enough to reach `rest`.
    rest : int
        Both sides together are wanted only below this.
    literal, seen
        See `best_binary_tree`.

    Returns
    -------
    low, high, cost : int
        Bounds of both sides, and their cost, `INFINITE` if not searched.
    """
    classes, p, _ = pairs.shape
    yes = 2 * pack.column[f] + 1
    if literal >= 0:
        high = max(high, seen[literal, yes - 1])
        if seen[literal, yes] + high >= rest:
            return seen[literal, yes], high, INFINITE
    inside, outside = np.empty(classes, np.int64), np.empty(classes, np.int64)
    count_pairs(answers, pack, f, passing)
    for c in range(classes):
        inside[c], outside[c] = pairs[c, f, f], total[c] - pairs[c, f, f]
    low, i = two_tests(answers, passing, inside, most)
    if literal >= 0:
        seen[literal, yes], seen[yes, literal] = low, low
    if low + high >= rest:
        return low, high, INFINITE
    for c in range(classes):
        for i_row in range(p):
            for j in range(i_row, p):
                failing[c, i_row, j] = pairs[c, i_row, j] - passing[c, i_row, j]
    high, k = two_tests(answers, failing, outside, most)
    if literal >= 0:
        seen[literal, yes - 1], seen[yes - 1, literal] = high, high
    plan[1, 0], plan[1, 1] = pack.column[i] if i >= 0 else -1, 0
    plan[2, 0], plan[2, 1] = pack.column[k] if k >= 0 else -1, 0
    return low, high, low + high
