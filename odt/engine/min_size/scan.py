"""What a new frame looks at: the distinct splits of its set, and bounds on both of their sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import inner
from odt.engine.min_size.bits import Words, has, popcount
from odt.engine.min_size.pool import SCALE, SHIFT, Pool
from odt.engine.min_size.state import Instance, Stack

LOOK = 2
"""Vectors of the pool, the best for the set, that bound the sides of its splits."""


@inner
def scan(instance: Instance, stack: Stack, level: int) -> None:
    """List the distinct proper splits of a set and order its chains by their best split."""
    words, order, offset = stack.words[level], stack.order[level], stack.offset[level]
    size = 0
    for k in range(instance.classes.shape[0]):
        stack.totals[k] = count_common(words, instance.classes[k])
        size += stack.totals[k]
    ranked = 0
    offset[0] = 0
    for f in range(instance.start.shape[0] - 1):
        best = list_splits(instance, stack, level, f, size)
        if best < 0:
            continue
        place = ranked
        while place > 0 and stack.apart[place - 1] < best:
            stack.apart[place] = stack.apart[place - 1]
            order[place] = order[place - 1]
            place -= 1
        stack.apart[place] = best
        order[place] = f
        ranked += 1
    order[ranked] = -1


@inner
def count_common(one: Words, two: Words) -> int:
    """Return the number of examples in both of two sets."""
    total = 0
    for w in range(one.shape[0]):
        total += popcount(one[w] & two[w])
    return total


@inner
def list_splits(instance: Instance, stack: Stack, level: int, f: int, size: int) -> int:
    """List the splits of one chain; return the most pairs that one separates, -1 without any.

    Also notes in ``stack.at``, for every cut, the first split that it belongs to or precedes.
    """
    words, classes = stack.words[level], instance.classes
    first, last = instance.start[f], instance.start[f + 1]
    at = stack.at[first + f :]
    found = stack.offset[level, f]
    best, before, cut = -1, 0, first
    while cut < last:
        inside = count_common(words, instance.cuts[cut])
        if inside == size:
            break
        if inside != before:
            before = inside
            stack.split[level, found] = cut
            at[cut - first] = found
            found += 1
            apart = inside * (size - inside)  # all pairs apart, minus those of equal class
            for k in range(classes.shape[0]):
                here = 0
                for w in range(words.shape[0]):
                    here += popcount(words[w] & instance.cuts[cut, w] & classes[k, w])
                apart -= here * (stack.totals[k] - here)
            best = max(best, apart)
        cut += 1
    at[cut - first : last - first + 1] = found
    stack.offset[level, f + 1] = found
    return best


@inner
def look_ahead(instance: Instance, pool: Pool, stack: Stack, level: int) -> None:
    """Bound both sides of every split from the best vectors of the pool."""
    n_chains = instance.start.shape[0] - 1
    n_splits = stack.offset[level, n_chains]
    stack.below[level, :n_splits] = 0
    stack.above[level, :n_splits] = 0
    choose_vectors(pool, stack, stack.words[level])
    for i in range(LOOK):
        if stack.chosen[i] < 0:
            break
        n_pairs = list_pairs(pool, stack, stack.words[level], stack.chosen[i])
        for f in range(n_chains):
            if stack.offset[level, f] < stack.offset[level, f + 1]:
                bound_sides(instance, pool, stack, level, f, n_pairs)


@inner
def choose_vectors(pool: Pool, stack: Stack, words: Words) -> None:
    """Write the vectors with the largest bounds on a set to ``stack.chosen``."""
    best = stack.apart
    stack.chosen[:] = -1
    best[: LOOK + 1] = -1
    for v in range(pool.start.shape[0] - 1):
        total = np.int64(0)
        for e in range(pool.start[v], pool.start[v + 1]):
            if has(words, pool.one[e]) and has(words, pool.two[e]):
                total += pool.weight[e]
        place = LOOK
        while place > 0 and best[place - 1] < total:
            best[place] = best[place - 1]
            stack.chosen[place] = stack.chosen[place - 1]
            place -= 1
        best[place] = total
        stack.chosen[place] = v


@inner
def list_pairs(pool: Pool, stack: Stack, words: Words, v: int) -> int:
    """Write the pairs of a vector inside a set to ``stack.pairs`` and return their number."""
    found = 0
    for e in range(pool.start[v], pool.start[v + 1]):
        if has(words, pool.one[e]) and has(words, pool.two[e]):
            stack.pairs[found] = e
            found += 1
    return found


@inner
def bound_sides(
    instance: Instance, pool: Pool, stack: Stack, level: int, f: int, n_pairs: int
) -> None:
    """Raise the bounds on both sides of the splits of a chain by the listed pairs.

    A pair lies inside the first side from the split on that takes in the second of the two, and
    inside the second side up to the split before the one that takes in the first.
    """
    first, last = stack.offset[level, f], stack.offset[level, f + 1]
    at, position = stack.at[instance.start[f] + f :], instance.position[f]
    inside, outside = stack.sums[0], stack.sums[1]
    inside[: last + 1 - first] = 0
    outside[: last + 1 - first] = 0
    for i in range(n_pairs):
        e = stack.pairs[i]
        low, high = at[position[pool.one[e]]], at[position[pool.two[e]]]
        if low > high:
            low, high = high, low
        inside[high - first] += pool.weight[e]
        outside[low - first] += pool.weight[e]
    raise_bounds(stack.below[level, first:last], inside)
    raise_bounds(stack.above[level, first:last][::-1], outside[1 : last + 1 - first][::-1])


@inner
def raise_bounds(bounds: NDArray[np.int32], steps: NDArray[np.int64]) -> None:
    """Raise bounds to the running sums of some steps, rounded up to whole branches."""
    total = np.int64(0)
    for s in range(bounds.shape[0]):
        total += steps[s]
        bounds[s] = max(bounds[s], (total + SCALE - 1) >> SHIFT)
