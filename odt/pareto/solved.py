"""A front by an exact solver: how it is found, and what is known about each point."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from odt.core.run import Run
from odt.core.solver import Solver
from odt.engine.front.hull import Vertex, hull_intervals, hull_of
from odt.errors import UnsupportedProblemError
from odt.model.capability import Capability
from odt.model.measure import Measure
from odt.model.problem import Problem
from odt.pareto.bounded import Found, check_plan, find_all, plan_for
from odt.pareto.front import FrontProgress, ParetoFront, ParetoPoint, Prices, Region
from odt.pareto.measures import LEAST, in_units
from odt.pareto.priced import check_hull, find_hull
from odt.pareto.region import Values
from odt.pareto.series import Series
from odt.solve import interruptible


def solved_front(
    problem: Problem,
    measures: tuple[Measure, ...],
    solver: Solver,
    full: bool | None,
    run: Run,
    check: bool | None,
    on_report: Callable[[FrontProgress], None] | None,
) -> ParetoFront:
    """Return the front that an exact solver finds.

    Parameters
    ----------
    problem : Problem
    measures : tuple of Measure
    solver : Solver
    full : bool or None
        None for all points, if the solver can find them, otherwise those on the hull.
    run : Run
        Of the whole front.
    check, on_report
        As for `odt.pareto`.
    """
    if not solver.exact:
        raise UnsupportedProblemError(
            f"The solver {solver.name!r} proves nothing, so it cannot say that no tree beats "
            "another. Take an exact solver ('odt solvers'), or 'dpdt' for its one pass."
        )
    plan = plan_for(measures, solver.supports)
    hull_only = full is False or (full is None and plan is None and _may_be_hull(measures, solver))
    series = Series(solver, run, check, on_report)
    if hull_only:
        check_hull(problem, measures, solver)
    else:
        plan = check_plan(problem, measures, solver, plan)
    with interruptible(run):
        if hull_only or plan is None:
            order, found = measures, find_hull(problem, measures, series)
        else:
            order, found = plan.order, find_all(problem, plan, series)
    points = _points(problem, measures, order, found)
    return ParetoFront(
        problem=problem,
        measures=tuple(m.value for m in measures),
        points=tuple(p for p in points if p.on_hull) if hull_only else tuple(points),
        solver=solver.name,
        full=not hull_only,
        exact=not found.open,
        generator=None,
        open=tuple(_region(problem, order, *region) for region in found.open),
        stopped_by=series.stopped_by,
        stats={"solves": series.n_solves},
    )


def _may_be_hull(measures: tuple[Measure, ...], solver: Solver) -> bool:
    combined = {Capability.LEXICOGRAPHIC, Capability.WEIGHTED_SUM}
    return len(measures) == 2 and set(measures) | combined <= solver.supports


def _points(
    problem: Problem, measures: tuple[Measure, ...], order: tuple[Measure, ...], found: Found
) -> list[ParetoPoint]:
    """Return the trees that no other found one beats, by rising values."""
    places = [order.index(measure) for measure in measures]
    in_order = {tuple(values[i] for i in places): values for values in found.results}
    kept = sorted(values for values in in_order if not _is_beaten(values, in_order))
    prices = _prices(problem, measures, kept) if len(measures) == 2 else {}
    points = []
    for values in kept:
        result = found.results[in_order[values]]
        assert result.tree is not None
        points.append(
            ParetoPoint(
                tree=result.tree,
                values=_public(problem, measures, values),
                on_hull=values in prices if len(measures) == 2 else None,
                alphas=prices.get(values),
                result=result,
                certified=not found.open or in_order[values] in found.proved,
            )
        )
    return points


def _is_beaten(values: Values, others: dict[Values, Values]) -> bool:
    return any(
        other != values and all(a <= b for a, b in zip(other, values, strict=True))
        for other in others
    )


def _prices(
    problem: Problem, measures: tuple[Measure, ...], kept: list[Values]
) -> dict[Values, Prices]:
    """Return for the points on the hull the prices of the second measure that choose them."""
    vertices = [Vertex(values[0], values[1], branches=0, depth=0) for values in kept]
    on_hull = hull_of(vertices)
    first, second = (measure.worth(problem.dataset) for measure in measures)
    unit = first / second
    intervals = hull_intervals([vertices[i] for i in on_hull])
    return {
        kept[i]: (low * unit, None if high is None else high * unit)
        for i, (low, high) in zip(on_hull, intervals, strict=True)
    }


def _public(problem: Problem, measures: tuple[Measure, ...], values: Values) -> dict[str, float]:
    data = problem.dataset
    return {m.value: in_units(m, v, data) for m, v in zip(measures, values, strict=True)}


def _region(
    problem: Problem, order: tuple[Measure, ...], box: tuple[float, ...], least: float
) -> Region:
    data, first = problem.dataset, order[0]
    below = {m.value: in_units(m, v, data) for m, v in zip(order, box, strict=True) if v < inf}
    is_known = getattr(LEAST, first.amount) < least
    return Region(below, {first.value: in_units(first, least, data)} if is_known else {})
