"""How many false claims slip through verification, by the kind of lie.

Six solvers lie about 544 small problems (30 to 60 rows, three features, depth two or three) of
which dynamic programming knows the optimum. A lie is counted where the claim is in fact false; it
slips if `odt.solve` returns it instead of refusing.

    python -m benchmarks.profiles.lying_solvers [N]     # N problems instead
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

import odt
from odt import Solution, Status
from odt.model.capability import Need

OBJECTIVES = ("error", "error + 0.02*size", "error, size", "error + 0.05*expected_tests")
N_PROBLEMS = 544


@dataclass(frozen=True)
class Liar(odt.Solver):
    """Hands over a solution that somebody made up."""

    solution: Solution

    name: ClassVar[str] = "liar"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Need]] = odt.solver_class("dp").supports

    def solve(self, problem: odt.Problem, run: odt.Run) -> Solution:
        """Lie."""
        return self.solution


@dataclass(frozen=True, eq=False)
class Case:
    """A problem with its optimum."""

    problem: odt.Problem
    optimum: odt.Result
    seed: int

    @property
    def cost(self) -> int:
        """Cost of the optimum."""
        assert self.optimum.cost is not None
        return self.optimum.cost


def cases(n: int) -> Iterator[Case]:
    """Yield problems of two or three classes whose columns hold some noise."""
    for seed in range(n):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 8, (int(rng.integers(30, 61)), 3)).astype(float)
        rule = (X[:, 0] > 3).astype(int) + (X[:, 1] > X[:, 2]) * (seed % 2)
        y = np.where(rng.random(len(X)) < 0.2, rng.integers(0, 2 + seed % 2, len(X)), rule)
        shape = odt.Shape(max_depth=2 + seed % 3 // 2)
        problem = odt.Problem(odt.Dataset(X, y), OBJECTIVES[seed % len(OBJECTIVES)], shape)
        yield Case(problem, odt.solve(problem, "dp"), seed)


def _called_optimal(case: Case, tree: odt.Tree | None) -> Solution | None:
    """Claim that a tree is optimal; None if it is."""
    if tree is None or case.problem.violations(tree):
        return None
    cost = case.problem.cost(tree)
    return Solution(Status.OPTIMAL, tree, cost) if cost > case.cost else None


def half_of_the_tests(case: Case) -> Solution | None:
    """Solve with every second test only."""
    tests = odt.TestSet(case.problem.candidate_tests.tests[case.seed % 2 :: 2])
    return _called_optimal(case, odt.solve(replace(case.problem, tests=tests), "dp").tree)


def a_row_dropped(case: Case) -> Solution | None:
    """Solve without one example."""
    data = case.problem.dataset
    keep = np.arange(data.n_samples) != case.seed % data.n_samples
    fewer = odt.Dataset(data.X[keep], data.y[keep])
    if fewer.classes != tuple(range(data.n_classes)):
        return None
    return _called_optimal(case, odt.solve(replace(case.problem, dataset=fewer), "dp").tree)


def cart_called_optimal(case: Case) -> Solution | None:
    """Call the tree of CART optimal."""
    return _called_optimal(case, odt.solve(case.problem, "cart").tree)


def a_tree_and_a_bound_one_too_high(case: Case) -> Solution | None:
    """Give a tree that is not optimal, and the optimum plus one as bound."""
    tree = odt.Tree.leaf(int(np.bincount(case.problem.dataset.y).argmax()))
    for candidate in (odt.solve(case.problem, "cart").tree, tree):
        if candidate is not None and case.problem.cost(candidate) > case.cost:
            return Solution(Status.FEASIBLE, candidate, case.cost + 1)
    return None


def no_tree_and_a_bound_one_too_high(case: Case) -> Solution | None:
    """Give no tree, and the optimum plus one as bound."""
    return Solution(Status.UNKNOWN, None, case.cost + 1)


def infeasible_although_it_is_not(case: Case) -> Solution | None:
    """Say infeasible where some tree has just the error that is allowed."""
    return Solution(Status.INFEASIBLE)


LIES: tuple[Callable[[Case], Solution | None], ...] = (
    half_of_the_tests,
    a_row_dropped,
    cart_called_optimal,
    a_tree_and_a_bound_one_too_high,
    no_tree_and_a_bound_one_too_high,
    infeasible_although_it_is_not,
)


def limited(case: Case) -> odt.Problem:
    """Return the problem with a limit on the error that the optimum just keeps."""
    assert case.optimum.tree is not None
    error = case.optimum.tree.measures(case.problem.dataset)["error"]
    return replace(case.problem, shape=replace(case.problem.shape, max_error=error))


def slips(problem: odt.Problem, solution: Solution, **options: Any) -> bool:
    """Say whether a false claim is returned as if it were true."""
    try:
        odt.solve(problem, Liar(solution), **options)
    except odt.InconsistentSolutionError:
        return False
    return True


def measure(n: int, **options: Any) -> dict[str, tuple[int, int]]:
    """Return for each lie how many slipped, and how many there were."""
    slipped: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for case in cases(n):
        for lie in LIES:
            solution = lie(case)
            if solution is None:
                continue
            is_limited = lie is infeasible_although_it_is_not
            problem = limited(case) if is_limited else case.problem
            told[lie.__name__] += 1
            slipped[lie.__name__] += slips(problem, solution, **options)
    return {lie.__name__: (slipped[lie.__name__], told[lie.__name__]) for lie in LIES}


def main() -> None:
    """Print a table: slipped of told, without and with ``check``."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else N_PROBLEMS
    for check in (False, True):
        started = time.process_time()
        found = measure(n, check=check)
        print(f"check={check}, {time.process_time() - started:.0f} s CPU")
        for name, (slipped, told) in found.items():
            print(f"  {name.replace('_', ' '):34} {slipped:4} of {told}")


if __name__ == "__main__":
    main()
