"""DPDT: dynamic programming over a decision process with the tests of CARTs as actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from heuristics.generators import CartLeaves, make_generator
from odt.engine.columns import Columns, Prices
from odt.engine.dp import solve_mdp
from odt.engine.fronts import Front, complexity_fits, search_front
from odt.features import ALL, STRUCTURE, Feature
from odt.mdp.generator import AllTests, CompiledGenerator, TestGenerator
from odt.problem import Problem
from odt.run import Run
from odt.solver import Solution, Solver, Status

GENERIC = frozenset(
    {Feature.DEPTH, Feature.WORST_EXPLANATION, Feature.MAX_NODES, Feature.MAX_FEATURES}
)
"""What the compiled engine cannot do; the general engine over `TreeMDP` takes over."""
TOTAL_ERROR = frozenset({Feature.MAX_ERROR, Feature.CONSISTENT})
AUTOMATIC: Mapping[int, int] = {1: 16, 2: 16, 3: 16, 4: 8, 5: 5}


@dataclass(frozen=True)
class Dpdt(Solver):
    """Best tree among those a test generator can build (Kohler, Akrour and Preux).

    Error, size, expected tests (with test costs), mean explanation size, their sums and orders,
    and a limit on the error are solved by the compiled engine; other measures and limits, and
    generators that are plain functions, by the general one, which is far slower.

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
    supports: ClassVar[frozenset[Feature]] = ALL - STRUCTURE - {Feature.UNLIMITED_DEPTH}
    reference: ClassVar[str] = "Kohler, Akrour, Preux, arXiv 2309.12701"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Solve the restricted process; OPTIMAL only where the generator offers all tests."""
        generator = self._generator(problem.max_depth)
        prices = prices_of(problem)
        if (
            not isinstance(generator, CompiledGenerator)
            or problem.needs & GENERIC
            or not complexity_fits(problem, prices, problem.max_depth)
        ):
            return solve_mdp(problem, run, None if isinstance(generator, AllTests) else generator)
        front = search_front(
            Columns.of(problem),
            generator.rules(problem.max_depth),
            prices,
            run,
            convex=not problem.needs & TOTAL_ERROR,
            max_errors=problem.max_errors,
        )
        proved = isinstance(generator, AllTests) and not run.should_stop()
        return _solution(problem, front, proved)

    def _generator(self, depth: int) -> TestGenerator:
        if self.generator == "auto":
            leaves = AUTOMATIC.get(depth)
            return CartLeaves(leaves if leaves else (4,) * 5)
        return make_generator(self.generator)


def prices_of(problem: Problem) -> Prices:
    """Return the prices of complexity in an objective; tests break ties where it has none."""
    costs = problem.costs
    if costs.node or costs.test or costs.explanation:
        return Prices(2 * costs.node, costs.test, costs.explanation)
    return Prices(test=1)


def _solution(problem: Problem, front: Front, proved: bool) -> Solution:
    """Return the cheapest vertex within the limits of the problem."""
    costs, limit = problem.costs, problem.max_errors
    counts = bool(costs.node or costs.test or costs.explanation)
    priced = [
        (costs.error * v.errors + (v.complexity if counts else 0) + costs.node, v.complexity, i)
        for i, v in enumerate(front.vertices)
        if limit is None or v.errors <= limit
    ]
    failed = Solution(Status.INFEASIBLE if proved else Status.UNKNOWN, stats=front.stats)
    if not priced:
        return failed
    cost, _, best = min(priced)
    tree = front.tree(best)
    if problem.violations(tree):  # the data is too small even for a lone leaf
        return failed
    status = Status.OPTIMAL if proved else Status.FEASIBLE
    return Solution(status, tree, cost if proved else None, front.stats)
