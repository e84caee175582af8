"""Sets of examples as fixed-width words of 64 bits, and the kernels on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from odt.engine.compilation import entry, inner

Words = NDArray[np.uint64]


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typingctx: Any, word: Any) -> Any:
    """Number of ones of a 64-bit word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


def pack(rows: NDArray[np.bool_]) -> Words:
    """Pack the last axis of a boolean array into little-endian 64-bit words."""
    n = rows.shape[-1]
    width = max(1, -(-n // 64))
    padded = np.zeros((*rows.shape[:-1], width * 64), dtype=bool)
    padded[..., :n] = rows
    packed: Words = np.packbits(padded, axis=-1, bitorder="little").view(np.uint64)
    return packed


def unpack(words: Words, n: int) -> NDArray[np.bool_]:
    """Return the first ``n`` bits of an array of words as booleans."""
    as_bytes = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=n, bitorder="little").astype(bool)


@inner
def has(words: Words, row: int) -> bool:
    """Whether a set contains an example."""
    return bool((words[row >> 6] >> np.uint64(row & 63)) & np.uint64(1))


@inner
def count(words: Words) -> int:
    """Size of a set."""
    total = 0
    for w in range(words.shape[0]):
        total += popcount(words[w])
    return total


@inner
def count_classes(classes: Words, words: Words) -> int:
    """Return how many classes a set meets."""
    found = 0
    for k in range(classes.shape[0]):
        for w in range(words.shape[0]):
            if classes[k, w] & words[w]:
                found += 1
                break
    return found


@entry
def pure(planes: Words, words: Words) -> bool:
    """Whether all examples of a set have one class.

    ``planes`` are the bit planes of the class codes: a set is pure iff every plane holds all of
    its examples or none.
    """
    for p in range(planes.shape[0]):
        ones = np.uint64(0)
        zeros = np.uint64(0)
        for w in range(words.shape[0]):
            ones |= words[w] & planes[p, w]
            zeros |= words[w] & ~planes[p, w]
            if ones != 0 and zeros != 0:
                return False
    return True


@inner
def pure_part(planes: Words, words: Words, cut: Words, inside: bool) -> bool:
    """Whether the examples of a set inside (or outside) a cut have one class."""
    turn = np.uint64(0) if inside else ~np.uint64(0)
    for p in range(planes.shape[0]):
        ones = np.uint64(0)
        zeros = np.uint64(0)
        for w in range(words.shape[0]):
            part = words[w] & (cut[w] ^ turn)
            ones |= part & planes[p, w]
            zeros |= part & ~planes[p, w]
            if ones != 0 and zeros != 0:
                return False
    return True


@inner
def last_pure(planes: Words, cuts: Words, words: Words, low: int, high: int) -> int:
    """Return the last cut of a chain whose first side is pure in a set.

    The chain owns the cuts ``low .. high - 1``; ``low - 1`` stands for "none". Purity is monotone
    along a chain, so that a binary search finds it.
    """
    low -= 1
    high -= 1
    while low < high:
        middle = (low + high + 1) >> 1
        if pure_part(planes, words, cuts[middle], True):
            low = middle
        else:
            high = middle - 1
    return low


@inner
def first_pure(planes: Words, cuts: Words, words: Words, low: int, high: int) -> int:
    """Return the first cut of a chain whose second side is pure in a set, ``high`` if none is."""
    while low < high:
        middle = (low + high) >> 1
        if pure_part(planes, words, cuts[middle], False):
            high = middle
        else:
            low = middle + 1
    return low


@entry
def one_cut(planes: Words, cuts: Words, start: NDArray[np.int64], words: Words) -> int:
    """Return a cut both sides of which are pure in a set, or -1."""
    for f in range(start.shape[0] - 1):
        cut = last_pure(planes, cuts, words, start[f], start[f + 1])
        if cut >= start[f] and pure_part(planes, words, cuts[cut], False):
            return cut
    return -1


@inner
def two_cuts(
    planes: Words, cuts: Words, start: NDArray[np.int64], words: Words, rest: Words
) -> int:
    """Return a cut with one pure side whose other side needs one more cut, or -1.

    ``rest`` is scratch space of the width of ``words``.
    """
    for f in range(start.shape[0] - 1):
        low, high = start[f], start[f + 1]
        cut = last_pure(planes, cuts, words, low, high)
        if cut >= low:
            for w in range(words.shape[0]):
                rest[w] = words[w] & ~cuts[cut, w]
            if one_cut(planes, cuts, start, rest) >= 0:
                return cut
        cut = first_pure(planes, cuts, words, low, high)
        if cut < high:
            for w in range(words.shape[0]):
                rest[w] = words[w] & cuts[cut, w]
            if one_cut(planes, cuts, start, rest) >= 0:
                return cut
    return -1
