"""Error against complexity from one backward pass, for the tests that a generator offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from odt.core.run import Run
from odt.engine.front.columns import Columns
from odt.engine.front.hull import Vertex, hull_intervals, hull_of
from odt.engine.squares import slack
from odt.errors import (
    InconsistentSolutionError,
    ProblemError,
    UnsupportedProblemError,
)
from odt.generators.automatic import Automatic
from odt.generators.names import make_generator
from odt.mdp.generator import CompiledGenerator, TestGenerator
from odt.model.capability import STRUCTURE, Capability
from odt.model.measure import Measure
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.pareto.front import FrontProgress, ParetoFront, ParetoPoint
from odt.pareto.measures import error_of
from odt.solve import interruptible

if TYPE_CHECKING:
    from odt.engine.front.search import Front

COMPLEXITIES = tuple(
    measure.value for measure in (Measure.EXPECTED_TESTS, Measure.SIZE, Measure.EXPLANATION_SIZE)
)
"""Names of the measures that one pass can set against the error."""
_SECOND = [[name] for name in COMPLEXITIES]
_REPORT_SECONDS = 1.0
_UNSUPPORTED = STRUCTURE | {
    Capability.UNLIMITED_DEPTH,
    Capability.MAX_NODES,
    Capability.MAX_FEATURES,
}


def one_pass(
    problem: Problem,
    measures: tuple[Measure, ...],
    generator: str | TestGenerator,
    full: bool,
    run: Run,
    on_report: Callable[[FrontProgress], None] | None,
) -> ParetoFront:
    """Return the front that one backward pass over DPDT's process keeps.

    Kohler, Akrour and Preux (arXiv 2309.12701) solve their decision process for a grid of prices;
    here one pass keeps the exact lower hull of every state, so all prices are answered at once.

    Parameters
    ----------
    problem : Problem
    measures : tuple of Measure
        The error, or squared error of targets, and one of `COMPLEXITIES`.
    generator : str or generator
        Which tests a state offers.
    full : bool
        Whether to keep the trees that no price makes best.
    run : Run
    on_report : callable or None
    """
    rules, chosen = _rules(problem, measures, generator)
    from odt.engine.front.search import search_front  # compiles or loads the kernels

    limit, measure = problem.limits.errors, measures[1]
    with interruptible(run):
        front = search_front(
            Columns.of(problem), rules, measure.priced(), run,
            convex=not full and limit is None, max_errors=limit,
            on_states=_reporter(run, on_report),
        )  # fmt: skip
    points = _points(problem, measures, front, limit)
    if not full:
        points = [point for point in points if point.on_hull]
    return ParetoFront(
        problem=problem,
        measures=tuple(m.value for m in measures),
        points=tuple(points),
        solver="dpdt",
        full=full,
        exact=all(rule.kind == "all" for rule in rules) and run.stopped_by is None,
        generator=chosen,
        open=(),
        stopped_by=run.stopped_by,
        stats=front.stats,
    )


def _rules(
    problem: Problem, measures: tuple[Measure, ...], generator: str | TestGenerator
) -> tuple[Any, TestGenerator]:
    """Return the rules of a generator and the generator itself; refuse what the pass cannot do."""
    error = error_of(problem.dataset)
    if measures[0] is not error or [m.value for m in measures[1:]] not in _SECOND:
        raise ProblemError(
            f"One pass of dpdt sets '{error.value}' against one of {', '.join(COMPLEXITIES)}. Got "
            f"measures {', '.join(m.value for m in measures)}: name an exact solver, such as "
            'solver="dp".'
        )
    unsupported = problem.needs & _UNSUPPORTED
    chosen, depth = make_generator(generator), problem.limits.useful_depth
    if unsupported or not isinstance(chosen, CompiledGenerator):
        what = ", ".join(sorted(f.value for f in unsupported)) or f"the generator {chosen!r}"
        raise UnsupportedProblemError(
            f"One pass of dpdt does not support {what}. Give max_depth, and none of the other "
            "limits, or name an exact solver; a generator must have rules (see "
            "heuristics.generators)."
        )
    if isinstance(chosen, Automatic):
        chosen = chosen.at(depth)
    return chosen.rules(depth), chosen


def _reporter(
    run: Run, on_report: Callable[[FrontProgress], None] | None
) -> Callable[[int], None] | None:
    """Return what passes progress on at most once in `_REPORT_SECONDS`."""
    if on_report is None:
        return None
    told = run.elapsed

    def on_states(states: int) -> None:
        nonlocal told
        if run.elapsed - told >= _REPORT_SECONDS:
            told = run.elapsed
            on_report(FrontProgress(told, states, 0))

    return on_states


def _points(
    problem: Problem, measures: tuple[Measure, ...], front: Front, limit: int | None
) -> list[ParetoPoint]:
    """Build the points of the trees that a search has found."""
    data, (error, measure) = problem.dataset, measures
    counted = _counted(problem, measure, front)
    found = _undominated([(v, t) for v, t in counted if limit is None or v.errors <= limit])
    vertices = [vertex for vertex, _ in found]
    on_hull = hull_of(vertices)
    intervals = dict(zip(on_hull, hull_intervals([vertices[i] for i in on_hull]), strict=True))
    unit = error.worth(data) / measure.worth(data)  # of alpha
    points = []
    for i, (_, tree) in enumerate(found):
        if problem.violations(tree):
            continue
        amounts, alphas = tree.amounts(data), intervals.get(i)
        if alphas is not None:
            high = None if alphas[1] is None else alphas[1] * unit
            alphas = (alphas[0] * unit, high)
        values = {m.value: m.of(amounts, data) for m in measures}
        points.append(ParetoPoint(tree.fitted(data), values, alphas is not None, alphas))
    return points


def _counted(problem: Problem, measure: Measure, front: Front) -> Iterator[tuple[Vertex, Tree]]:
    """Yield the trees, and check each against the numbers that the search claims for it.

    Squared errors come from floats: exact ones take their place.
    """
    room = slack(problem)
    for i, vertex in enumerate(front.vertices):
        tree = front.tree(i)
        amounts = tree.amounts(problem.dataset)
        complexity = getattr(amounts, measure.amount) - measure.priced().nodes  # one leaf is free
        if abs(amounts.errors - vertex.errors) > room or complexity != vertex.complexity:
            raise InconsistentSolutionError(
                f"The search claims (errors, {measure.value}) = {vertex.errors, vertex.complexity};"
                f" its tree has {amounts.errors, complexity} on the data."
            )
        yield replace(vertex, errors=amounts.errors), tree


def _undominated(found: list[tuple[Vertex, Tree]]) -> list[tuple[Vertex, Tree]]:
    """Return the trees that no other beats, by rising error."""
    kept: list[tuple[Vertex, Tree]] = []
    for vertex, tree in sorted(found, key=lambda f: (f[0].errors, f[0].complexity)):
        if not kept or vertex.complexity < kept[-1][0].complexity:
            kept.append((vertex, tree))
    return kept
