"""Lower bounds for all subsets of the examples from weights on pairs (duals of a packing LP).

Let ``w >= 0`` be weights on pairs of examples of different class such that for every cut the
weights of the pairs it separates sum to at most 1. A consistent tree of a set ``m`` separates
every pair inside ``m`` at some branch, and a branch collects at most 1, so that the weights inside
``m`` sum to at most the number of branches. Weights are integers over a common unit ``SCALE``,
rounded down and checked against every cut, so that the bound is exact integer arithmetic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.engine.compilation import inner
from odt.engine.min_size.bits import Words, has

SHIFT = 20
SCALE = 1 << SHIFT
MAX_PAIRS = 300
"""Pairs in one linear program."""


class Pool(NamedTuple):
    """Weight vectors, the newest first: vector ``v`` owns the entries ``start[v]:start[v + 1]``."""

    one: NDArray[np.int32]
    two: NDArray[np.int32]
    weight: NDArray[np.int64]
    start: NDArray[np.int64]
    version: int


class Vector(NamedTuple):
    """Weights of one LP dual: pairs ``(one, two)`` of examples and integer weights."""

    one: NDArray[np.int32]
    two: NDArray[np.int32]
    weight: NDArray[np.int64]


@inner
def pool_bound(pool: Pool, words: Words, enough: int) -> int:
    """Return the best bound of the pool on a set, or the first one above ``enough``."""
    best = np.int64(0)
    target = enough * SCALE
    for v in range(pool.start.shape[0] - 1):
        total = np.int64(0)
        for e in range(pool.start[v], pool.start[v + 1]):
            if has(words, pool.one[e]) and has(words, pool.two[e]):
                total += pool.weight[e]
        best = max(best, total)
        if best > target:
            break
    return int((best + SCALE - 1) >> SHIFT)


def join(vectors: list[Vector], version: int) -> Pool:
    """Return the pool of some vectors, in their order; the version tells it from others."""
    empty32, empty64 = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    sizes = [len(v.weight) for v in vectors]
    return Pool(
        np.concatenate([empty32, *(v.one for v in vectors)]),
        np.concatenate([empty32, *(v.two for v in vectors)]),
        np.concatenate([empty64, *(v.weight for v in vectors)]),
        np.cumsum([0, *sizes]).astype(np.int64),
        version,
    )
