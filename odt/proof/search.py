"""The search for a proof: the states that show that no tree costs less than a given number.

A memoised branch and bound in the manner of `bnb`. For each test of a state, the two sides must
cost enough. Tests of one feature are nested, so what is known of one side bounds the sides of its
neighbours; a few tests of each chain are searched, and the others follow. What was needed is
written down as lines for the checker, which makes sure of every one by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.errors import Stopped
from odt.proof.instance import Instance
from odt.proof.kernel import one_test

Array = NDArray[Any]


class Key(NamedTuple):
    """A state: its groups, the tests left, the features used, the new features allowed."""

    groups: bytes
    depth: int
    used: int
    new: int


class Cited(NamedTuple):
    """A side of a test that was looked at: where it is, its state (None: one test left at most)."""

    chain: int
    position: int
    to_right: bool
    state: Key | None
    bound: int


@dataclass
class Entry:
    """What is known of a state.

    Attributes
    ----------
    bound : int
        No tree costs less.
    exact : bool
        Whether a tree costs that.
    cited : list of Cited
        What shows it.
    """

    bound: int
    exact: bool
    cited: list[Cited]


class Search:
    """States with what is proved about them.

    Parameters
    ----------
    instance : Instance
    stop : callable
        Polled; `odt.errors.Stopped` is raised when it says True.
    """

    def __init__(self, instance: Instance, stop: Callable[[], bool]) -> None:
        self.instance, self._stop = instance, stop
        self.memo: dict[Key, Entry] = {}

    def prove(self, key: Key, wanted: int) -> Entry:
        """Return an entry whose bound is at least ``wanted``, or exact."""
        known = self.memo.get(key)
        if known is not None and (known.exact or known.bound >= wanted):
            return known
        if self._stop():
            raise Stopped
        view = View(self.instance, key)
        if view.floor >= wanted or min(key.depth, view.m - 1) < 1:
            found = Entry(view.floor, min(key.depth, view.m - 1) < 1, [])
        elif min(key.depth, view.m - 1) == 1:
            found = Entry(view.count_all(), True, [])
        else:
            found = self._ask(view, wanted)
        self.memo[key] = found
        return found

    def _ask(self, view: View, wanted: int) -> Entry:
        best, cited = min(wanted, view.leaf), []
        for g in view.promising_chains():
            chain = Chain(view, g)
            while (run := chain.open_run(best)) is not None:
                room, i = best - chain.price, run[len(run) // 2]
                # enough on the left closes what lies above i, enough on the right what lies below
                others = chain.bound(run[-1], True), chain.bound(run[0], False)
                exact = True
                for to_right in (False, True):
                    side = self._side(chain, i, to_right, room - others[to_right])
                    exact &= side.exact
                    cited.append(Cited(g, i, to_right, side.state, side.bound))
                    chain.learn(i, to_right, side.bound)
                if exact:
                    best = min(best, chain.price + chain.bound(i, False) + chain.bound(i, True))
        return Entry(best, best < wanted or best == view.leaf, cited)

    def _side(self, chain: Chain, i: int, to_right: bool, wanted: int) -> _Side:
        view = chain.view
        size = view.m - 1 - i if to_right else i + 1
        if min(view.key.depth - 1, size - 1) <= 1:
            return _Side(None, view.count(chain.members(i, to_right), chain.coefficients), True)
        groups = np.sort(view.groups[chain.rows(i, to_right)])
        key = Key(groups.tobytes(), min(view.key.depth - 1, size - 1), *chain.below)
        found = self.prove(key, wanted)
        return _Side(key, found.bound, found.exact)


class _Side(NamedTuple):
    state: Key | None
    bound: int
    exact: bool


class View:
    """The groups of a state, sorted along each chain.

    Attributes
    ----------
    floor : int
        What every tree of the state costs.
    leaf : int
        What a leaf costs; infinite where none is allowed.
    """

    def __init__(self, instance: Instance, key: Key) -> None:
        self.instance, self.key = instance, key
        self.groups = np.frombuffer(key.groups, dtype=np.int32)
        self.m = len(self.groups)
        self.weights = instance.weights[self.groups]
        self.counts = instance.counts[self.groups]
        self.base = instance.base[self.groups]
        self.weight = int(self.weights.sum())
        sums = (
            self.weights.sum(axis=0, keepdims=True),
            self.base.sum(keepdims=True),
            self.counts.sum(keepdims=True),
        )
        size = np.array([self.m])
        self.leaf = int(instance.leaves(sums[0], sums[2])[0])
        self.floor = int(
            instance.floors(*sums, size, key.depth, instance.cheapest(key.used, key.new))[0]
        )
        codes = instance.codes[:, self.groups]
        self.order = np.argsort(codes, axis=1, kind="stable")
        self.sorted = np.take_along_axis(codes, self.order, axis=1)
        self.is_split = self.sorted[:, 1:] != self.sorted[:, :-1]
        self._prices = np.array(
            [
                instance.error, instance.node, instance.leaf_count, instance.leaf_weight,
                int(instance.pure), instance.infinite,
            ],
            dtype=instance.type,
        )  # fmt: skip
        self._scratch = np.zeros((2, self.weights.shape[1]), dtype=instance.type)

    def count_all(self) -> int:
        """Return the least cost with at most one test."""
        coefficients = self.instance.coefficients(self.key.used, self.key.new)
        return self.count(np.ones(self.m, dtype=np.bool_), coefficients)

    def count(self, inside: Array, coefficients: Array) -> int:
        """Return the least cost of a subset with at most one test."""
        kernel = one_test if self.instance.type is np.int64 else one_test.py_func  # type: ignore[attr-defined]
        return int(
            kernel(
                self.order, self.is_split, inside, self.weights, self.counts, coefficients,
                self._prices, self._scratch,
            )
        )  # fmt: skip

    def promising_chains(self) -> list[int]:
        """Return the chains that may be asked and split, those of few errors first."""
        instance, key = self.instance, self.key
        coefficients = instance.coefficients(key.used, key.new)
        chains = [
            g for g in range(len(self.order)) if coefficients[g] >= 0 and self.is_split[g].any()
        ]
        errors = {g: self._errors(g) + coefficients[g] * self.weight for g in chains}
        return sorted(chains, key=lambda g: (errors[g], g))

    def _errors(self, g: int) -> int:
        left = np.cumsum(self.weights[self.order[g]], axis=0)
        right = left[-1] - left[:-1]
        correct = left[:-1].max(axis=1) + right.max(axis=1)
        return int(self.instance.error * (self.weight - correct[self.is_split[g]].max()))


class Chain:
    """The tests of one chain that split a state, and what is known of their sides.

    Parameters
    ----------
    view : View
    g : int
        Number of the chain.
    """

    def __init__(self, view: View, g: int) -> None:
        instance, key = view.instance, view.key
        self.view, self.g = view, g
        self.below = instance.below(key.used, key.new, g)
        self.coefficients = instance.coefficients(*self.below)
        self.price = int(instance.node + instance.coefficients(key.used, key.new)[g] * view.weight)
        self.at = np.flatnonzero(view.is_split[g])
        order = view.order[g]
        weights = np.cumsum(view.weights[order], axis=0)
        base, counts = np.cumsum(view.base[order]), np.cumsum(view.counts[order])
        cheapest, at = instance.cheapest(*self.below), self.at
        self._mass = weights.sum(axis=1)[at], view.weight - weights.sum(axis=1)[at]
        self._known = (
            instance.floors(weights[at], base[at], counts[at], at + 1, key.depth - 1, cheapest),
            instance.floors(
                weights[-1] - weights[at], base[-1] - base[at], counts[-1] - counts[at],
                view.m - 1 - at, key.depth - 1, cheapest,
            ),
        )  # fmt: skip
        self._dearest = instance.error + instance.dearest * (key.depth - 1)
        if not instance.limited:
            self._known = (
                np.maximum.accumulate(self._known[0]),
                np.maximum.accumulate(self._known[1][::-1])[::-1].copy(),
            )

    def open_run(self, best: int) -> list[int] | None:
        """Return neighbouring positions whose sides do not cost enough yet; None if there are none.

        Where no bound is carried from one position to the others, only one.
        """
        still_open = np.flatnonzero(self._known[0] + self._known[1] < best - self.price)
        if not len(still_open):
            return None
        runs = np.split(still_open, np.flatnonzero(np.diff(still_open) > 1) + 1)
        longest = max(runs, key=len)
        return [int(i) for i in self.at[longest[:1] if self.view.instance.limited else longest]]

    def bound(self, i: int, to_right: bool) -> int:
        """Return what the side at a position costs at least."""
        return int(self._known[to_right][np.searchsorted(self.at, i)])

    def learn(self, i: int, to_right: bool, bound: int) -> None:
        """Take a bound of a side into account, for its supersets and subsets too."""
        known, instance = self._known[to_right], self.view.instance
        k = int(np.searchsorted(self.at, i))
        if instance.limited:
            known[k] = max(known[k], bound)
            return
        above, below = (
            (slice(None, k + 1), slice(k, None))
            if to_right
            else (slice(k, None), slice(None, k + 1))
        )
        known[above] = np.maximum(known[above], bound)
        if not instance.pure:
            mass = self._mass[to_right]
            lost = self._dearest * (mass[k] - mass[below])
            known[below] = np.maximum(known[below], bound - lost)

    def rows(self, i: int, to_right: bool) -> Array:
        """Return the members of a side, as positions in the state."""
        order = self.view.order[self.g]
        return np.asarray(order[i + 1 :] if to_right else order[: i + 1])

    def members(self, i: int, to_right: bool) -> Array:
        """Return which groups of the state belong to a side."""
        inside = np.zeros(self.view.m, dtype=np.bool_)
        inside[self.rows(i, to_right)] = True
        return inside
