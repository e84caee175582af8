"""DPDT: dynamic programming over a decision process with the tests of CARTs as actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd
from typing import ClassVar, NamedTuple

from heuristics.generators import make_generator
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.dp.solver import solve_mdp
from odt.engine.front.columns import Columns
from odt.engine.front.search import Front, complexity_fits, search_front
from odt.engine.squares import errors_within_rows, slack
from odt.mdp.generator import AllTests, CompiledGenerator, TestGenerator
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA, Amounts, Measure
from odt.model.problem import Problem

TOTALS = frozenset({Capability.MAX_ERROR, Capability.CONSISTENT, Capability.MAX_NODES})
"""Limits on the whole tree: the whole front is needed, not only its hull."""


@dataclass(frozen=True)
class Dpdt(Solver):
    """Best tree among those a test generator can build (Kohler, Akrour and Preux).

    Error or squared error, size, depth, expected tests (with test costs), mean explanation size,
    their sums and orders are solved by the compiled engine, also with a limit on the error, or on
    nodes where the objective prices neither tests nor explanations. Everything else, and generators
    that are plain functions, go to the general engine, which is far slower. Squared errors are
    added up in floats: with all tests the bound is a little below the tree, so that no proof
    that it is optimal follows.

    Parameters
    ----------
    generator : str or callable, default "auto"
        A name such as ``"cart_leaves(16)"`` or ``"DPDT-4"`` (see `heuristics.generators`), a
        generator object, or any function ``(mdp, state) -> tests``. ``"auto"`` is
        ``cart_leaves`` with 16 leaves up to depth 3, fewer for deeper trees.
    """

    generator: str | TestGenerator = "auto"

    name: ClassVar[str] = "dpdt"
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = (
        ADDITIVE
        | MAXIMA
        | COMBINATIONS
        | TESTS
        | LEAF_LIMITS
        | ERROR_LIMITS
        | {Capability.MAX_NODES, Capability.MAX_FEATURES, Measure.SQUARED_ERROR}
    )
    reference: ClassVar[str] = "Kohler, Akrour, Preux, arXiv 2309.12701"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve the restricted process; OPTIMAL only where the generator offers all tests."""
        generator, depth = make_generator(self.generator), problem.limits.useful_depth
        if not isinstance(generator, CompiledGenerator) or not is_compiled(problem):
            return solve_mdp(problem, run, None if isinstance(generator, AllTests) else generator)
        columns, rules = Columns.of(problem), generator.rules(depth)
        best: _Candidate | None = None
        stats: Mapping[str, int] = {}
        for cap in range(depth + 1) if problem.costs.prices.depth else [depth]:
            front = search_front(
                columns,
                rules[depth - cap :],
                prices_of(problem),
                run,
                convex=not problem.needs & TOTALS,
                max_errors=problem.limits.errors,
            )
            best, stats = _cheapest(problem, front, best), front.stats
        return _solution(problem, best, isinstance(generator, AllTests), run, stats)


def is_compiled(problem: Problem) -> bool:
    """Say whether the compiled engine can solve a problem; if not, the general one can."""
    costs, needs = problem.costs, problem.needs
    if Capability.MAX_FEATURES in needs or costs.prices.worst:
        return False
    if Capability.MAX_NODES in needs and (costs.prices.tests or costs.prices.explanation):
        return False  # a third criterion beside errors and complexity
    return complexity_fits(problem, prices_of(problem), problem.limits.useful_depth)


def prices_of(problem: Problem) -> Amounts:
    """Return the prices of complexity in an objective; where it has none they break ties.

    They are divided by what they have in common (see `common_price`), so that they stay small.
    """
    common = common_price(problem)
    if common:
        nodes, tests, explanation = (price // common for price in _complexity(problem))
        return Amounts(nodes=nodes, tests=tests, explanation=explanation)
    return Amounts(nodes=1) if Capability.MAX_NODES in problem.needs else Amounts(tests=1)


def common_price(problem: Problem) -> int:
    """Return the greatest common divisor of the prices of complexity; 0 if there are none."""
    return gcd(*_complexity(problem))


def _complexity(problem: Problem) -> tuple[int, int, int]:
    prices = problem.costs.prices
    return prices.nodes, prices.tests, prices.explanation


class _Candidate(NamedTuple):
    """A vertex with its cost; compared by cost, then complexity."""

    cost: int
    complexity: int
    vertex: int
    front: Front


def _cheapest(problem: Problem, front: Front, best: _Candidate | None) -> _Candidate | None:
    """Return the better of `best` and the cheapest vertex within the limits of the problem."""
    costs, limit = problem.costs, problem.limits.errors
    common = common_price(problem)
    for i, v in enumerate(front.vertices):
        too_large = (
            Capability.MAX_NODES in problem.needs and v.branches > problem.limits.useful_branches
        )
        if too_large or (limit is not None and v.errors > limit):
            continue
        cost = costs.prices.errors * v.errors + costs.prices.nodes + costs.prices.depth * v.depth
        found = _Candidate(cost + v.complexity * common, v.complexity, i, front)
        if best is None or found[:2] < best[:2]:
            best = found
    return best


def _solution(
    problem: Problem, best: _Candidate | None, exact: bool, run: Run, stats: Mapping[str, int]
) -> Solution:
    proved = exact and not run.should_stop()
    tree = None if best is None else best.front.tree(best.vertex)
    if best is None or tree is None or problem.violations(tree):  # not even a lone leaf may be
        return Solution(Status.INFEASIBLE if proved else Status.UNKNOWN, stats=stats)
    if not proved:
        return Solution(Status.FEASIBLE, tree, None, stats)
    prices = problem.costs.prices
    least = prices.errors * errors_within_rows(problem.dataset) + prices.nodes
    bound = max(best.cost - prices.errors * slack(problem), least)
    status = Status.OPTIMAL if bound == problem.cost(tree) else Status.FEASIBLE
    return Solution(status, tree, bound, stats)
