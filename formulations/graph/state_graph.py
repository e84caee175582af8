"""The AND/OR graph of a problem: reachable sets of rows, and what can be done with each.

An OR node is a state: a set of rows with the tests left on its path (and the features asked above,
where the objective wants to know). Its columns are a leaf, and tests; a test is an AND of the two
states below. States that need no decision, because a leaf is as good as anything, are not nodes:
their totals are part of the columns that lead to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from formulations.graph.successors import Figures, Splits, Successors
from formulations.model import Goal
from formulations.program.base import Ints
from formulations.program.bitsets import Words, count, distinct, hashes
from odt.errors import Stopped
from odt.model.measure import Amounts

Bools = NDArray[np.bool_]


class Rules(NamedTuple):
    """What may be left out of a graph without losing every optimal tree.

    Attributes
    ----------
    goal : Goal
        Without prices for depth and worst explanation.
    coupled : bool
        Limits on the whole tree or on features tie the two sides of a test to each other.
    leaf_wins : bool
        A leaf may replace any tree that does not cost less: no limit counts errors.
    pure : bool
        Leaves must have no errors.
    per_feature : bool
        It matters which of the tests that split a set alike is asked.
    tracks : bool
        Features asked above are part of a state.
    worst : int or None
        Most distinct features on a path.
    """

    goal: Goal
    coupled: bool
    leaf_wins: bool
    pure: bool
    per_feature: bool
    tracks: bool
    worst: int | None


@dataclass(eq=False)
class Hyperarcs:
    """What can be done with states.

    Attributes
    ----------
    state : ndarray of int64, shape (C,)
    test : ndarray of int64, shape (C,)
        Number of a test; -1 for a leaf.
    child : ndarray of int64, shape (C, 2)
        States on both sides; -1 for a side that is a leaf at once.
    label : ndarray of int64, shape (C, 2)
        Labels of such sides (or of the leaf).
    totals : ndarray of int64, shape (C, 4)
        Errors, nodes, tests and explanation of the column and of its leaves.
    """

    state: Ints
    test: Ints
    child: Ints
    label: Ints
    totals: Ints

    def take(self, where: Ints | Bools) -> Hyperarcs:
        """Return some of the columns."""
        return Hyperarcs(*(a[where] for a in self.arrays()))

    def arrays(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Return the five arrays."""
        return self.state, self.test, self.child, self.label, self.totals

    @classmethod
    def joined(cls, parts: list[Hyperarcs]) -> Hyperarcs:
        """Return the columns of all parts."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*(p.arrays() for p in parts))))  # noqa: B905


@dataclass(eq=False)
class Layer:
    """States with equally many tests left.

    Attributes
    ----------
    first : int
        Number of its first state.
    words, used : ndarray of uint64
        Rows and used features of each state.
    figures : Figures
    """

    first: int
    words: Words
    used: Words
    figures: Figures


@dataclass(eq=False)
class _Arrivals:
    """States sent to a layer, with repetitions, before it is numbered."""

    words: list[Words] = field(default_factory=list)
    used: list[Words] = field(default_factory=list)
    figures: list[Figures] = field(default_factory=list)
    size: int = 0

    def add(self, words: Words, used: Words, figures: Figures) -> Ints:
        """Add states and return their positions."""
        self.words.append(words)
        self.used.append(used)
        self.figures.append(figures)
        self.size += len(words)
        return np.arange(self.size - len(words), self.size)


class TooLarge(Exception):  # noqa: N818 - a signal, not an error
    """The graph has more columns than allowed."""


class Grower:
    """Enumerates the states and columns that are reachable within a depth.

    Parameters
    ----------
    successors : Successors
    rules : Rules
    stop : callable
        Polled; `Stopped` is raised when it says True.
    max_columns : int
        `TooLarge` is raised beyond it.
    learn : callable, optional
        Called after each layer with a bound that no tree is below.

    Attributes
    ----------
    layers : dict of int to Layer
        By the number of tests left.
    n_states : int
    """

    def __init__(
        self,
        successors: Successors,
        rules: Rules,
        stop: Callable[[], bool],
        max_columns: int,
        learn: Callable[[int], object] = int,
    ) -> None:
        self.successors, self.rules, self._stop = successors, rules, stop
        self._columns_left, self._learn = max_columns, learn
        self.layers: dict[int, Layer] = {}
        self.n_states = 0
        self._arrivals: dict[int, _Arrivals] = {}
        self._number: dict[int, Ints] = {}
        self._parts: list[tuple[Hyperarcs, Ints]] = []
        problem = successors.problem
        self._cost_units = problem.dataset.cost_units
        self._used_words = -(-problem.dataset.n_features // 64) or 1

    def grow(self, depth: int) -> Hyperarcs:
        """Enumerate everything below the set of all rows."""
        whole = self.successors.everything
        used = np.zeros((1, self._used_words), dtype=np.uint64)
        figures = self.successors.figures(whole)
        top = min(depth, int(figures.groups[0]) - 1)
        self._arrivals[top] = _Arrivals()
        self._arrivals[top].add(whole, used, figures)
        for d in range(top, -1, -1):
            if d in self._arrivals:
                self._expand(d)
                self._learn(self.least_cost())
        columns = Hyperarcs.joined([part for part, _ in self._parts])
        layer_of = np.concatenate([layers for _, layers in self._parts])
        for d, number in self._number.items():
            sent = (layer_of == d) & (columns.child >= 0)
            columns.child[sent] = number[columns.child[sent]]
        order = np.argsort(columns.state, kind="stable")
        return columns.take(order)

    def least_cost(self) -> int:
        """Return a lower bound on every tree: Bellman's equation over what is enumerated so far.

        States not yet expanded count one node and the errors that no tree avoids. Limits on the
        whole tree are left out.
        """
        prices = self.rules.goal.prices
        floor = {
            d: np.concatenate([figures.base for figures in arrived.figures]) * prices.errors
            + prices.nodes
            for d, arrived in self._arrivals.items()
        }
        impossible = np.iinfo(np.int64).max >> 2
        value = np.full(self.n_states, impossible)
        for columns, layer_of in reversed(self._parts):  # those of lower layers first
            cost = self.price(columns.totals)
            for side in (0, 1):
                for d in np.unique(layer_of[columns.child[:, side] >= 0, side]).tolist():
                    sent = np.flatnonzero(layer_of[:, side] == d)
                    child = columns.child[sent, side]
                    cost[sent] += floor[d][child] if d in floor else value[self._number[d][child]]
            np.minimum.at(value, columns.state, np.minimum(cost, impossible))
        return int(value[0])

    def _expand(self, d: int) -> None:
        arrived = self._arrivals.pop(d)
        words, used = np.concatenate(arrived.words), np.concatenate(arrived.used)
        first, inverse = distinct(np.hstack([words, used]))
        figures = Figures(*(np.concatenate(a) for a in zip(*arrived.figures)))  # noqa: B905
        layer = Layer(self.n_states, words[first], used[first], figures.take(first))
        self.layers[d] = layer
        self._number[d] = layer.first + inverse
        self.n_states += len(first)
        self._add(self._leaves(layer), None)
        if d == 0:
            return
        for splits in self.successors.splits(layer.words, layer.used, d):
            Stopped.poll(self._stop)
            splits = self._worthwhile(layer, splits)
            if d == 1:
                self._add(self._stumps(layer, splits), None)
            else:
                self._branches(layer, self._unlike(layer, splits), d)

    def _add(self, columns: Hyperarcs, layer_of_child: Ints | None) -> None:
        none = np.full(columns.child.shape, -1) if layer_of_child is None else layer_of_child
        self._parts.append((columns, none))
        self._columns_left -= len(columns.state)
        if self._columns_left < 0:
            raise TooLarge

    def _leaves(self, layer: Layer) -> Hyperarcs:
        """One leaf for each state that may be a leaf."""
        figures = layer.figures
        allowed = figures.errors == 0 if self.rules.pure else np.ones(len(figures.errors), bool)
        if layer.first == 0:
            allowed = allowed & self.successors.is_large_enough(layer.words)
        where = np.flatnonzero(allowed)
        zero = np.zeros_like(where)
        totals = np.column_stack([figures.errors[where], zero + 1, zero, zero])
        label = np.column_stack([figures.label[where], zero - 1])
        child = np.full((len(where), 2), -1)
        return Hyperarcs(layer.first + where, zero - 1, child, label, totals)

    def _own_totals(self, layer: Layer, splits: Splits) -> Ints:
        """Amounts of tests themselves, shape (A, 4)."""
        weight = layer.figures.weight[splits.owner]
        feature = self._feature(splits)
        totals = np.zeros((len(weight), 4), dtype=np.int64)
        totals[:, 1] = 1
        totals[:, 2] = weight * self._cost_units[feature]
        if self.rules.tracks:
            totals[:, 3] = weight * self._is_new(layer, splits)
        return totals

    def _feature(self, splits: Splits) -> Ints:
        features = np.array([test.feature for test in self.successors.tests], dtype=np.int64)
        return features[splits.test]

    def _is_new(self, layer: Layer, splits: Splits) -> Bools:
        word, bit = np.divmod(self._feature(splits), 64)
        chosen = layer.used[splits.owner, word]
        return np.asarray((chosen >> bit.astype(np.uint64)) & np.uint64(1) == 0)

    def _worthwhile(self, layer: Layer, splits: Splits) -> Splits:
        """Leave out splits that break a limit, or that a leaf certainly equals."""
        rules, owner = self.rules, splits.owner
        keep = layer.figures.errors[owner] > layer.figures.base[owner]
        if rules.worst is not None:
            asked = count(layer.used)[owner] + self._is_new(layer, splits)
            keep &= asked <= rules.worst
        if rules.pure:
            keep &= (splits.left.base == 0) & (splits.right.base == 0)
        elif rules.leaf_wins:
            at_least = self._own_totals(layer, splits)
            at_least[:, 0] += splits.left.base + splits.right.base
            at_least[:, 1] += 2
            as_leaf = layer.figures.errors[owner] * rules.goal.prices.errors
            keep &= self.price(at_least) < as_leaf + rules.goal.prices.nodes
        return _some(splits, np.flatnonzero(keep))

    def price(self, totals: Ints) -> Ints:
        """Return what totals of shape (A, 4) cost."""
        return totals @ vector(self.rules.goal.prices)

    def _stumps(self, layer: Layer, splits: Splits) -> Hyperarcs:
        """Tests with two leaves: of those that differ in their errors only, the best."""
        totals = self._own_totals(layer, splits)
        totals[:, 0] = splits.left.errors + splits.right.errors
        totals[:, 1] += 2
        keep = totals[:, 0] < layer.figures.errors[splits.owner]
        if self.rules.pure:
            keep &= totals[:, 0] == 0
        where = np.flatnonzero(keep)
        kind: list[Ints] = []
        if self.rules.coupled:
            kind = [totals[where, 2], totals[where, 3]]
            kind += [self._feature(splits)[where]] if self.rules.per_feature else []
        merit = (totals[where, 0], self.price(totals[where]))
        order = np.lexsort((*merit, *kind, splits.owner[where]))
        where = where[order]
        keys = np.column_stack([splits.owner[where], *(k[order] for k in kind)])
        best = np.ones(len(where), dtype=bool)
        best[1:] = (keys[1:] != keys[:-1]).any(axis=1)
        where = where[best]
        label = np.column_stack([splits.left.label[where], splits.right.label[where]])
        child = np.full((len(where), 2), -1)
        owner = layer.first + splits.owner[where]
        return Hyperarcs(owner, splits.test[where], child, label, totals[where])

    def _unlike(self, layer: Layer, splits: Splits) -> Splits:
        """Of the splits of a set that are equal up to swapping the sides, keep the cheapest."""
        left, right = self.successors.sides(layer.words, splits)
        swapped = hashes(left) > hashes(right)
        canonical = np.where(swapped[:, None], right, left)
        key = [canonical, splits.owner[:, None].astype(np.uint64)]
        if self.rules.per_feature:
            key.append(self._feature(splits)[:, None].astype(np.uint64))
        order = np.argsort(self.price(self._own_totals(layer, splits)), kind="stable")
        first, _ = distinct(np.hstack(key)[order])
        return _some(splits, np.sort(order[first]))

    def _branches(self, layer: Layer, splits: Splits, d: int) -> None:
        """Add tests with states below them, and send those states to their layers."""
        totals = self._own_totals(layer, splits)
        used = layer.used[splits.owner]
        if self.rules.tracks:
            used = used.copy()
            word, bit = np.divmod(self._feature(splits), 64)
            used[np.arange(len(used)), word] |= np.uint64(1) << bit.astype(np.uint64)
        n = len(splits.owner)
        child, layer_of = np.full((n, 2), -1), np.full((n, 2), -1)
        label = np.column_stack([splits.left.label, splits.right.label])
        sets = self.successors.sides(layer.words, splits)
        for side, figures in enumerate((splits.left, splits.right)):
            below = np.minimum(d - 1, figures.groups - 1)
            is_leaf = (below == 0) | (figures.errors == figures.base)
            totals[is_leaf, 0] += figures.errors[is_leaf]
            totals[is_leaf, 1] += 1
            for lower in np.unique(below[~is_leaf]).tolist():
                where = np.flatnonzero(~is_leaf & (below == lower))
                arrivals = self._arrivals.setdefault(lower, _Arrivals())
                child[where, side] = arrivals.add(
                    sets[side][where], used[where], figures.take(where)
                )
                layer_of[where, side] = lower
        owner = layer.first + splits.owner
        self._add(Hyperarcs(owner, splits.test, child, label, totals), layer_of)


def _some(splits: Splits, where: Ints) -> Splits:
    sides = splits.left.take(where), splits.right.take(where)
    return Splits(splits.owner[where], splits.test[where], *sides)


def vector(prices: Amounts) -> Ints:
    """Return the prices of the four totals of a column."""
    return np.array([prices.errors, prices.nodes, prices.tests, prices.explanation])
