"""The trees that some price of a second measure makes best, by an exact solver."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

from odt.core.solver import Solver, Status
from odt.errors import UnsupportedProblemError
from odt.model.measure import Measure
from odt.model.objective import Objective, lexicographic
from odt.model.problem import Problem
from odt.pareto.bounded import Found
from odt.pareto.measures import values_of
from odt.pareto.region import Box, Values, everything
from odt.pareto.series import PROVED, Series
from odt.solve import match


def objectives_of(measures: tuple[Measure, ...]) -> tuple[Objective, ...]:
    """Return what a solver must support to find a hull: both orders, and a weighted sum."""
    first, second = (Objective.parse(measure.value) for measure in measures)
    return lexicographic(first, second), lexicographic(second, first), first + second


def check_hull(problem: Problem, measures: tuple[Measure, ...], solver: Solver) -> None:
    """Refuse a problem whose hull a solver cannot find.

    Raises
    ------
    UnsupportedProblemError
        For three measures, and for what `odt.solve` would refuse.
    """
    if len(measures) != 2:
        raise UnsupportedProblemError(
            f"Prices are weighed between two measures. Got {', '.join(m.value for m in measures)}: "
            "take two of them, or full=True."
        )
    for objective in objectives_of(measures):
        match(replace(problem, objective=objective), solver)


def find_hull(problem: Problem, measures: tuple[Measure, ...], series: Series) -> Found:
    """Find a tree for each vertex of the lower convex hull of two measures.

    First the best trees in either measure; then between two neighbours the best one for the price
    at which they are equal, until there is none better (Aneja, Nair 1979, Management Science
    25:73-78). That is at most two solves for each tree.

    Parameters
    ----------
    problem : Problem
    measures : tuple of Measure
        Two.
    series : Series
    """
    search = _HullSearch(problem, measures, series)
    first_best, second_best, _ = objectives_of(measures)
    low = search.best(first_best, everything(2))
    if low is None:
        return search.found
    high = search.best(second_best, (inf, low[1]))
    pairs = [] if high is None else [(low, high)]
    while pairs:
        a, b = pairs.pop()
        if b[0] - a[0] <= 1 or a[1] - b[1] <= 1:
            continue  # no integer lies between
        prices = a[1] - b[1], b[0] - a[0]
        best = search.best(_weighted(problem, measures, prices), (b[0], a[1]))
        if best is not None and _total(best, prices) < _total(a, prices):
            pairs += [(a, best), (best, b)]
    return search.found


class _HullSearch:
    def __init__(self, problem: Problem, measures: tuple[Measure, ...], series: Series) -> None:
        self.found = Found()
        self._problem, self._measures, self._series = problem, measures, series

    def best(self, objective: Objective, box: Box) -> Values | None:
        """Return the values of a proved optimum; None if there is none, or no proof.

        Parameters
        ----------
        objective : Objective
        box : Box
            Where trees may be missing without that proof.
        """
        if self._series.is_over:
            self.found.open.append((box, 0))
            return None
        stated, results = replace(self._problem, objective=objective), self.found.results
        known = [result.tree for result in results.values() if result.tree is not None]
        start = min(known, key=stated.cost, default=None)
        result = self._series.solve(stated, start, len(results))
        if result.status not in PROVED:
            self.found.open.append((box, 0))
        if result.tree is None:
            return None
        values = values_of(result.tree.amounts(stated.dataset), self._measures)
        if result.status is not Status.OPTIMAL:
            results.setdefault(values, result)
            return None
        results[values] = result
        self.found.proved.add(values)
        return values


def _weighted(
    problem: Problem, measures: tuple[Measure, ...], prices: tuple[int, int]
) -> Objective:
    """Return the sum of amounts times their prices as an objective in public units."""
    first, second = (
        Fraction(price) / measure.worth(problem.dataset) * Objective.parse(measure.value)
        for measure, price in zip(measures, prices, strict=True)
    )
    return first + second


def _total(values: Values, prices: tuple[int, int]) -> int:
    return values[0] * prices[0] + values[1] * prices[1]
