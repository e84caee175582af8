"""Sets of groups of rows as rows of 64-bit words, many at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


def pack(members: NDArray[np.bool_]) -> Words:
    """Return a boolean array of shape (S, G) as words of shape (S, ceil(G / 64))."""
    n_words = -(-members.shape[1] // 64)
    padded = np.zeros((len(members), 8 * n_words), dtype=np.uint8)
    packed = np.packbits(members, axis=1, bitorder="little")
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def unpack(words: Words, size: int) -> NDArray[np.uint8]:
    """Return the members of sets, 0 or 1, shape (S, size)."""
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=size)


def to_int(words: Words) -> int:
    """Return one set as a Python integer, as `odt.mdp` has it."""
    return int.from_bytes(words.tobytes(), "little")


def from_ints(sets: list[int], n_words: int) -> Words:
    """Return Python integers as words of shape (len(sets), n_words)."""
    data = b"".join(s.to_bytes(8 * n_words, "little") for s in sets)
    return np.frombuffer(data, dtype=np.uint64).reshape(len(sets), n_words).copy()


def hashes(words: Words) -> Words:
    """Return a 64-bit hash of each row."""
    random = np.random.default_rng(64)
    multipliers: Words = random.integers(1, 2**63, size=(words.shape[1],), dtype=np.uint64)
    mixed = words * (2 * multipliers + 1)
    mixed ^= mixed >> np.uint64(29)
    mixed *= 2 * multipliers[::-1] + 1
    mixed ^= mixed >> np.uint64(32)
    return np.asarray(mixed.sum(axis=1, dtype=np.uint64))


def distinct(words: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first position of each distinct row, and the number of each row's own.

    Rows are compared by hash; equal hashes of different rows are noticed, and then the rows
    themselves are sorted.
    """
    _, first, inverse = np.unique(hashes(words), return_index=True, return_inverse=True)
    if (words[first[inverse]] != words).any():
        rows = np.ascontiguousarray(words).view([("", np.uint64)] * words.shape[1]).reshape(-1)
        _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    return first.astype(np.int64), inverse.reshape(-1).astype(np.int64)


def count(words: Words) -> NDArray[np.int64]:
    """Return the number of members of each set."""
    return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.int64))
