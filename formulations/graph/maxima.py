"""Objectives with maxima (depth, worst explanation) as series of additive subproblems."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

from formulations.backends.outcome import Outcome
from formulations.model import Goal, Limit, Model
from formulations.program.base import Values
from formulations.program.linear import LinearProgram
from odt.core.run import round_up
from odt.core.solver import Status
from odt.model.problem import Problem
from odt.model.tree import Tree


class Subproblem(NamedTuple):
    """A goal in which the maxima are limited instead of priced.

    Attributes
    ----------
    depth : int
        Most tests on a path.
    worst : int or None
        Most distinct features on a path; None without limit.
    goal : Goal
        Without prices for the two maxima.
    surcharge : int
        What the maxima cost at their limits.
    """

    depth: int
    worst: int | None
    goal: Goal
    surcharge: int

    def lower_bound(self, problem: Problem) -> int:
        """Return a cost that no tree of the subproblem is below: a node and unavoidable errors."""
        prices = self.goal.prices
        return prices.errors * problem.compiled.base_errors + prices.nodes + self.surcharge


def fix_maxima(problem: Problem, goal: Goal) -> list[Subproblem]:
    """Return subproblems such that the best tree of all of them is the best tree of the goal."""
    everything = [goal.prices, *(limit.prices for limit in goal.limits)]
    depth, longest = (
        problem.limits.useful_depth,
        min(problem.limits.useful_depth, problem.dataset.n_features),
    )
    worsts = range(longest + 1) if any(p.worst for p in everything) else [None]
    depths = range(depth + 1) if any(p.depth for p in everything) else [depth]
    return [_subproblem(goal, d, w) for w in worsts for d in depths]


def _subproblem(goal: Goal, depth: int, worst: int | None) -> Subproblem:
    limits = tuple(
        Limit(limit.prices._replace(depth=0, worst=0), limit.at_most - _maxima(limit, depth, worst))
        for limit in goal.limits
    )
    prices = goal.prices._replace(depth=0, worst=0)
    return Subproblem(depth, worst, Goal(prices, limits), _maxima(goal, depth, worst))


def _maxima(priced: Goal | Limit, depth: int, worst: int | None) -> int:
    return priced.prices.depth * depth + priced.prices.worst * (worst or 0)


class _NoModel(Model[LinearProgram]):
    """Stands for the model while there are no values."""

    def decode(self, values: Values) -> Tree:
        raise AssertionError("there are no values to decode")

    def encode(self, tree: Tree) -> Values | None:
        return None


class Series:
    """The best tree and the bound over the subproblems of a goal.

    Attributes
    ----------
    bounds : list of float
        A lower bound for each subproblem; infinity where it is infeasible.
    cost : float
        Cost of the best tree; infinity before there is one.
    model : Model
        The one that the best values belong to.
    """

    def __init__(self, problem: Problem, goal: Goal) -> None:
        self.subproblems = fix_maxima(problem, goal)
        self.bounds: list[float] = [
            subproblem.lower_bound(problem) for subproblem in self.subproblems
        ]
        self.cost = inf
        self.model: Model[LinearProgram] = _NoModel()
        self._values: Values | None = None
        self._stats: dict[str, Any] = {"subproblems": 0}
        self._broken_off = False

    @property
    def bound(self) -> float:
        """No tree of any subproblem costs less."""
        return min(*self.bounds, self.cost)

    def open_subproblems(self) -> Iterator[tuple[int, Subproblem]]:
        """Yield the subproblems that may hold a better tree, as long as all are solved."""
        for i, subproblem in enumerate(self.subproblems):
            if self.bounds[i] < self.cost and not self._broken_off:
                yield i, subproblem

    def bound_with(self, i: int, bound: float) -> float:
        """Return the bound over all if subproblem ``i`` has a bound (without its surcharge)."""
        others = [b for j, b in enumerate(self.bounds) if j != i]
        return min(bound + self.subproblems[i].surcharge, self.cost, *others)

    def learn(self, i: int, bound: int) -> None:
        """Note a bound of subproblem ``i`` (without its surcharge)."""
        self.bounds[i] = max(self.bounds[i], bound + self.subproblems[i].surcharge)

    def give_up(self, reason: str) -> None:
        """End the series; what is known so far stays."""
        self._stats = {**self._stats, "backend_status": reason}
        self._broken_off = True

    def take(self, i: int, model: Model[LinearProgram], outcome: Outcome) -> None:
        """Take the outcome of subproblem ``i`` into account."""
        surcharge = self.subproblems[i].surcharge
        self._stats = {**outcome.stats, "subproblems": self._stats["subproblems"] + 1}
        if outcome.status is Status.INFEASIBLE:
            self.bounds[i] = inf
        elif outcome.bound is not None:
            self.bounds[i] = max(self.bounds[i], round_up(outcome.bound) + surcharge)
        if outcome.values is not None:
            cost = round(float(model.program.cost(outcome.values))) + surcharge
            if cost < self.cost:
                self.cost, self.model, self._values = cost, model, outcome.values
        self._broken_off = outcome.status not in (Status.OPTIMAL, Status.INFEASIBLE)

    def outcome(self) -> Outcome:
        """Return what is known at the end."""
        if self._values is None:
            status = Status.INFEASIBLE if self.bound == inf else Status.UNKNOWN
            return Outcome(status, None, None if self.bound == inf else self.bound, self._stats)
        status = Status.OPTIMAL if self.bound == self.cost else Status.FEASIBLE
        return Outcome(status, self._values, int(self.bound), self._stats)
