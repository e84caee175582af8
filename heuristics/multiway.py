"""Multiway trees, one child for each value of an attribute: their depth is explanation size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odt.errors import Stopped

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Multiway:
    """A node; its children are in the order of the codes, a leaf has none.

    Attributes
    ----------
    column : int
        -1 at a leaf.
    codes : tuple of int
        The code that leads to each child.
    children : tuple of Multiway
    label : int
        Class of a leaf.
    weight, size : int
        Of the rows that reach it: weight and number.
    """

    column: int
    codes: tuple[int, ...]
    children: tuple[Multiway, ...]
    label: int
    weight: int
    size: int

    @property
    def depth(self) -> int:
        """Most attributes on a path."""
        return max((1 + child.depth for child in self.children), default=0)

    @property
    def total(self) -> int:
        """Sum over rows of weight times attributes on the path."""
        return sum(child.weight + child.total for child in self.children)


class MultiwaySearch:
    """Searches multiway trees that give every row one of its allowed classes.

    Parameters
    ----------
    codes : ndarray of int64, shape (columns, rows)
        Distinct rows.
    allowed : ndarray of bool, shape (rows, K)
        Classes that a row may get.
    weight : ndarray of int64, shape (rows, K)
        Weight of each class on a row.
    should_stop : callable
    max_states : int
        Sets of rows after which an exact search gives up.
    """

    def __init__(
        self,
        codes: Ints,
        allowed: NDArray[np.bool_],
        weight: Ints,
        should_stop: Callable[[], bool],
        max_states: int,
    ) -> None:
        self.codes, self.allowed = codes, allowed
        self.by_class, self.weight = weight, weight.sum(axis=1)
        self._should_stop, self._max_states = should_stop, max_states
        self._fits: dict[tuple[bytes, int], int | None] = {}
        self._best: dict[bytes, tuple[int, int]] = {}

    @property
    def all_rows(self) -> Ints:
        """Every row."""
        return np.arange(len(self.weight))

    def is_pure(self, rows: Ints) -> bool:
        """Say whether one class is allowed on all of some rows."""
        return bool(self.allowed[rows].all(axis=0).any())

    # ---- greedy -------------------------------------------------------------------------------

    def greedy(self) -> Multiway:
        """Return the tree that asks the attribute whose heaviest value is lightest.

        A set is as heavy as its pairs of different class times its weight.
        """
        return self._tree(self.all_rows, 0, lambda rows, _: self._lightest(rows))

    def _lightest(self, rows: Ints) -> int:
        heaviest: dict[int, int] = {
            column: max(map(self._heaviness, self._parts(rows, column)[1]))
            for column in self._varying(rows)
        }
        return min((heaviness, column) for column, heaviness in heaviest.items())[1]

    def _heaviness(self, rows: Ints) -> int:
        if self.is_pure(rows):
            return 0
        masses = self.by_class[rows].sum(axis=0).tolist()
        total = sum(masses)
        return int((total * total - sum(m * m for m in masses)) * total)

    # ---- exact --------------------------------------------------------------------------------

    def least_depth(self, upper: Multiway) -> tuple[Multiway, int]:
        """Return a tree of least depth and a lower bound, equal to its depth if it is proved.

        Parameters
        ----------
        upper : Multiway
            Returned if nothing better is found.
        """
        bound, depth = 0, upper.depth
        try:
            while bound < depth and self._fitting(self.all_rows, bound) is None:
                bound += 1
        except Stopped:
            return upper, bound
        if bound == depth:
            return upper, bound
        return self._tree(self.all_rows, 0, lambda r, d: self._fits[r.tobytes(), bound - d]), bound

    def _fitting(self, rows: Ints, levels: int) -> int | None:
        """Return an attribute to ask where ``levels`` are enough (-1: none to ask), else None."""
        if self.is_pure(rows):
            return -1
        if levels == 0:
            return None
        key = rows.tobytes(), levels
        if key not in self._fits:
            self._count_state()
            fitting = (
                column
                for column in self._varying(rows)
                if all(
                    self._fitting(part, levels - 1) is not None
                    for part in self._parts(rows, column)[1]
                )
            )
            self._fits[key] = next(fitting, None)
        return self._fits[key]

    def least_total(self, upper: Multiway) -> tuple[Multiway, int]:
        """Return a tree of least weighted depth, and a lower bound on that sum.

        Parameters
        ----------
        upper : Multiway
            Returned if the search is given up.
        """
        least = self._least(self.all_rows)
        try:
            bound = self._best_total(self.all_rows)
        except Stopped:
            return upper, least
        if bound == upper.total:
            return upper, bound
        return self._tree(self.all_rows, 0, lambda rows, _: self._best[rows.tobytes()][1]), bound

    def _best_total(self, rows: Ints) -> int:
        if self.is_pure(rows):
            return 0
        key = rows.tobytes()
        if key not in self._best:
            self._count_state()
            splits = [(column, self._parts(rows, column)[1]) for column in self._varying(rows)]
            splits.sort(key=lambda split: sum(map(self._least, split[1])))
            best, asked = -1, -1
            for column, parts in splits:
                total = self._total_below(parts, best)
                if best < 0 or total < best:
                    best, asked = total, column
            self._best[key] = best + int(self.weight[rows].sum()), asked
        return self._best[key][0]

    def _total_below(self, parts: list[Ints], best: int) -> int:
        """Return the least total of all parts, or a lower bound that is not below ``best``."""
        total = sum(map(self._least, parts))
        for part in parts:
            if 0 <= best <= total:
                break
            total += self._best_total(part) - self._least(part)
        return total

    def _least(self, rows: Ints) -> int:
        """Lower bound: rows of several classes are asked once at least."""
        return 0 if self.is_pure(rows) else int(self.weight[rows].sum())

    def _count_state(self) -> None:
        if len(self._fits) + len(self._best) >= self._max_states or self._should_stop():
            raise Stopped

    # ---- both ---------------------------------------------------------------------------------

    def _varying(self, rows: Ints) -> list[int]:
        """Columns with more than one code on some rows."""
        codes = self.codes[:, rows]
        return [int(c) for c in np.flatnonzero((codes != codes[:, :1]).any(axis=1))]

    def _parts(self, rows: Ints, column: int) -> tuple[Ints, list[Ints]]:
        """Split rows by their code; each part keeps the order of the rows."""
        codes = self.codes[column, rows]
        order = np.argsort(codes, kind="stable")
        found, first = np.unique(codes[order], return_index=True)
        return found, np.split(rows[order], first[1:])

    def _tree(self, rows: Ints, depth: int, choose: Callable[[Ints, int], int | None]) -> Multiway:
        weight, size = int(self.weight[rows].sum()), len(rows)
        if self.is_pure(rows):
            common = np.flatnonzero(self.allowed[rows].all(axis=0))
            return Multiway(-1, (), (), int(common[0]), weight, size)
        column = choose(rows, depth)
        assert column is not None
        codes, parts = self._parts(rows, column)
        children = tuple(self._tree(part, depth + 1, choose) for part in parts)
        return Multiway(column, tuple(codes.tolist()), children, -1, weight, size)
