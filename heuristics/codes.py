"""Alphabetic codes: binary trees over ordered leaves, given by how deep each leaf may lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fork:
    """A binary tree over the leaves ``first`` to ``last``; ``left`` ends before ``middle``.

    Attributes
    ----------
    middle : int
        First leaf of the right side.
    left, right : Fork or int
        Subtrees; a number is a leaf.
    """

    middle: int
    left: Fork | int
    right: Fork | int


def gilbert_moore(sizes: Sequence[int]) -> list[int]:
    """Return the lengths ``ceil(log2(total / size)) + 1``, for which an alphabetic code exists.

    Parameters
    ----------
    sizes : sequence of int
        Positive.
    """
    total = sum(sizes)
    return [(-(-total // size) - 1).bit_length() + 1 for size in sizes]


def minimax(below: Sequence[int]) -> list[int]:
    """Return lengths of least ``max(length + below)``.

    Parameters
    ----------
    below : sequence of int
        Depth of what hangs below each leaf.
    """
    height = max(below)
    while not _fits([height - d for d in below]):
        height += 1
    return [height - d for d in below]


def garsia_wachs(weights: Sequence[int]) -> list[int]:
    """Return lengths of least ``sum(weight * length)`` among alphabetic codes (Garsia, Wachs 1977).

    Parameters
    ----------
    weights : sequence of int
        Non-negative.
    """
    infinite = sum(weights) + 1
    heap: list[tuple[int, int]] = [(infinite, -1), *((w, i) for i, w in enumerate(weights))]
    heap.append((infinite, -1))
    children: list[tuple[int, int]] = []
    at, n = 2, len(weights)
    while len(heap) > 3:
        while heap[at - 1][0] > heap[at + 1][0]:
            at += 1
        (x, left), (y, right) = heap[at - 1], heap[at]
        del heap[at - 1 : at + 1]
        place = at - 2
        while heap[place][0] < x + y:
            place -= 1
        heap.insert(place + 1, (x + y, n + len(children)))
        children.append((left, right))
        at = max(2, place)
    length = [0] * (n + len(children))
    for node in reversed(range(n, n + len(children))):
        for child in children[node - n]:
            length[child] = length[node] + 1
    return length[:n]


def fork_of(lengths: Sequence[int]) -> Fork | int:
    """Return the binary tree whose leaves lie at most as deep as these lengths.

    Each leaf takes the first free word of its length; nodes with one child are left out.

    Parameters
    ----------
    lengths : sequence of int
        An alphabetic code with them must exist.
    """
    longest = max(lengths)
    starts, free = [], 0
    for length in lengths:
        size = 1 << (longest - length)
        free = -(-free // size) * size
        starts.append(free)
        free += size
    assert free <= 1 << longest, "there is no alphabetic code of these lengths"
    return _fork(starts, 0, len(starts))


def _fork(starts: list[int], first: int, end: int) -> Fork | int:
    """Split at the highest bit in which the words of the leaves differ."""
    if end - first == 1:
        return first
    bit = (starts[first] ^ starts[end - 1]).bit_length() - 1
    middle, high = first, end - 1  # the first word that has the bit
    while high - middle > 1:
        probe = (middle + high) // 2
        if starts[probe] >> bit & 1:
            high = probe
        else:
            middle = probe
    return Fork(high, _fork(starts, first, high), _fork(starts, high, end))


def _fits(lengths: list[int]) -> bool:
    """Say whether an alphabetic code with at most these lengths exists."""
    if min(lengths) < 0:
        return False
    longest, free = max(lengths), 0
    for length in lengths:
        size = 1 << (longest - length)
        free = -(-free // size) * size + size
    return free <= 1 << longest
