"""Every trade-off between error and complexity, each with its tree, from one search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from odt.core.run import Budget, Run
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
from odt.model.measure import MEASURES, Measure
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.solve import interruptible

if TYPE_CHECKING:
    from odt.engine.front.search import Front

COMPLEXITIES = tuple(
    measure.value for measure in (Measure.EXPECTED_TESTS, Measure.SIZE, Measure.EXPLANATION_SIZE)
)
"""Names of the measures that can be set against the error."""
_REPORT_SECONDS = 1.0
_UNSUPPORTED = STRUCTURE | {
    Capability.UNLIMITED_DEPTH,
    Capability.MAX_NODES,
    Capability.MAX_FEATURES,
}


@dataclass(frozen=True, eq=False)
class ParetoPoint:
    """A non-dominated tree.

    Attributes
    ----------
    tree : Tree
    error : float
        Misclassified share of the weight; for regression, the mean squared error.
    complexity : float
        In the unit of its measure (see `odt.Objective`).
    on_hull : bool
        Whether some price of complexity makes this tree a best one.
    alphas : (Fraction, Fraction or None) or None
        The prices alpha for which ``error + alpha * complexity`` is least here; None as upper
        end stands for infinity, None alone for a tree inside the hull.
    """

    tree: Tree
    error: float
    complexity: float
    on_hull: bool
    alphas: tuple[Fraction, Fraction | None] | None


class FrontProgress(NamedTuple):
    """How far a search is: seconds since it began, and states of the process solved so far."""

    time: float
    states: int


@dataclass(frozen=True, eq=False, repr=False)
class ParetoFront:
    """The non-dominated trees of a problem, the most accurate first.

    Attributes
    ----------
    problem : Problem
    complexity : str
        Name of the measure.
    points : tuple of ParetoPoint
    generator : TestGenerator
        Which tests a state offered.
    exact : bool
        Whether no tree within the limits was left out: all tests were actions and the search was
        not stopped. Otherwise the points are best among the trees that the generator offers.
    stopped_by : str or None
        ``"time"``, ``"memory"`` or ``"interrupt"``.
    stats : mapping
        States, memo hits and more.
    """

    problem: Problem
    complexity: str
    points: tuple[ParetoPoint, ...]
    generator: TestGenerator
    exact: bool
    stopped_by: str | None
    stats: Mapping[str, int]

    def __repr__(self) -> str:
        scope = "of all trees" if self.exact else f"of the trees that {self.generator} offers"
        stop = f", stopped by {self.stopped_by}" if self.stopped_by else ""
        what = f"{len(self.points)} points, {self.error_name} against {self.complexity}"
        return f"ParetoFront({what}, {scope}{stop})"

    @property
    def error_name(self) -> str:
        """Name of the measure of errors: ``"error"``, or ``"squared_error"`` for regression."""
        return str(_error(self.problem).value)

    @property
    def hull(self) -> tuple[ParetoPoint, ...]:
        """The points that are best for some price of complexity."""
        return tuple(point for point in self.points if point.on_hull)

    def best(self, alpha: float | Fraction) -> ParetoPoint:
        """Return the point of least ``error + alpha * complexity``, the simpler one of equals.

        Parameters
        ----------
        alpha : float or Fraction
            At least 0.

        Raises
        ------
        ProblemError
            For a negative price, or if the front has no point.
        """
        if not self.points:
            raise ProblemError("The front is empty: no tree within the limits was found.")
        if alpha < 0:
            raise ProblemError(f"'alpha' must be at least 0. Got {alpha!r} instead.")
        if alpha == 0:
            return self.points[0]
        at_least = [p for p in self.hull if p.alphas is not None and p.alphas[0] <= alpha]
        return at_least[-1]

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each point."""
        import pandas as pd

        def end(alphas: tuple[Fraction, Fraction | None] | None, i: int) -> float | None:
            if alphas is None:
                return None
            value = alphas[i]
            return float("inf") if value is None else float(value)

        rows = [
            {
                "error": p.error,
                self.complexity: p.complexity,
                "branches": p.tree.n_branches,
                "depth": p.tree.depth,
                "on_hull": p.on_hull,
                "alpha_from": end(p.alphas, 0),
                "alpha_to": end(p.alphas, 1),
            }
            for p in self.points
        ]
        return pd.DataFrame(rows)

    def _repr_html_(self) -> str:
        from odt.draw.html import front_html

        return front_html(self)


def pareto(
    problem: Problem,
    complexity: str = "expected_tests",
    *,
    generator: str | TestGenerator = "auto",
    full: bool = False,
    budget: Budget | None = None,
    on_report: Callable[[FrontProgress], None] | None = None,
) -> ParetoFront:
    """Return the trees that no other beats in both error and complexity.

    The objective of the problem is not used; its data, tests and limits are. Kohler, Akrour and
    Preux (arXiv 2309.12701) solve their decision process for a grid of prices; here one backward
    pass keeps the exact lower hull of every state, so all prices are answered at once.

    Parameters
    ----------
    problem : Problem
        With a ``max_depth``; limits on nodes, leaves and features are not supported.
    complexity : {"expected_tests", "size", "explanation_size"}, default "expected_tests"
        With test costs, the expected cost.
    generator : str or generator, default "auto"
        Restricts the tests of a state, such as ``"cart_leaves(16)"``. ``"auto"`` is what `dpdt`
        uses; ``"all"`` is exact, and for small data only.
    full : bool, default False
        Return all non-dominated trees, also those that no price makes best. Takes longer.
    budget : Budget, optional
        When it is used up, or on Ctrl-C, open states are closed greedily.
    on_report : callable, optional
        Called with a `FrontProgress` about once a second.

    Raises
    ------
    ProblemError
        For an unknown measure or generator, or if the complexity exceeds 62 bits.
    UnsupportedProblemError
        For limits that a front cannot keep, or a generator that is a plain function.
    """
    if complexity not in COMPLEXITIES:
        raise ProblemError(
            f"'complexity' must be one of {', '.join(COMPLEXITIES)}. Got {complexity!r} instead."
        )
    measure = MEASURES[complexity]
    unsupported = problem.needs & _UNSUPPORTED
    chosen, depth = make_generator(generator), problem.limits.useful_depth
    if unsupported or not isinstance(chosen, CompiledGenerator):
        what = ", ".join(sorted(f.value for f in unsupported)) or f"the generator {chosen!r}"
        raise UnsupportedProblemError(
            f"pareto does not support {what}. Give max_depth, and none of the other limits; a "
            "generator must have rules (see heuristics.generators)."
        )
    from odt.engine.front.search import search_front  # compiles or loads the kernels

    run = Run(problem, budget)
    limit = problem.limits.errors
    if isinstance(chosen, Automatic):
        chosen = chosen.at(depth)
    rules = chosen.rules(depth)
    with interruptible(run):
        front = search_front(
            Columns.of(problem), rules, measure.priced(), run,
            convex=not full and limit is None, max_errors=limit,
            on_states=_reporter(run, on_report),
        )  # fmt: skip
    points = _points(problem, measure, front, limit)
    if not full:
        points = [point for point in points if point.on_hull]
    exact = all(rule.kind == "all" for rule in rules) and run.stopped_by is None
    return ParetoFront(
        problem, complexity, tuple(points), chosen, exact, run.stopped_by, front.stats
    )


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
            on_report(FrontProgress(told, states))

    return on_states


def _error(problem: Problem) -> Measure:
    return Measure.ERROR if problem.dataset.targets is None else Measure.SQUARED_ERROR


def _points(
    problem: Problem, measure: Measure, front: Front, limit: int | None
) -> list[ParetoPoint]:
    """Build the points of the trees that a search has found."""
    data = problem.dataset
    error = _error(problem)
    counted = _counted(problem, measure, front)
    found = _undominated([(v, t) for v, t in counted if limit is None or v.errors <= limit])
    vertices = [vertex for vertex, _ in found]
    on_hull = hull_of(vertices)
    intervals = dict(zip(on_hull, hull_intervals([vertices[i] for i in on_hull]), strict=True))
    unit = error.worth(data) / measure.worth(data)  # of alpha
    points = []
    for i, (vertex, tree) in enumerate(found):
        if problem.violations(tree):
            continue
        alphas = intervals.get(i)
        if alphas is not None:
            high = None if alphas[1] is None else alphas[1] * unit
            alphas = (alphas[0] * unit, high)
        amount = vertex.complexity + measure.priced().nodes
        points.append(
            ParetoPoint(
                tree.fitted(data),
                error.of(error.priced(vertex.errors), data),
                measure.of(measure.priced(amount), data),
                alphas is not None,
                alphas,
            )
        )
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
