"""Which measures a front is about, and how a bound on one becomes a limit of the problem."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.capability import ERROR_LIMITS, Capability, Need
from odt.model.measure import MEASURES, Amounts, Measure
from odt.model.problem import Problem
from odt.pareto.region import Box, Values

LIMITS: dict[Measure, frozenset[Need]] = {
    Measure.ERROR: ERROR_LIMITS,
    Measure.SIZE: frozenset({Capability.MAX_NODES}),
    Measure.DEPTH: frozenset(),  # every solver takes max_depth
}
"""Measures that a `Shape` can limit, and what a solver must support for it."""
LEAST = Amounts(nodes=1)
"""No tree has less than a leaf."""


def named_measures(
    measures: str | Sequence[str | Measure] | None, data: Dataset
) -> tuple[Measure, ...]:
    """Read the measures of a front; None for the error against expected tests.

    Raises
    ------
    ProblemError
        If they are not two or three different ones.
    """
    if measures is None:
        return error_of(data), Measure.EXPECTED_TESTS
    names: Any = measures.split(",") if isinstance(measures, str) else measures
    if not isinstance(names, Collection):
        raise ProblemError(
            f"'measures' must be text such as 'error,size' or a sequence. Got {measures!r} instead."
        )
    texts = [name.value if isinstance(name, Measure) else str(name).strip() for name in names]
    suited = [name for name, measure in MEASURES.items() if measure.suits(data)]
    unknown = [text for text in texts if text not in suited]
    if unknown or len(set(texts)) != len(texts) or not 2 <= len(texts) <= 3:
        raise ProblemError(
            "'measures' must be two or three different ones of "
            f"{', '.join(suited)}. Got {measures!r} instead."
        )
    return tuple(MEASURES[text] for text in texts)


def error_of(data: Dataset) -> Measure:
    """Return the measure of errors of a task: the squared error for targets."""
    return Measure.ERROR if data.targets is None else Measure.SQUARED_ERROR


def values_of(amounts: Amounts, measures: Sequence[Measure]) -> Values:
    """Return what a tree amounts to in some measures, as integers."""
    return tuple(getattr(amounts, measure.amount) for measure in measures)


def in_units(measure: Measure, amount: float, data: Dataset) -> float:
    """Return an amount in the public unit of its measure."""
    return measure.of(measure.priced(int(amount)), data)


def is_empty(box: Box, measures: Sequence[Measure]) -> bool:
    """Say whether no tree is in a box: a bound is not above the least amount."""
    return any(
        most <= getattr(LEAST, measure.amount) for most, measure in zip(box, measures, strict=True)
    )


def limited(problem: Problem, measures: Sequence[Measure], bounds: Sequence[float]) -> Problem:
    """Return a problem that allows only trees below some bounds; its own limits hold too.

    Parameters
    ----------
    problem : Problem
    measures : sequence of Measure
        Of those in `LIMITS`.
    bounds : sequence of int or infinity
        Strict upper bounds on the amounts.
    """
    shape, limits = problem.shape, problem.limits
    for measure, bound in zip(measures, bounds, strict=True):
        if bound == inf:
            continue
        most = int(bound) - 1
        if measure is Measure.ERROR and (limits.errors is None or most < limits.errors):
            # half a unit more, so that no rounding of the share changes the integer
            share = Fraction(2 * most + 1, 2 * problem.dataset.total_weight)
            shape = replace(shape, max_error=float(share) if most else 0.0)
        elif measure is Measure.SIZE and (limits.nodes is None or most < limits.nodes):
            shape = replace(shape, max_nodes=most)
        elif measure is Measure.DEPTH and (limits.depth is None or most < limits.depth):
            shape = replace(shape, max_depth=most)
    return Problem(problem.dataset, problem.objective, shape, problem.tests)
