"""What the search for proofs spends its time on, compiled.

Kernels that call no other one also run uncompiled, for costs beyond machine integers (`kernel`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.branch_and_bound.frame import (
    FEATURE,
    LABEL,
    WEIGHT,
    Frame,
    Table,
    above,
    at_most,
    everything,
)
from odt.engine.branch_and_bound.stumps import Work, forget, stump_bound, weigh
from odt.engine.compilation import entry, inner

Array = NDArray[Any]
Int = Any
LEFT, RIGHT = 0, 1
ALONE, FROM_SUBSETS, FROM_BOTH = 0, 1, 2
"""Whether the bound of a side says nothing of its neighbours, of larger ones, or of all."""
CHAIN, POSITION, SIDE, BOUND = 0, 1, 2, 3
MEMORY = 16
"""How many positions of a chain, the last ones, bound the next."""


class Sorted(NamedTuple):
    """The m groups of a state as its G chains sort them.

    Attributes
    ----------
    order : ndarray of int64, shape (G, m)
        The groups in the order of each chain.
    is_split : ndarray of bool, shape (G, m - 1)
        Whether a test of the chain separates the groups up to this one from the next.
    weights : ndarray, shape (m, K)
        Weight units of each class.
    counts : ndarray of int64, shape (m,)
        Examples.
    prices : ndarray, shape (6,)
        Of an error and of a node, fewest examples and least weight of a leaf, 1 if leaves must be
        pure, and what is more than any cost.
    """

    order: Array
    is_split: Array
    weights: Array
    counts: Array
    prices: Array


def suited(kernel: Callable[..., Any], numbers: Array) -> Callable[..., Any]:
    """Return a kernel as it can be called with numbers of this kind."""
    return getattr(kernel, "py_func", kernel) if numbers.dtype == object else kernel


@entry
def one_test(groups: Sorted, inside: Array, coefficients: Array, scratch: Array) -> Int:
    """Return the least cost of a subset of a state with at most one test.

    Parameters
    ----------
    groups : Sorted
    inside : ndarray of bool, shape (m,)
        Which groups belong to the subset.
    coefficients : ndarray, shape (G,)
        Cost of the tests of each chain for one unit of weight; negative where none may be asked.
    scratch : ndarray, shape (2, K)
        Of the type of the weights.
    """
    error, node, least_count, least_weight, pure, infinite = groups.prices
    weights, counts, n_classes = groups.weights, groups.counts, groups.weights.shape[1]
    left, total = scratch[0], scratch[1]
    total[:] = 0
    count, weight = 0 * counts[0], 0 * weights[0, 0]
    for i in range(len(inside)):
        if inside[i]:
            count += counts[i]
            for k in range(n_classes):
                total[k] += weights[i, k]
                weight += weights[i, k]
    best = infinite
    if count >= least_count and weight >= least_weight:
        errors = weight - total.max()
        if pure == 0 or errors == 0:
            best = error * errors + node
    for g in range(len(groups.order)):
        own = 3 * node + coefficients[g] * weight
        if coefficients[g] < 0 or own >= best:
            continue
        left[:] = 0
        left_count, left_weight, grown = 0 * counts[0], 0 * weights[0, 0], False
        for i in range(len(inside) - 1):
            row = groups.order[g, i]
            if inside[row]:
                grown = True
                left_count += counts[row]
                for k in range(n_classes):
                    left[k] += weights[row, k]
                    left_weight += weights[row, k]
            if not grown or not groups.is_split[g, i]:
                continue
            grown = False
            if left_count < least_count or count - left_count < least_count:
                continue
            if left_weight < least_weight or weight - left_weight < least_weight:
                continue
            most_left, most_right = left[0], total[0] - left[0]
            for k in range(1, n_classes):
                most_left = max(most_left, left[k])
                most_right = max(most_right, total[k] - left[k])
            errors = weight - most_left - most_right
            cost = own + error * errors
            if cost < best and (pure == 0 or errors == 0):
                best = cost
    return best


@entry
def carry(
    known: Array, mass: Array, to_right: Int, place: Int, bound: Int, reach: Int, dearest: Int
) -> None:
    """Take the bound of a side into account, for its supersets and subsets too.

    Parameters
    ----------
    known, mass : ndarray, shape (m - 1,)
        Bounds and weights of one side of a chain, by position.
    to_right : int
        `LEFT` or `RIGHT`: which side.
    place, bound : int
        Where, and what it costs at least.
    reach : int
        `ALONE`, `FROM_SUBSETS` or `FROM_BOTH`.
    dearest : int
        What a unit of weight costs at most.
    """
    known[place] = max(known[place], bound)
    if reach == ALONE:
        return
    for i in range(len(known)):
        if (i < place) == (to_right == RIGHT):
            known[i] = max(known[i], bound)
        elif reach == FROM_BOTH:
            known[i] = max(known[i], bound - dearest * (mass[place] - mass[i]))


@entry
def open_run(known: Array, is_split: Array, wanted: Int, reach: Int) -> tuple[Int, Int, Int]:
    """Return first, middle and last of the most neighbouring tests whose sides cost too little.

    All are -1 if there is none. Where no bound is carried from one to the others, only one.

    Parameters
    ----------
    known : ndarray, shape (2, m - 1)
        Bounds of both sides of a chain, by position.
    is_split : ndarray of bool, shape (m - 1,)
    wanted : int
        What both must cost.
    reach : int
        See `carry`.
    """
    first, last, longest, start, length = -1, -1, 0, -1, 0
    for i in range(len(is_split)):
        if not is_split[i]:
            continue
        if known[LEFT, i] + known[RIGHT, i] >= wanted:
            length = 0
            continue
        start = i if length == 0 else start
        length += 1
        if length > longest:
            first, last, longest = start, i, length
        if reach == ALONE:
            break
    middle, passed = first, 0
    for i in range(first, last + 1):
        if longest > 0 and is_split[i]:
            middle = i if passed <= longest // 2 else middle
            passed += 1
    return first, middle, last


@entry
def two_tests(
    table: Table, frame: Frame, work: Work, cuts: Array, is_split: Array, known: Array, mass: Array,
    chains: Array, prices: Array, used: Array, dearest: Int, best: Int, cited: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Return the least cost of a state with at most two tests if it is below ``best``.

    Without limits on leaves. Sides are counted as `bnb` does, vector by vector.

    Parameters
    ----------
    table : Table
        A column for each chain, one or more rows for each group.
    frame : Frame
        The rows of the state.
    work : Work
        Scratch for the frame.
    cuts : ndarray of int64, shape (G, m)
        Rank of the group at each position of each chain.
    is_split : ndarray of bool, shape (G, m - 1)
        See `Sorted`.
    known, mass : ndarray, shape (2, G, m - 1)
        Bounds, which are raised, and weights of the sides of each chain, by position.
    chains : ndarray of int64
        The chains to be asked, in their order.
    prices : ndarray, shape (G,)
        What a first test of each chain costs.
    used : ndarray of int64
        Whether each feature was asked on the way; is restored.
    dearest : int
        What a unit of weight costs at most.
    best : int
        Only trees that cost less are of interest.
    cited : ndarray of int64, shape (N, 4)
        Gets chain, position, side and bound of what was looked at; two rows for each test suffice.

    Returns
    -------
    best, n_cited : int
    """
    columns, n, everyone = len(prices), 0, everything(frame)
    total = np.zeros((2, table.classes), np.int64)
    whole, seen = np.zeros(table.classes, np.int64), np.zeros((2, MEMORY, columns + 1), np.int64)
    places, n_seen = np.zeros((2, MEMORY), np.int64), np.zeros(2, np.int64)
    floor = np.zeros(columns + 1, np.int64)
    forget(work)
    for row in frame.rows[0]:
        whole[table.row[row, LABEL]] += table.row[row, WEIGHT]
    for g in chains:
        n_seen[:] = 0
        used[table.column[g, FEATURE]] += 1
        while True:
            wanted = best - prices[g]
            _, i, _ = open_run(known[:, g], is_split[g], wanted, FROM_BOTH)
            if i < 0:
                break
            weigh(frame, work, everyone, g, cuts[g, i], whole, total[LEFT])
            total[RIGHT] = whole - total[LEFT]
            for side in range(2):
                floors_from_neighbours(
                    seen[side], places[side], n_seen[side], mass[side, g], i, dearest, floor
                )
                at = n_seen[side] % MEMORY
                found = seen[side, at]
                half = above(g, cuts[g, i]) if side == RIGHT else at_most(g, cuts[g, i])
                stump_bound(
                    table, frame, work, everyone, half, total[side], used, wanted, floor, found
                )
                places[side, at], n_seen[side] = i, n_seen[side] + 1
                carry(known[side, g], mass[side, g], side, i, found[columns], FROM_BOTH, dearest)
                cited[n, CHAIN], cited[n, POSITION] = g, i
                cited[n, SIDE], cited[n, BOUND] = side, found[columns]
                n += 1
            best = min(best, prices[g] + known[LEFT, g, i] + known[RIGHT, g, i])
        used[table.column[g, FEATURE]] -= 1
    return best, n


@inner
def floors_from_neighbours(
    seen: Array, places: Array, n_seen: Int, mass: Array, place: Int, dearest: Int, floor: Array
) -> None:
    """Bound the second tests of a side by chain, from those of sides of other positions."""
    for f in range(len(floor)):
        floor[f] = 0
    for k in range(min(n_seen, MEMORY)):
        lost = max(0, dearest * (mass[places[k]] - mass[place]))
        for f in range(len(floor)):
            floor[f] = max(floor[f], seen[k, f] - lost)


@entry
def needed(
    floors: Array, mass: Array, is_split: Array, cited: Array, wanted: Int, reach: Int,
    dearest: Int,
) -> Array:  # fmt: skip
    """Return which cited sides of one chain are needed to show that its sides cost enough.

    Parameters
    ----------
    floors, mass : ndarray, shape (2, m - 1)
        What is known without them, and weights.
    is_split : ndarray of bool, shape (m - 1,)
    cited : ndarray of int64, shape (N, 4)
        See `two_tests`.
    wanted : int
        What both sides must cost.
    reach, dearest : int
        See `carry`.
    """
    is_needed, known = np.ones(len(cited), np.bool_), np.empty_like(floors)
    for left_out in range(len(cited)):
        is_needed[left_out] = False
        known[:] = floors
        for n in range(len(cited)):
            if is_needed[n]:
                side = cited[n, SIDE]
                carry(
                    known[side], mass[side], side, cited[n, POSITION], cited[n, BOUND], reach,
                    dearest,
                )  # fmt: skip
        is_needed[left_out] = open_run(known, is_split, wanted, reach)[1] >= 0
    return is_needed
