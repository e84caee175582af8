"""Points of a front, its lower convex hull, and the prices at which each vertex is best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise


@dataclass(frozen=True, eq=False)
class Vertex:
    """One reachable point of the root: errors and complexity in integers, branches, depth.

    The tree itself is built by `odt.engine.front.search.Front.tree`.
    """

    errors: int
    complexity: int
    branches: int
    depth: int


def hull_intervals(vertices: Sequence[Vertex]) -> list[tuple[Fraction, Fraction | None]]:
    """Return for each vertex of a hull the prices of complexity, in errors, where it is best.

    Parameters
    ----------
    vertices : sequence of Vertex
        Vertices of a lower convex hull, by rising error.

    Returns
    -------
    list of (Fraction, Fraction or None)
        Lower and upper end; None means without end. Neighbours share their breakpoint.
    """
    if not vertices:
        return []
    breaks = [
        Fraction(b.errors - a.errors, a.complexity - b.complexity) for a, b in pairwise(vertices)
    ]
    return list(zip([Fraction(0), *breaks], [*breaks, None], strict=True))


def hull_of(vertices: Sequence[Vertex]) -> list[int]:
    """Return which points of a front, by rising error, are vertices of its lower convex hull."""
    kept: list[int] = []
    for i, new in enumerate(vertices):
        while len(kept) >= 2:
            a, b = vertices[kept[-2]], vertices[kept[-1]]
            above = (b.errors - a.errors) * (b.complexity - new.complexity)
            if above < (new.errors - b.errors) * (a.complexity - b.complexity):
                break
            kept.pop()
        kept.append(i)
    return kept
