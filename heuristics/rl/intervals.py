"""The intervals that questions about one coordinate can lead to."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Self

import numpy as np
from numpy.typing import NDArray

from odt.errors import ProblemError

MOST = 2**15 - 1
"""Most intervals, so that their numbers fit in 16 bits: depth 13 for one threshold a question."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Distinct intervals of (0, 1] reached by at most M questions; number 0 is (0, 1].

    Question u = 1..p about ``(L, U]`` has the threshold ``L + u/(p+1) * (U - L)``. All ends are
    kept as numerators over ``parts``.

    Attributes
    ----------
    parts : int
        ``(p + 1)**M``.
    lower, upper : ndarray of int64, shape (m,)
    cut : ndarray of int64, shape (m, p)
        Thresholds; 0 for intervals that need all M questions, below which nothing is asked.
    left, right : ndarray of int16, shape (m, p)
        Numbers of the intervals after the answers; -1 likewise.
    """

    parts: int
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    cut: NDArray[np.int64]
    left: NDArray[np.int16]
    right: NDArray[np.int16]

    @classmethod
    def of(cls, p: int, max_depth: int) -> Self:
        """Return the intervals for ``p`` thresholds and at most ``max_depth`` questions.

        Raises
        ------
        ProblemError
            If there are more than ``MOST``.
        """
        parts = (p + 1) ** max_depth
        number, known, level = {(0, parts): 0}, [(0, parts)], [0]
        links: list[list[tuple[int, int, int]]] = []
        for _ in range(max_depth):
            reached: list[int] = []
            for i in level:  # breadth first, so that links[i] belongs to interval i
                low, high = known[i]
                row = []
                for cut in cuts(low, high, p):
                    for side in ((low, cut), (cut, high)):
                        if side not in number:
                            number[side] = len(known)
                            known.append(side)
                            reached.append(number[side])
                    row.append((cut, number[low, cut], number[cut, high]))
                links.append(row)
            level = reached
            if len(known) > MOST:
                raise ProblemError(
                    f"Questions would lead to more than {MOST} intervals of a feature. Use a "
                    f"smaller max_depth or p; got {max_depth} and {p}."
                )
        links += [[(0, -1, -1)] * p for _ in level]
        table = np.array(links, dtype=np.int64).reshape(len(known), p, 3)
        ends = np.array(known, dtype=np.int64)
        left, right = (np.ascontiguousarray(table[:, :, j], dtype=np.int16) for j in (1, 2))
        return cls(parts, ends[:, 0], ends[:, 1], np.ascontiguousarray(table[:, :, 0]), left, right)


def cuts(low: int, high: int, p: int) -> list[int]:
    """Return the thresholds of the p questions about an interval, as numerators.

    Parameters
    ----------
    low, high : int
        Ends, as numerators over a power of ``p + 1`` that leaves a question to ask.
    p : int
    """
    return [low + u * (high - low) // (p + 1) for u in range(1, p + 1)]


def count_boxes(d: int, p: int, max_depth: int) -> int:
    """Return how many boxes at most M questions reach, at most; exact if ``p + 1`` is prime.

    ``sum over m <= M of C(m + d - 1, d - 1) * (2p)**m``: m questions in any order about d
    coordinates. Empty boxes are counted too.
    """
    if d == 0:
        return 1
    return sum(comb(m + d - 1, d - 1) * (2 * p) ** m for m in range(max_depth + 1))
