"""One line of a proof: its set of groups, what is claimed, and whether that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .count import Sorted
from .rows import RefusedError, need

if TYPE_CHECKING:
    from .table import Table

Array = NDArray[Any]


@dataclass
class Line:
    """A set of groups (as bits) with what may still be asked, and the number that is claimed."""

    number: int
    depth: int
    bound: int
    used: int
    new: int
    cited: list[tuple[int, int, str, int | None]]
    groups: bytes = b""


class State:
    """The set of a line, and what its sides cost at least."""

    def __init__(self, table: Table, line: Line, groups: Array) -> None:
        self.table, self.problem, self.line, self.groups = table, table.problem, line, groups
        self.prices = self.problem.prices_by_weight(line.used, line.new)
        problem = self.problem
        self._parts = problem.weights[:, groups], problem.base[groups], problem.counts[groups]
        self._whole = [part.sum(axis=-1, keepdims=True) for part in self._parts]
        self.weight = int(self._whole[0].sum())

    def floor(self, depth: int) -> int:
        """Return what every tree of the set costs, with some tests left."""
        size, cheapest = np.array([len(self.groups)]), _least(self.prices)
        return int(self.problem.floors(self._whole, size, depth, cheapest)[0])

    def check(self) -> None:
        """Refuse the line unless its bound is right."""
        line, depth = self.line, min(self.line.depth, len(self.groups) - 1)
        if line.bound <= self.floor(line.depth):
            return
        leaf = self.floor(0)
        need(line.bound <= leaf, f"line {line.number}: a leaf costs {leaf}, not {line.bound}")
        if depth < 1:
            return
        self.sorted = Sorted(self.problem, self.groups)
        if depth > 1:
            self._check_tests()
        elif len(self.prices):
            least = self.sorted.count(0, np.array([[0, len(self.groups) - 1]]), self.prices)[0]
            message = f"line {line.number}: one test costs {least}, not {line.bound}"
            need(line.bound <= least, message)

    def _check_tests(self) -> None:
        line, groups = self.line, self.sorted
        left, right = self._sides()
        price = self.problem.node + self.prices * self.weight
        least = price[:, None] + left + right
        asked = groups.is_split & (self.prices >= 0)[:, None]
        wrong = np.argwhere(asked & (least < line.bound))
        if len(wrong):
            g, i = wrong[0].tolist()
            raise RefusedError(
                f"line {line.number}: the bound {line.bound} is not proved for test "
                f"{groups.sorted[g, i]} of chain {g}; with its sides it costs {least[g, i]} or more"
            )

    def _sides(self) -> tuple[Array, Array]:
        """Return what the left and the right side of each position cost at least."""
        line, problem, order = self.line, self.problem, self.sorted.order
        below = [problem.below(line.used, line.new, g) for g in range(len(order))]
        prices = [problem.prices_by_weight(*b) for b in below]
        cheapest = np.array([[_least(p)] for p in prices], dtype=problem.type)
        left = [np.cumsum(part[..., order[:, :-1]], axis=-1) for part in self._parts]
        right = [whole[..., None] - x for whole, x in zip(self._whole, left, strict=True)]
        sizes, m = np.arange(1, len(self.groups)), len(self.groups)
        known = (
            problem.floors(left, sizes, line.depth - 1, cheapest) * self.sorted.is_split,
            problem.floors(right, m - sizes, line.depth - 1, cheapest) * self.sorted.is_split,
        )
        counted: dict[int, list[tuple[int, int]]] = {}
        for g, cut, sign, number in line.cited:
            i, to_right = self._position(g, cut, sign), int(sign == ">")
            if number is None:
                few = line.depth == 2 or (m - 1 - i if to_right else i + 1) <= 2
                need(few, f"line {line.number}: a side has more tests left and cites no line")
                counted.setdefault(g, []).append((to_right, i))
            else:
                side = np.sort(self.sorted.side(to_right, g, i))
                bound = self.table.cite(line, number, side, line.depth - 1, *below[g])
                known[to_right][g, i] = max(known[to_right][g, i], bound)
        for g, sides in counted.items():
            costs = self.sorted.count(g, np.array(sides), prices[g])
            for (to_right, i), cost in zip(sides, costs.tolist(), strict=True):
                known[to_right][g, i] = max(known[to_right][g, i], cost)
        return (
            self._spread(known[0], left[0].sum(axis=0)),
            self._spread(known[1][:, ::-1], right[0].sum(axis=0)[:, ::-1])[:, ::-1],
        )

    def _position(self, g: int, cut: int, sign: str) -> int:
        groups, where = self.sorted, f"line {self.line.number}:"
        need(0 <= g < len(groups.order) and sign in "<>", f"{where} no chain {g}")
        i = int(np.searchsorted(groups.sorted[g], cut, side="right")) - 1
        real = 0 <= i < groups.m - 1 and groups.is_split[g, i] and self.prices[g] >= 0
        need(real, f"{where} test {cut} of chain {g} does not split the set")
        return i

    def _spread(self, known: Array, weight: Array) -> Array:
        """Carry bounds from each side to the others of its chain: nested sets, small ones first.

        A set costs at least what its subsets cost: a tree of the set is one of the subset too. And
        without its examples of weight w it costs at most w times the dearest example less: they
        can follow a tree of the others. The first needs leaves that may be small, the second
        also leaves that may err.
        """
        if self.problem.limited:
            return known
        known = np.maximum.accumulate(known, axis=1)
        if self.problem.pure:
            return known
        worth = weight * (self.problem.error + self.problem.dearest * (self.line.depth - 1))
        from_supersets = np.maximum.accumulate((known - worth)[:, ::-1], axis=1)[:, ::-1] + worth
        return np.asarray(np.maximum(known, from_supersets))


def _least(prices: Array) -> int:
    """Return the least price; -1 if no test may be asked."""
    return min((price for price in prices.tolist() if price >= 0), default=-1)
