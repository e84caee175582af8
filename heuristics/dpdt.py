"""DPDT: dynamic programming over a decision process with the tests of CARTs as actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from heuristics.generators import CartLeaves, make_generator
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.engine.dp.solver import solve_mdp
from odt.engine.front.columns import Columns
from odt.engine.front.search import Front, complexity_fits, search_front
from odt.mdp.generator import AllTests, CompiledGenerator, TestGenerator
from odt.model.capability import (
    COMBINATIONS,
    ERROR_LIMITS,
    LEAF_LIMITS,
    TESTS,
    Capability,
    Need,
)
from odt.model.measure import ADDITIVE, MAXIMA, Amounts
from odt.model.problem import Problem

TOTALS = frozenset({Capability.MAX_ERROR, Capability.CONSISTENT, Capability.MAX_NODES})
"""Limits on the whole tree: the whole front is needed, not only its hull."""
AUTOMATIC: Mapping[int, int] = {1: 16, 2: 16, 3: 16, 4: 12, 5: 8}


@dataclass(frozen=True)
class Dpdt(Solver):
    """Best tree among those a test generator can build (Kohler, Akrour and Preux).

    Error, size, depth, expected tests (with test costs), mean explanation size, their sums and
    orders are solved by the compiled engine, also with a limit on the error, or on nodes where
    the objective prices neither tests nor explanations. Everything else, and generators that are
    plain functions, go to the general engine, which is far slower.

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
        | {Capability.MAX_NODES, Capability.MAX_FEATURES}
    )
    reference: ClassVar[str] = "Kohler, Akrour, Preux, arXiv 2309.12701"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve the restricted process; OPTIMAL only where the generator offers all tests."""
        generator, depth = self._generator(problem.limits.useful_depth), problem.limits.useful_depth
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

    def _generator(self, depth: int) -> TestGenerator:
        if self.generator == "auto":
            leaves = AUTOMATIC.get(depth)
            return CartLeaves(leaves if leaves else (6, 6, 6, 4, 4))
        return make_generator(self.generator)


def is_compiled(problem: Problem) -> bool:
    """Say whether the compiled engine can solve a problem; if not, the general one can."""
    costs, needs = problem.costs, problem.needs
    if Capability.MAX_FEATURES in needs or costs.prices.worst:
        return False
    if Capability.MAX_NODES in needs and (costs.prices.tests or costs.prices.explanation):
        return False  # a third criterion beside errors and complexity
    return complexity_fits(problem, prices_of(problem), problem.limits.useful_depth)


def prices_of(problem: Problem) -> Amounts:
    """Return the prices of complexity in an objective; where it has none they break ties."""
    costs = problem.costs
    if costs.prices.nodes or costs.prices.tests or costs.prices.explanation:
        return costs.prices
    return Amounts(nodes=1) if Capability.MAX_NODES in problem.needs else Amounts(tests=1)


class _Candidate(NamedTuple):
    """A vertex with its cost; compared by cost, then complexity."""

    cost: int
    complexity: int
    vertex: int
    front: Front


def _cheapest(problem: Problem, front: Front, best: _Candidate | None) -> _Candidate | None:
    """Return the better of `best` and the cheapest vertex within the limits of the problem."""
    costs, limit = problem.costs, problem.limits.errors
    counts = bool(costs.prices.nodes or costs.prices.tests or costs.prices.explanation)
    for i, v in enumerate(front.vertices):
        too_large = (
            Capability.MAX_NODES in problem.needs and v.branches > problem.limits.useful_branches
        )
        if too_large or (limit is not None and v.errors > limit):
            continue
        cost = costs.prices.errors * v.errors + costs.prices.nodes + costs.prices.depth * v.depth
        found = _Candidate(cost + v.complexity * counts, v.complexity, i, front)
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
    if proved:
        return Solution(Status.OPTIMAL, tree, best.cost, stats)
    return Solution(Status.FEASIBLE, tree, None, stats)
