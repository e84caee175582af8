"""What every solver must pass: subclass `SolverConformance` in your own test suite."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import ClassVar

from odt.core.result import Result
from odt.core.run import Budget
from odt.core.solver import Solver, Status
from odt.engine.brute_force import BruteForce
from odt.model.problem import Problem
from odt.solve import solve
from odt.testing.instances import INSTANCES
from odt.testing.random_problems import OBJECTIVES, random_problem


class SolverConformance:
    """Conformance tests of one solver, collected by pytest from a subclass.

    Set ``solver`` to the object to test::

        class TestMine(SolverConformance):
            solver = MySolver()

    Problems that need more than ``solver.supports`` are left out; every other one must be solved.

    Attributes
    ----------
    solver : Solver
    n_problems : int
        How many random problems to solve.
    """

    __test__: ClassVar[bool] = False
    solver: ClassVar[Solver]
    n_problems: ClassVar[int] = 60

    def __init_subclass__(cls) -> None:
        cls.__test__ = True

    def random_problems(self) -> Iterator[Problem]:
        """Yield ``n_problems`` random problems that the solver supports."""
        found = seed = 0
        while found < self.n_problems and seed < 40 * self.n_problems:
            objective = OBJECTIVES[seed % len(OBJECTIVES)]
            problem = random_problem(seed, objective=objective, structure=seed % 2 == 1)
            seed += 1
            if problem.needs <= self.solver.supports:
                found += 1
                yield problem

    def test_agrees_with_brute_force(self) -> None:
        """An exact solver proves the enumerated optimum; a heuristic never claims to beat it."""
        solved = 0
        for problem in self.random_problems():
            self.check(problem, solve(problem, BruteForce()), solve(problem, self.solver))
            solved += 1
        assert solved, f"no random problem suits {self.solver.name}: check its 'supports'"

    def test_known_optima(self) -> None:
        """The instances solved by hand come out as computed there."""
        for known in INSTANCES:
            if not known.problem.needs <= self.solver.supports:
                continue
            result = solve(known.problem, self.solver)
            if known.optimum is None:
                assert result.tree is None, known.name
                continue
            costs = known.problem.costs
            digits = [v / level.step for v, level in zip(known.optimum, costs.levels, strict=True)]
            optimum = int(sum(r * d for r, d in zip(costs.radices, digits, strict=True)))
            if self.solver.exact:
                assert result.status is Status.OPTIMAL, known.name
                assert result.cost == optimum, (known.name, result.objective)
            elif result.cost is not None:
                assert result.cost >= optimum, known.name

    def test_is_deterministic(self) -> None:
        """Two runs with the same seed give the same tree and the same bound."""
        for problem in list(self.random_problems())[:8]:
            first, second = solve(problem, self.solver), solve(problem, self.solver)
            assert first.tree == second.tree
            assert first.cost_bound == second.cost_bound

    def test_never_worse_than_the_initial_tree(self) -> None:
        """A given tree is the first incumbent and is never lost."""
        for problem in list(self.random_problems())[:8]:
            best = solve(problem, BruteForce())
            if best.tree is None:
                continue
            result = solve(problem, self.solver, initial=best.tree)
            assert result.cost == best.cost

    def test_time_limit_holds(self) -> None:
        """A tiny time limit ends the run soon, without an error and without a false claim."""
        problem = next(self.random_problems())
        optimum = solve(problem, BruteForce())
        started = time.perf_counter()
        result = solve(problem, self.solver, budget=Budget(time_limit=1e-6))
        assert time.perf_counter() - started < 5
        if result.cost is not None and optimum.cost is not None:
            assert (result.cost_bound or 0) <= optimum.cost <= result.cost

    def check(self, problem: Problem, optimum: Result, result: Result) -> None:
        """Compare a result with the optimum of the same problem."""
        context = f"{self.solver.name} on {problem.objective} within {problem.shape}"
        if result.tree is not None:
            assert optimum.cost is not None, context
            assert result.cost is not None, context
            assert result.cost >= optimum.cost, context
            result.certificate()
        if result.cost_bound is not None and optimum.cost is not None:
            assert result.cost_bound <= optimum.cost, context
        if self.solver.exact:
            assert result.status is optimum.status, f"{context}: {result.status}"
            assert result.cost == optimum.cost, f"{context}: {result.cost}, not {optimum.cost}"
