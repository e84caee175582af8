"""Exact solvers agree with enumeration for every measure, sum and order."""

from __future__ import annotations

import pytest

import odt
from odt.engine.brute_force import all_trees, allowed_amounts
from odt.errors import Stopped
from odt.model.problem import Problem
from odt.testing import random_problem, with_every_objective


def _check_dp(seeds: range, max_rows: int) -> int:
    """Solve every objective on every seed by dp; return how many had a tree."""
    feasible = 0
    for seed in seeds:
        base = random_problem(seed, structure=seed % 2 == 1, max_rows=max_rows)
        totals = [t for t, _ in allowed_amounts(base)]
        for problem in with_every_objective(base):
            optimum = min(map(problem.costs.of, totals), default=None)
            result = odt.solve(problem, "dp")
            context = f"seed {seed}, {problem.objective}, {problem.shape}"
            assert result.cost == result.cost_bound == optimum, context
            feasible += optimum is not None
    return feasible


def test_dp_equals_enumeration() -> None:
    """Dp proves the enumerated optimum on 150 problems x 19 objectives, to the last unit."""
    assert _check_dp(range(150), max_rows=9) > 2000


@pytest.mark.slow
def test_dp_equals_enumeration_on_many_problems() -> None:
    """The same on 1500 problems with more rows."""
    assert _check_dp(range(1000, 2500), max_rows=12) > 20000


def test_enumerated_totals_are_those_of_the_trees() -> None:
    """The oracle's bookkeeping equals the totals that trees compute from the raw rows."""
    for seed in range(80):
        problem = random_problem(seed, structure=True)
        for totals, tree in allowed_amounts(problem):
            assert tree.amounts(problem.dataset) == totals
            assert problem.violations(tree) == []


def _all_trees_literally(problem: Problem, depth: int) -> list[odt.Tree]:
    leaves = [odt.Tree.leaf(label) for label in range(problem.dataset.n_classes)]
    if depth == 0:
        return leaves
    below = _all_trees_literally(problem, depth - 1)
    return leaves + [
        odt.Tree.branch(test, left, right)
        for test in problem.candidate_tests
        for left in below
        for right in below
    ]


def test_enumeration_misses_no_tree() -> None:
    """Literally all labelled trees of depth <= 2, evaluated one by one, have the same optimum."""
    checked = 0
    for seed in range(200):
        base = random_problem(seed, structure=True, max_rows=5)
        n_trees = _count(len(base.candidate_tests), base.dataset.n_classes, base.max_depth)
        if base.max_depth > 2 or n_trees > 1500:
            continue
        trees = _all_trees_literally(base, base.max_depth)
        totals = [t.amounts(base.dataset) for t in trees if not base.violations(t)]
        for problem in with_every_objective(base):
            optimum = min(map(problem.costs.of, totals), default=None)
            assert odt.solve(problem, "brute-force").cost == optimum
        checked += 1
    assert checked > 60


def _count(tests: int, classes: int, depth: int) -> int:
    return classes if depth == 0 else classes + tests * _count(tests, classes, depth - 1) ** 2


def test_all_trees_respects_a_stop() -> None:
    """Enumeration gives up when the run must stop instead of ignoring the limit."""
    problem = random_problem(3)
    run = odt.Run(problem)
    run.interrupt()
    with pytest.raises(Stopped):
        all_trees(problem, run.should_stop)
