"""The order of searches: shallow trees, then rising bounds, then the optimum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from odt.core.run import Run
from odt.engine.dp.coupled import Frontier
from odt.engine.dp.search import Search, StatePrices
from odt.engine.dp.similarity import SimilarTests
from odt.errors import Stopped
from odt.mdp import TreeMDP
from odt.model.capability import Capability
from odt.model.problem import Problem

COUPLING = frozenset({Capability.MAX_NODES, Capability.MAX_ERROR, Capability.CLASS_ERROR})
"""Limits that tie the two sides of a test to each other."""
_HALVINGS, _SHALLOW = 4, 3


class Case(NamedTuple):
    """A part of the trees in which depth and worst explanation are limits.

    Attributes
    ----------
    features : int or None
        Bit mask of the features that may be asked; None for all.
    worst : int or None
        Most distinct features on a path; None without limit.
    depth : int
    surcharge : int
        What depth and worst explanation cost at their limits.
    """

    features: int | None
    worst: int | None
    depth: int
    surcharge: int


class Planner:
    """Reduces an objective with maxima and coupled limits to a series of additive searches.

    Each search tells what it has proved so far; the least of all cases is a bound on every tree.
    Limits that couple both sides of a test are left out of a first search, for its bound. Where
    tests tell nothing about each other, a search says nothing before its end. But with a small
    limit it ends early, so the limit rises to the best known cost, and what was proved about
    smaller sets stays in the memory for the next search.

    Parameters
    ----------
    mdp : TreeMDP
    run : Run

    Attributes
    ----------
    tree : Tree or None
        The best one.
    cost : int
        Its cost.
    n_states : int
        Most states that a search has visited.
    """

    def __init__(self, mdp: TreeMDP, run: Run) -> None:
        self.mdp, self.run = mdp, run
        self.tree = run.tree
        self.cost = mdp.problem.costs.upper + 1 if run.cost is None else run.cost
        self.n_states = 0
        self._engine: Search | Frontier | None = None
        self._all: tuple[Case, ...] = ()
        self._bounds: list[int] = []

    def plan(self) -> None:
        """Search every case that may hold a better tree than the cases before."""
        if not self.mdp.large_enough(self.mdp.initial.examples):
            return  # not even the root may be a leaf
        least = StatePrices(self.mdp, self.run, None, None).lower_bound(self.mdp.initial)
        if not self.mdp.is_restricted:
            self.run.report(bound=least)
        self._all = tuple(self._cases())
        self._bounds = [least + case.surcharge for case in self._all]
        is_coupled = bool(self.mdp.problem.needs & COUPLING)
        kind = Frontier if is_coupled else Search
        self._find_first_trees(kind)
        if not self.mdp.is_restricted and self._all:
            self._raise_bound(is_coupled)
        self._search_all(kind, self.cost)

    def _find_first_trees(self, kind: type[Search | Frontier]) -> None:
        """Search small depths; each gives a tree to report and an upper bound for what follows."""
        for case in self._all:
            if not self.mdp.problem.costs.prices.depth:
                for depth in range(min(_SHALLOW, case.depth)):
                    self._search(kind, case._replace(depth=depth), self.cost)

    def _raise_bound(self, is_coupled: bool) -> None:
        """Search below limits that rise, without limits that couple."""
        least = min(self._bounds)
        self._learn(least)
        similar = SimilarTests.hold(self.mdp) and self.mdp.initial.position is None
        gap, halvings = self.cost - least, 0 if similar else _HALVINGS
        for k in range(halvings, -1 if is_coupled else 0, -1):
            limit = least + (gap >> k)
            if limit > least and self._search_all(Search, limit) < limit:
                return

    def _search_all(self, kind: type[Search | Frontier], limit: int) -> int:
        """Search all cases for trees below a limit; return a bound on every tree."""
        rest = [*accumulate([limit, *self._bounds[:0:-1]], min)][::-1]
        done = limit
        for i, case in enumerate(self._all):
            others = min(done, rest[i])
            if self._bounds[i] < min(limit, self.cost):
                proved = self._search(kind, case, limit, others)
                self._bounds[i] = max(self._bounds[i], proved)
            done = min(done, self._bounds[i])
            self._learn(min(done, rest[i]))
        return done

    def _search(
        self, kind: type[Search | Frontier], case: Case, limit: int, others: int = 0
    ) -> int:
        """Search a case for trees that cost less than a limit; return a bound on all its trees.

        No tree of another case costs less than `others`.
        """
        engine = self._engine_of(kind, case)
        try:
            found = engine.best(
                case.depth,
                min(limit, self.cost) - case.surcharge,
                lambda bound: self._learn(min(bound + case.surcharge, others)),
            )
        finally:
            self.n_states = max(self.n_states, engine.n_states)
        if found is None:
            return min(limit, self.cost)
        self.run.report(tree=found[1])
        if self.run.cost is not None and self.run.cost < self.cost:
            self.tree, self.cost = self.run.tree, self.run.cost
        return found[0] + case.surcharge

    def _learn(self, bound: int) -> None:
        if not self.mdp.is_restricted and self.run.bound is not None and bound > self.run.bound:
            self.run.report(bound=min(bound, self.cost))

    def _engine_of(self, kind: type[Search | Frontier], case: Case) -> Search | Frontier:
        """Return an engine for a case; the last one again, with its memory, if it fits."""
        last = self._engine
        if type(last) is kind and (last.features, last.worst) == (case.features, case.worst):
            return last
        self._engine = kind(self.mdp, self.run, case.features, case.worst)
        return self._engine

    def _note(self) -> None:
        if self.run.cost is not None and self.run.cost < self.cost:
            self.tree, self.cost = self.run.tree, self.run.cost

    def _cases(self) -> Iterator[Case]:
        prices, deepest = self.mdp.problem.costs.prices, self.mdp.problem.limits.useful_depth
        depths = range(deepest + 1) if prices.depth else (deepest,)
        for features in self._feature_sets():
            for worst in self._worst_limits():
                for depth in depths:
                    surcharge = prices.depth * depth + prices.worst * (worst or 0)
                    yield Case(features, worst, depth, surcharge)

    def _worst_limits(self) -> Iterator[int | None]:
        problem = self.mdp.problem
        if problem.costs.prices.worst == 0:
            yield None
        else:
            yield from range(min(problem.limits.useful_depth, problem.dataset.n_features) + 1)

    def _feature_sets(self) -> Iterator[int | None]:
        """Each largest set of features that the tree may use; None stands for all."""
        problem = self.mdp.problem
        everything = frozenset(range(problem.dataset.n_features))
        if problem.limits.allows_features(everything):
            yield None
            return
        for chosen in _allowed_sets(problem, frozenset(), 0):
            Stopped.poll(self.run.should_stop)
            if not any(problem.limits.allows_features(chosen | {f}) for f in everything - chosen):
                yield sum(1 << feature for feature in chosen)


def _allowed_sets(problem: Problem, chosen: frozenset[int], first: int) -> Iterator[frozenset[int]]:
    """Yield ``chosen`` and every allowed set that adds features numbered from ``first`` on."""
    yield chosen
    for feature in range(first, problem.dataset.n_features):
        larger = chosen | {feature}
        if problem.limits.allows_features(larger):
            yield from _allowed_sets(problem, larger, feature + 1)
