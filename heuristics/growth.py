"""Growing a tree step by step: a rule chooses one or two tests for the rows of a node."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from odt.engine.front.cart import Grown
from odt.engine.front.columns import Columns
from odt.engine.front.kernels.balance import LOW, MASS, Balance, divide, scan_cuts
from odt.engine.front.kernels.layout import (
    CLASS_BITS,
    CLASS_MASK,
    CODE_SHIFT,
    ENTROPY,
    GINI,
    ROW_BITS,
    ROW_MASK,
    Data,
)
from odt.model.measure import Amounts

Ints = NDArray[np.int64]
Scratch = tuple[NDArray[np.uint8], Ints]
MASS_BITS = 26
"""Masses add up to at most ``2**26``, so that the kernels' sums of squares are exact."""
_UNLIMITED = 1 << 30
_NEAR = 1e-9


class Step(NamedTuple):
    """What to ask at a node: a test, and perhaps a second one on one of its sides.

    Attributes
    ----------
    column : int
    cut : int
        Codes up to it go left.
    second : int or None
        Cut of a second test on the same column, asked by the side that holds it.
    gain : float
        Decrease of the Gini impurity times the mass.
    """

    column: int
    cut: int
    second: int | None
    gain: float


@dataclass(frozen=True, eq=False)
class Part:
    """The rows of an open node.

    Attributes
    ----------
    start, stop : int
        Its segment in every sorted column.
    path : frozenset of int
        Features asked above it.
    levels, leaves : int
        How many more tests its paths, and how many more leaves the tree may have.
    counts : ndarray of int64, shape (K,)
        Mass of each class.
    """

    start: int
    stop: int
    path: frozenset[int]
    levels: int
    leaves: int
    counts: Ints


class Rule(Protocol):
    """How to choose the tests of a node."""

    def __call__(self, rows: Rows, part: Part) -> Step | None:
        """Return the next step, or None for a leaf; ``part`` holds at least two classes."""


class Rows:
    """The rows of a problem, sorted by every column, in an order that growing changes.

    Parameters
    ----------
    columns : Columns
    criterion : str
        ``"gini"`` or ``"entropy"``.
    by_count : bool, default False
        Whether the mass of a row is the number of its examples and its importance their weight,
        but at least ``1 / n**3`` of the total; otherwise both are the weight.
    """

    def __init__(self, columns: Columns, criterion: str = "gini", by_count: bool = False) -> None:
        self.columns, self.by_count = columns, by_count
        self.criterion = ENTROPY if criterion == "entropy" else GINI
        self.data: Data = columns.data(Amounts(), frozenset({criterion}))
        self.keys = self.data.keys.copy()
        if by_count:
            least = -(-columns.weight.sum() // int(columns.count.sum()) ** 3)
            self.mass, self.importance = columns.count, np.maximum(columns.weight, least)
        else:
            self.mass = self.importance = _within(columns.weight)
        self.features = np.array([c.feature for c in columns.columns], dtype=np.int64)

    @cached_property
    def standing(self) -> list[int]:
        """Rank of each column by its class masses along its values, which settles ties.

        It stays the same when columns change places, or a column is negated or mapped by an
        increasing function; columns that agree in it keep their order.
        """
        profiles = [self._profile(column) for column in range(len(self.data.keys))]
        order = sorted(range(len(profiles)), key=lambda column: profiles[column])
        ranks: list[int] = np.argsort(np.array(order, dtype=np.intp)).tolist()
        return ranks

    @cached_property
    def upright(self) -> NDArray[np.bool_]:
        """Whether later classes have the higher values of a column, which settles ties.

        Negating a column turns it around, so that a tree on the negated column is the mirrored one.
        """
        last = np.array([len(c.values) - 1 for c in self.columns.columns], dtype=np.int64)

        def slope(mass: Ints) -> Ints:  # wraps around, and is odd
            return np.asarray(2 * (self.columns.codes @ mass) - last * mass.sum())

        by_class = slope(self.mass * self.columns.label)
        return np.asarray(np.where(by_class == 0, slope(self.mass), by_class) >= 0)

    def _profile(self, column: int) -> bytes:
        """The class masses at each value, in whichever direction is lexicographically less."""
        keys = self.data.keys[column]
        mass = self.mass[keys & ROW_MASK]
        last = len(self.columns.columns[column].values) - 1
        cells, inverse = np.unique(keys >> ROW_BITS, return_inverse=True)
        code, label = cells >> CLASS_BITS, cells & CLASS_MASK
        amount = np.bincount(inverse, mass).astype(np.int64)
        mirrored = np.lexsort((label, last - code))
        ways = (
            np.column_stack([code, label, amount]),
            np.column_stack([last - code, label, amount])[mirrored],
        )
        return min(np.ascontiguousarray(way, dtype=">i8").tobytes() for way in ways)

    def rows_of(self, part: Part, column: int = 0) -> Ints:
        """Return the rows of a part in the order of a column."""
        return self.keys[column, part.start : part.stop] & ROW_MASK

    def codes_of(self, part: Part, column: int) -> Ints:
        """Return the codes of a part in a column, ascending."""
        return self.keys[column, part.start : part.stop] >> CODE_SHIFT

    def classes(self, rows: Ints) -> Ints:
        """Return the mass of each class among some rows."""
        mass = np.bincount(self.columns.label[rows], self.mass[rows], self.data.classes)
        return mass.astype(np.int64)

    def may_be_leaf(self, rows: Ints) -> bool:
        """Say whether some rows are enough for a leaf."""
        enough = int(self.columns.count[rows].sum()) >= self.data.min_count
        return enough and int(self.columns.weight[rows].sum()) >= self.data.min_weight

    def balance(self, part: Part, gamma: Fraction = Fraction(1)) -> Balance:
        """Return the totals of a part; a side may keep the share ``gamma`` of its pairs."""
        rows = self.rows_of(part)
        total = int(part.counts.sum())
        return Balance(
            mass=self.mass,
            importance=self.importance,
            same=not self.by_count,
            upright=self.upright,
            counts=part.counts,
            total=total,
            whole=int(self.importance[rows].sum()) if self.by_count else total,
            rows=int(self.columns.count[rows].sum()),
            weight=int(self.columns.weight[rows].sum()),
            share=gamma.numerator,
            out_of=gamma.denominator,
        )

    def scan(
        self, part: Part, balance: Balance, criterion: int
    ) -> tuple[Ints, NDArray[np.float64]]:
        """Return the best admissible cut of every column; see `scan_cuts`."""
        return scan_cuts(self.data, balance, self.keys, part.start, part.stop, criterion)

    def step(self, column: int, low: int, high: int, gain: float) -> Step:
        """Return the step of one test between two codes."""
        return Step(column, self.columns.centred(column, low, high), None, gain)


@dataclass(eq=False)
class _Nodes:
    """A growing tree in lists."""

    column: list[int]
    cut: list[int]
    left: list[int]

    def split(self, node: int, column: int, cut: int) -> int:
        """Make a node a branch and return its left child; the right one comes next."""
        child = len(self.left)
        self.column[node], self.cut[node], self.left[node] = column, cut, child
        self.column += [-1, -1]
        self.cut += [0, 0]
        self.left += [-1, -1]
        return child


def grow(rows: Rows, rule: Rule, max_leaves: int | None, should_stop: Callable[[], bool]) -> Grown:
    """Grow a tree by a rule, within the depth of the problem of ``rows``.

    Parameters
    ----------
    rows : Rows
    rule : Rule
    max_leaves : int, optional
        With a limit, the step of largest gain is taken first.
    should_stop : callable
        When it says so, open nodes stay leaves.
    """
    problem, nodes = rows.columns.problem, _Nodes([-1], [0], [-1])
    everything = np.arange(rows.columns.n_rows)
    root = Part(0, len(everything), frozenset(), problem.limits.useful_depth, _UNLIMITED,
                rows.classes(everything))  # fmt: skip
    left = _UNLIMITED if max_leaves is None else max_leaves - 1
    pending: list[tuple[float, int, Part, Step]] = []
    opened = [(0, root)]
    scratch = np.zeros(len(everything), dtype=np.uint8), np.empty(len(everything), dtype=np.int64)
    while True:
        for node, part in opened:
            step = None if should_stop() else _choose(rows, rule, part, left)
            if step is not None:
                order = 0.0 if max_leaves is None else -step.gain
                heapq.heappush(pending, (order, node, part, step))
        if not pending or left < 1:
            break
        _, node, part, step = heapq.heappop(pending)
        if step.second is not None and left < 2:
            opened = [(node, part)]  # choose again, one test
            continue
        left -= 1 if step.second is None else 2
        opened = _apply(rows, nodes, node, part, step, scratch)
    arrays = (np.array(x, dtype=np.int64) for x in (nodes.column, nodes.cut, nodes.left))
    return Grown.of(rows.columns, *arrays)


def _choose(rows: Rows, rule: Rule, part: Part, leaves: int) -> Step | None:
    if part.levels < 1 or leaves < 1 or not len(rows.keys) or (part.counts > 0).sum() < 2:
        return None
    return rule(rows, replace(part, leaves=leaves))


def _apply(
    rows: Rows, nodes: _Nodes, node: int, part: Part, step: Step, scratch: Scratch
) -> list[tuple[int, Part]]:
    """Make the tests of a step and return the new open nodes."""
    child = nodes.split(node, step.column, step.cut)
    sides = _sides(rows, part, step.column, step.cut, scratch)
    if step.second is None:
        return [(child, sides[0]), (child + 1, sides[1])]
    inner = int(step.second > step.cut)
    below = nodes.split(child + inner, step.column, step.second)
    parts = _sides(rows, sides[inner], step.column, step.second, scratch)
    return [(child + 1 - inner, sides[1 - inner]), (below, parts[0]), (below + 1, parts[1])]


def _sides(rows: Rows, part: Part, column: int, cut: int, scratch: Scratch) -> tuple[Part, Part]:
    n_left = divide(rows.keys, part.start, part.stop, column, cut, *scratch)
    path = part.path | {int(rows.features[column])}
    middle = part.start + n_left
    left = rows.classes(rows.keys[0, part.start : middle] & ROW_MASK)
    levels, leaves = part.levels - 1, part.leaves
    return (
        Part(part.start, middle, path, levels, leaves, left),
        Part(middle, part.stop, path, levels, leaves, part.counts - left),
    )


def _within(weight: Ints) -> Ints:
    """Scale weights to at most `MASS_BITS` in total, each at least one; small ones stay."""
    total, most = int(weight.sum()), 1 << MASS_BITS
    if total <= most:
        return weight
    return np.asarray(np.maximum(1, np.rint(weight * (most / 2 / total))), dtype=np.int64)


def decrease(rows: Rows, part: Part, split: list[Ints]) -> Fraction:
    """Return by how much splitting a part lowers its Gini impurity times mass, exactly."""
    inside = sum((_concentration(rows.classes(side)) for side in split), Fraction(0))
    return inside - _concentration(part.counts)


def decrease_of(sums: NDArray[np.float64], mass: int, counts: Ints) -> float:
    """Return the same of one cut, from its sums of squares and the mass on its left."""
    total = int(counts.sum())
    inside = float(sums[0]) / mass + float(sums[1]) / (total - mass)
    return inside - float(_concentration(counts))


def _concentration(counts: Ints) -> Fraction:
    """Sum of squared class masses over their total."""
    masses = counts.tolist()
    return Fraction(sum(c * c for c in masses), max(1, sum(masses)))


def lowers_gini(cuts: Ints, sums: NDArray[np.float64], counts: Ints) -> NDArray[np.bool_]:
    """Say of each column's cut whether the class shares differ on its sides, exactly.

    Only then any strictly concave impurity falls.
    """
    total, squares = int(counts.sum()), sum(c * c for c in counts.tolist())
    mass = np.where(cuts[:, LOW] >= 0, cuts[:, MASS], 1)
    score = sums[:, 0] / mass + sums[:, 1] / np.maximum(1, total - mass)
    base = squares / total
    lower = (cuts[:, LOW] >= 0) & (score > base * (1 + _NEAR))
    for f in np.flatnonzero((cuts[:, LOW] >= 0) & (abs(score - base) <= base * _NEAR)):
        m, left, right = int(mass[f]), int(sums[f, 0]), int(sums[f, 1])
        lower[f] = (left * (total - m) + right * m) * total > squares * m * (total - m)
    return np.asarray(lower)
