"""All non-dominated trees by an exact solver: minimise one measure, bound the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import inf

from odt.core.registry import solver_class, solver_names
from odt.core.result import Result
from odt.core.solver import Solver, Status
from odt.errors import UnsupportedProblemError
from odt.model.capability import Capability, Need
from odt.model.measure import Measure
from odt.model.objective import Objective, lexicographic
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.pareto.measures import LIMITS, is_empty, limited, values_of
from odt.pareto.region import Box, Values, everything, holds, split
from odt.pareto.series import PROVED, Series


@dataclass(frozen=True)
class Plan:
    """Which measure is minimised, and which are bounded.

    Attributes
    ----------
    order : tuple of Measure
        First the one that is minimised.
    objective : Objective
        The first measure, then those of the others that the solver can order after it.
    needs : frozenset of Measure and Capability
        What a solver must support besides the needs of the problem.
    """

    order: tuple[Measure, ...]
    objective: Objective
    needs: frozenset[Need]

    @property
    def is_complete(self) -> bool:
        """Whether an optimum is dominated by no tree: all measures are in the objective."""
        return self.objective.measures == set(self.order)


@dataclass
class Found:
    """What a search knows, in the order of its plan.

    Attributes
    ----------
    results : dict of Values to Result
        Trees that some solve returned, one for the same values.
    proved : set of Values
        Those that no tree beats, whatever is still open.
    open : list of (Box, float)
        Boxes that are not closed, and the least value of the first measure there.
    """

    results: dict[Values, Result] = field(default_factory=dict)
    proved: set[Values] = field(default_factory=set)
    open: list[tuple[Box, float]] = field(default_factory=list)


def plan_for(measures: tuple[Measure, ...], supports: frozenset[Need]) -> Plan | None:
    """Return how a solver can find all points; None if it cannot bound all measures but one.

    Parameters
    ----------
    measures : tuple of Measure
    supports : frozenset of Measure and Capability
        What the solver does.
    """
    for first in _by_preference(measures):
        others = tuple(m for m in measures if m is not first)
        if first not in supports or not all(m in LIMITS for m in others):
            continue
        needs = frozenset().union(*(LIMITS[m] for m in others))
        if needs <= supports:
            levels = [first]
            if Capability.LEXICOGRAPHIC in supports:
                levels += [m for m in others if m in supports]
            objective = lexicographic(*(Objective.parse(m.value) for m in levels))
            return Plan((first, *others), objective, needs)
    return None


def _by_preference(measures: tuple[Measure, ...]) -> Iterator[Measure]:
    """Yield what cannot be bounded, then the error.

    Bounds on size and depth make searches shorter, those on the error longer: on iris at depth 2
    `dp` took 0.06 s of CPU time with bounds on the size and 2.1 s with bounds on the error.
    """
    yield from (m for m in measures if m not in LIMITS)
    yield from (m for m in measures if m is Measure.ERROR)
    yield from (m for m in measures if m in LIMITS and m is not Measure.ERROR)


def check_plan(
    problem: Problem, measures: tuple[Measure, ...], solver: Solver, plan: Plan | None
) -> Plan:
    """Return the plan, if the solver can do it on this problem.

    Raises
    ------
    UnsupportedProblemError
        Says which measures cannot be bounded, or what is missing, and which solvers can.
    """
    names = ", ".join(m.value for m in measures)
    unbounded = [m.value for m in measures if m not in LIMITS]
    if len(unbounded) > 1:
        raise UnsupportedProblemError(
            f"All non-dominated trees are found by limits on all measures but one, and no limit of "
            f"a Shape is on {' or '.join(unbounded)}. Take at most one of these besides "
            f"{', '.join(m.value for m in LIMITS)}; or full=False with two measures, which gives "
            "the trees that some price makes best."
        )
    able = [name for name in solver_names() if _is_able(problem, measures, name)]
    others = f"Solvers that can: {', '.join(able) or 'none'}."
    if plan is None:
        raise UnsupportedProblemError(
            f"The solver {solver.name!r} cannot find all trees that are non-dominated in {names}: "
            f"it must minimise one and limit the others. {others} With two measures full=False "
            "asks for less: the trees that some price makes best."
        )
    missing = _needs(problem, plan) - solver.supports
    if missing:
        raise UnsupportedProblemError(
            f"The solver {solver.name!r} does not support "
            f"{', '.join(sorted(need.value for need in missing))}. {others}"
        )
    return plan


def _needs(problem: Problem, plan: Plan) -> frozenset[Need]:
    return replace(problem, objective=plan.objective).needs | plan.needs


def _is_able(problem: Problem, measures: tuple[Measure, ...], name: str) -> bool:
    kind = solver_class(name)
    plan = plan_for(measures, kind.supports) if kind.exact else None
    return plan is not None and _needs(problem, plan) <= kind.supports


def find_all(problem: Problem, plan: Plan, series: Series) -> Found:
    """Find all non-dominated trees, as far as the budget goes.

    Each solve minimises the first measure under bounds on the others, and those after it in its
    order (epsilon constraints; Haimes, Lasdon, Wismer 1971). The bounds come from the boxes that
    are still to be searched, so with two measures every solve but the last finds a point. What a
    solve says about wide bounds settles boxes with narrower ones (Kirlik, Sayin 2014, EJOR
    232:479-488).

    Parameters
    ----------
    problem : Problem
    plan : Plan
        Its objective replaces that of the problem.
    series : Series
    """
    stated = replace(problem, objective=plan.objective)
    found, answers = Found(), list[tuple[Box, float]]()
    boxes = [everything(len(plan.order))]
    while boxes:
        box = max(boxes, key=lambda b: b[1:])  # wide bounds first: their answers serve narrow ones
        boxes.remove(box)
        least = max((low for wide, low in answers if _within(box[1:], wide)), default=0)
        if is_empty(box, plan.order) or least >= box[0]:
            continue
        if series.is_over:
            found.open.append((box, least))
            continue
        result = series.solve(
            limited(stated, plan.order[1:], box[1:]), _start(found, box), len(found.results)
        )
        values = _record(found, result, plan)
        if result.status not in PROVED:
            found.open.append((box, max(least, _proved_least(result))))
            continue
        answers.append((box[1:], inf if values is None else values[0]))
        if values is not None:
            boxes = split([*boxes, box] if holds(box, values) else boxes, values)
    return found


def _record(found: Found, result: Result, plan: Plan) -> Values | None:
    """Keep the tree of a result; returns its values."""
    if result.tree is None:
        return None
    values = values_of(result.tree.amounts(result.problem.dataset), plan.order)
    optimal = result.status is Status.OPTIMAL
    if optimal or values not in found.results:
        found.results[values] = result
    if optimal and plan.is_complete:
        found.proved.add(values)
    return values


def _within(bounds: Box, wide: Box) -> bool:
    return all(most <= wider for most, wider in zip(bounds, wide, strict=True))


def _start(found: Found, box: Box) -> Tree | None:
    """Return the best known tree that keeps the bounds of a box; it is not in the box itself."""
    kept = [values for values in found.results if holds(box[1:], values[1:])]
    return found.results[min(kept)].tree if kept else None


def _proved_least(result: Result) -> int:
    """Return what a solve without a proof says about the measure it minimises."""
    bound = result.cost_bound
    return 0 if bound is None else result.problem.costs.level_costs(bound)[0]
