"""One line of a proof: its set of groups, what is claimed, and whether that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .rows import RefusedError, need

if TYPE_CHECKING:
    from .table import Table

Array = NDArray[Any]
_CHUNK = 1 << 18
"""Numbers that are counted at once: few enough to stay near the processor."""
_PLACES = 1 << 24
"""Members of sides that are held at once."""


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
    """The set of a line, sorted along each chain, and what its sides cost at least.

    Position i of a chain stands for the split of the first i + 1 groups from the others.
    """

    def __init__(self, table: Table, line: Line, groups: Array) -> None:
        self.table, self.problem, self.line = table, table.problem, line
        self.groups = groups
        self.m = len(self.groups)
        self.weights = self.problem.weights[:, self.groups]
        self.weight = int(self.weights.sum())

    def check(self) -> None:
        """Refuse the line unless its bound is right."""
        line = self.line
        if line.bound <= self.floor():
            return
        leaf = self._leaf(self.weights.sum(axis=1).tolist(), self.problem.counts[self.groups].sum())
        need(line.bound <= leaf, f"line {line.number}: a leaf costs {leaf}, not {line.bound}")
        if min(line.depth, self.m - 1) < 1:
            return
        self._sort()
        if min(line.depth, self.m - 1) == 1:
            prices = self._coefficients(line.used)
            prices = np.where(self._may_ask(line.used, line.new), prices, -1)
            least = int(self._count(np.ones((1, self.m), dtype=bool), prices[None])[0])
            message = f"line {line.number}: one test costs {least}, not {line.bound}"
            need(line.bound <= least, message)
            return
        self._check_tests()

    def floor(self) -> int:
        """Return what every tree of the set costs."""
        weights, one = self.weights.sum(axis=1), np.array([1])
        return int(
            self._floors(
                weights[:, None], self.problem.base[self.groups].sum(keepdims=True), self.m * one,
                self.problem.counts[self.groups].sum(keepdims=True), self.line.depth,
                self._cheapest(self.line.used, self.line.new),
            )[0]
        )  # fmt: skip

    # ---- what tests cost ------------------------------------------------------------------

    def _coefficients(self, used: int) -> Array:
        """Return the price of the tests of each chain for one unit of weight, the node aside."""
        problem = self.problem
        new = np.array([not used >> int(f) & 1 for f in problem.features], dtype=problem.type)
        return np.asarray(problem.tests * problem.units + problem.explain * new)

    def _may_ask(self, used: int, new: int) -> Array:
        known = [bool(used >> int(f) & 1) for f in self.problem.features]
        return np.array(known, dtype=bool) | (new > 0)

    def _cheapest(self, used: int, new: int) -> int | None:
        prices = self._coefficients(used)[self._may_ask(used, new)]
        return min(prices.tolist(), default=None)

    def _leaf(self, weights: list[int], count: int) -> int:
        total, errors = sum(weights), sum(weights) - max(weights)
        small = count < self.problem.leaf_rows or total < self.problem.leaf_weight
        if small or (errors and self.problem.pure):
            return self.problem.infinite
        return self.problem.error * errors + self.problem.node

    def _floors(
        self, weights: Array, base: Array, groups: Array, counts: Array, depth: int,
        cheapest: int | None,
    ) -> Array:  # fmt: skip
        """Return what every tree of each set costs, from sums over the sets (axis 0: classes)."""
        problem, total = self.problem, weights.sum(axis=0)
        errors, leaves = total - weights.max(axis=0), 2
        leaf = problem.error * errors + problem.node
        branch = np.full(total.shape, problem.infinite, dtype=problem.type)
        if depth > 0 and cheapest is not None:
            if problem.pure:
                leaves = np.maximum(2, (weights > 0).sum(axis=0)).astype(problem.type)
            may = groups > 1
            least = problem.error * base + problem.node * (2 * leaves - 1) + cheapest * total
            branch = np.where(may, least, branch)
        if problem.pure:
            leaf = np.where(errors > 0, problem.infinite, leaf)
            branch = np.where(base > 0, problem.infinite, branch)
        small = (counts < problem.leaf_rows) | (total < problem.leaf_weight)
        return np.asarray(np.where(small, problem.infinite, np.minimum(leaf, branch)))

    # ---- one test left --------------------------------------------------------------------

    def _sort(self) -> None:
        codes = self.problem.codes[:, self.groups]
        self.order = np.argsort(codes, axis=1, kind="stable")
        self.sorted = np.take_along_axis(codes, self.order, axis=1)
        self.is_split = self.sorted[:, :-1] != self.sorted[:, 1:]

    def _count(self, members: Array, coefficients: Array) -> Array:
        """Return the least cost of subsets of the set with at most one test.

        ``members`` says for each subset which groups belong to it, ``coefficients`` what the
        tests of each chain cost there by weight, negative if they may not be asked.
        """
        step = max(1, _CHUNK // max(self.order.size, 1))
        parts = [
            self._count_some(members[i : i + step], coefficients[i : i + step])
            for i in range(0, len(members), step)
        ]
        return np.concatenate(parts)

    def _count_some(self, members: Array, coefficients: Array) -> Array:
        problem = self.problem
        kind: Any = np.int32 if problem.total < 2**31 else problem.type
        inside = members[:, self.order]
        most = np.zeros((2, *inside[..., :-1].shape), dtype=kind)
        totals: list[Array] = []
        left_weight: Any = 0
        for own in self.weights.astype(kind):
            left = np.cumsum(inside * own[self.order], axis=2, dtype=kind)
            totals.append(left[:, 0, -1] if left.size else members @ own)
            np.maximum(most[0], left[..., :-1], out=most[0])
            np.maximum(most[1], left[..., -1:] - left[..., :-1], out=most[1])
            left_weight = left_weight + left[..., :-1] if problem.leaf_weight > 1 else 0
        weight = np.sum(totals, axis=0).astype(problem.type)
        right = most[0] + most[1]
        allowed = np.broadcast_to(self.is_split, right.shape)
        if problem.leaf_rows > 1:
            rows = np.cumsum(inside * problem.counts[self.groups][self.order], axis=2)
            least = np.minimum(rows[..., :-1], rows[..., -1:] - rows[..., :-1])
            allowed = allowed & (least >= problem.leaf_rows)
        if problem.leaf_weight > 1:
            least = np.minimum(left_weight, weight[:, None, None] - left_weight)
            allowed = allowed & (least >= problem.leaf_weight)
        right = np.where(allowed, right, -1).max(axis=2, initial=-1)
        errors = weight[:, None] - right
        price = problem.error * errors + 3 * problem.node + coefficients * weight[:, None]
        refused = (right < 0) | (coefficients < 0) | (problem.pure & (errors > 0))
        best = np.where(refused, problem.infinite, price).min(axis=1, initial=problem.infinite)
        counts = members @ problem.counts[self.groups]
        weights = np.array(totals, dtype=problem.type).T.tolist()
        leaves = [self._leaf(own, count) for own, count in zip(weights, counts, strict=True)]
        return np.asarray(np.minimum(best, np.array(leaves, dtype=problem.type)))

    # ---- more tests left ------------------------------------------------------------------

    def _check_tests(self) -> None:
        line, problem = self.line, self.problem
        left, right = self._known_of_sides()
        price = problem.node + self._coefficients(line.used) * self.weight
        least = price[:, None] + self._spread(left, False) + self._spread(right, True)
        asked = self.is_split & self._may_ask(line.used, line.new)[:, None]
        wrong = np.argwhere(asked & (least < line.bound))
        if len(wrong):
            g, i = wrong[0].tolist()
            raise RefusedError(
                f"line {line.number}: the bound {line.bound} is not proved for test "
                f"{self.sorted[g, i]} of chain {g}, whose sides cost at least {least[g, i]} with it"
            )

    def _known_of_sides(self) -> tuple[Array, Array]:
        """Return what is known of the left and the right side of each split."""
        line, problem = self.line, self.problem
        self.sums = np.cumsum(self.weights[:, self.order], axis=2)
        base = np.cumsum(problem.base[self.groups][self.order], axis=1)
        counts = np.cumsum(problem.counts[self.groups][self.order], axis=1)
        sides = []
        below = [self._below(g) for g in range(len(problem.features))]
        for to_left in (True, False):
            known = np.zeros(self.is_split.shape, dtype=problem.type)
            for g in range(len(known)):
                parts = (self.sums[:, g], base[g], np.arange(1, self.m + 1), counts[g])
                own = [x[..., :-1] if to_left else x[..., -1:] - x[..., :-1] for x in parts]
                cheapest = self._cheapest(*below[g])
                known[g] = self._floors(own[0], own[1], own[2], own[3], line.depth - 1, cheapest)
            sides.append(np.where(self.is_split, known, 0))
        counted = []
        for g, cut, side, number in line.cited:
            need(0 <= g < len(below) and side in "<>", f"line {line.number}: no chain {g}")
            i = int(np.searchsorted(self.sorted[g], cut, side="right")) - 1
            real = (
                0 <= i < self.m - 1
                and self.is_split[g, i]
                and self._may_ask(line.used, line.new)[g]
            )
            need(real, f"line {line.number}: test {cut} of chain {g} does not split the set")
            place = (int(side == ">"), g, i)
            if number is None:
                counted.append(place)
            else:
                groups = np.sort(self.groups[self._side(*place)])
                bound = self.table.cite(line, number, groups, line.depth - 1, *below[g])
                sides[place[0]][g, i] = max(sides[place[0]][g, i], bound)
        self._count_sides(counted, below, sides)
        return sides[0], sides[1]

    def _below(self, chain: int) -> tuple[int, int]:
        """Return the features used, and how many new ones may be, after a test of a chain.

        Neither is counted where no cost depends on it, so that no test is ruled out there.
        """
        used, new = self.line.used, self.line.new
        if not self.problem.explains:
            return used, new
        feature = 1 << int(self.problem.features[chain])
        return used | feature, new - (not used & feature) if self.problem.worst else new

    def _side(self, to_right: int, chain: int, i: int) -> Array:
        return self.order[chain, i + 1 :] if to_right else self.order[chain, : i + 1]

    def _count_sides(
        self, places: list[tuple[int, int, int]], below: list[tuple[int, int]], sides: list[Array]
    ) -> None:
        """Work out the sides that are said to have at most one test left."""
        step = max(1, _PLACES // self.m)
        for i in range(0, len(places), step):
            self._count_some_sides(places[i : i + step], below, sides)

    def _count_some_sides(
        self, places: list[tuple[int, int, int]], below: list[tuple[int, int]], sides: list[Array]
    ) -> None:
        members = np.zeros((len(places), self.m), dtype=bool)
        for row, place in zip(members, places, strict=True):
            row[self._side(*place)] = True
        few = (self.line.depth == 2) | (members.sum(axis=1) <= 2)
        need(few.all(), f"line {self.line.number}: a side has more tests left and cites no line")
        by_chain = {}
        for g in {g for _, g, _ in places}:
            prices = self._coefficients(below[g][0])
            by_chain[g] = np.where(self._may_ask(*below[g]), prices, -1)
        found = self._count(members, np.array([by_chain[g] for _, g, _ in places]))
        for (to_right, g, i), value in zip(places, found.tolist(), strict=True):
            sides[to_right][g, i] = max(sides[to_right][g, i], value)

    def _spread(self, known: Array, to_right: bool) -> Array:
        """Carry bounds from each side to the others of its chain, which are nested.

        A set costs at least what its subsets cost: a tree of the set is one of the subset too. And
        without its examples of weight w it costs at most w times the dearest example less: they
        can follow a tree of the others. The first needs leaves that may be small, the second
        also leaves that may err.
        """
        if self.problem.limited:
            return known
        weight = self.sums.sum(axis=0)
        weight = (weight[:, -1:] - weight[:, :-1])[:, ::-1] if to_right else weight[:, :-1]
        known = known[:, ::-1] if to_right else known
        known = np.maximum.accumulate(known, axis=1)  # from subsets, which come first
        if not self.problem.pure:
            dearest = self.problem.error + self.problem.dearest * (self.line.depth - 1)
            less = known - dearest * weight
            known = np.maximum(
                known, np.maximum.accumulate(less[:, ::-1], axis=1)[:, ::-1] + dearest * weight
            )
        return known[:, ::-1] if to_right else known
