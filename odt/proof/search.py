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

from odt.engine.branch_and_bound.stumps import make_work
from odt.errors import Stopped
from odt.proof.instance import Instance
from odt.proof.kernel import LEFT, RIGHT, carry, one_test, open_run, suited, two_tests
from odt.proof.rows import Rows
from odt.proof.view import View

Array = NDArray[Any]


class Key(NamedTuple):
    """A state: its groups, the tests left, the features used, the new features allowed."""

    groups: bytes
    depth: int
    used: int
    new: int


class Cited(NamedTuple):
    """A side of a test that was looked at: where it is, its state (None: counted), its bound."""

    chain: int
    position: int
    side: int
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
        self._rows = Rows(instance) if Rows.suit(instance) else None

    def view(self, key: Key) -> View:
        """Return the groups of a state as its chains sort them."""
        groups = np.frombuffer(key.groups, dtype=np.int32)
        return View(self.instance, groups, key.depth, key.used, key.new)

    def prove(self, key: Key, wanted: int) -> Entry:
        """Return an entry whose bound is at least ``wanted``, or exact."""
        known = self.memo.get(key)
        if known is not None and (known.exact or known.bound >= wanted):
            return known
        if self._stop():
            raise Stopped
        view = self.view(key)
        depth = min(key.depth, view.m - 1)
        if view.floor >= wanted or depth < 1:
            found = Entry(view.floor, depth < 1, [])
        elif depth == 1:
            found = Entry(self._count(view, np.ones(view.m, dtype=np.bool_), view.own), True, [])
        else:
            best = min(wanted, view.leaf)
            rows = self._rows if depth == 2 else None
            found = self._ask(view, best) if rows is None else self._ask_two(view, best, rows)
            found.exact = found.bound < wanted or found.bound == view.leaf
        self.memo[key] = found
        return found

    def _ask_two(self, view: View, best: int, rows: Rows) -> Entry:
        """Search a state with two tests left at once, compiled."""
        known, split = view.sides.known.copy(), view.groups.is_split
        cited = np.empty((2 * int(split.sum()), 4), dtype=np.int64)
        dearest, frame = int(view.rules[1]), rows.frame(view.numbers)
        best, n = two_tests(
            rows.table, frame, make_work(frame), rows.cuts(view), split, known, view.sides.mass,
            view.promising(), view.prices, rows.used(view.used), dearest, best, cited,
        )  # fmt: skip
        sides = [Cited(g, i, side, None, bound) for g, i, side, bound in cited[:n].tolist()]
        return Entry(int(best), True, sides)

    def _ask(self, view: View, best: int) -> Entry:
        sides, known, cited = view.sides, view.sides.known.copy(), []
        reach, dearest = view.rules
        widest, spread = suited(open_run, known), suited(carry, known)
        for g in view.promising():
            price, is_split = int(view.prices[g]), view.groups.is_split[g]
            while (run := widest(known[:, g], is_split, best - price, reach))[1] >= 0:
                (first, i, last), room = run, best - price
                # enough on the left closes what lies above i, enough on the right what lies below
                wanted = room - int(known[RIGHT, g, last]), room - int(known[LEFT, g, first])
                found = [self._side(view, g, i, side, wanted[side]) for side in (LEFT, RIGHT)]
                cited += [side for side, _ in found]
                for side, _ in found:
                    at = side.side, g
                    spread(known[at], sides.mass[at], side.side, i, side.bound, reach, dearest)
                if all(exact for _, exact in found):
                    best = min(best, price + sum(side.bound for side, _ in found))
        return Entry(best, True, cited)

    def _side(self, view: View, g: int, i: int, side: int, wanted: int) -> tuple[Cited, bool]:
        """Look at a side of a test; return also whether its bound is exact."""
        rows = view.members(g, i, side)
        depth = min(view.depth, len(rows)) - 1
        if depth <= 1:
            inside = np.zeros(view.m, dtype=np.bool_)
            inside[rows] = True
            bound = self._count(view, inside, view.sides.below[g])
            return Cited(g, i, side, None, bound), True
        key = Key(np.sort(view.numbers[rows]).tobytes(), depth, *view.after(g))
        found = self.prove(key, wanted)
        return Cited(g, i, side, key, found.bound), found.exact

    def _count(self, view: View, inside: Array, coefficients: Array) -> int:
        scratch = np.zeros((2, view.groups.weights.shape[1]), dtype=self.instance.type)
        kernel = suited(one_test, view.groups.weights)
        return int(kernel(view.groups, inside, coefficients, scratch))
