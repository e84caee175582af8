"""Every solver agrees with an enumeration that shares nothing with it, reductions on and off.

The share in the default suite takes the seeds that once found a fault besides the first few; the
slow tests run 2,000 problems for each fast solver and 200 for each slow one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import pytest

import odt
from odt import Status
from odt.core.registry import make_solver
from odt.model.capability import Capability, Need
from odt.model.compiled import Representatives, compile_tests
from odt.model.measure import Measure
from odt.testing import enumerated_optimum, varied_problem

FAST = {"and-or", "brute-force", "cart", "cp-sat", "dp", "dpdt", "fpt", "maxsat", "min-size"}
"""Solvers that take milliseconds for such a problem; the others start a linear solver."""

OPTIONS: dict[str, dict[str, Any]] = {"dpdt": {"generator": "all"}}
"""With all tests DPDT is exact, and its kernels can be wrong."""


@dataclass(frozen=True)
class Focus:
    """A narrow kind of problem that finds a known kind of fault."""

    solver: str
    supports: frozenset[Need]
    max_rows: int
    max_columns: int
    seeds: tuple[int, ...]
    kind: str


FOCUSES = (
    Focus("cp-sat", frozenset({Measure.ERROR, Capability.MIN_WEIGHT_LEAF}), 9, 3, (1312,),
          "leaf weights of 2**40 units, which presolve multiplies"),
    Focus("bin-oct", frozenset({Measure.SIZE, Capability.CLASS_ERROR}), 6, 3,
          (14, 17, 44, 70, 136, 160, 177, 184), "big-M rows over weights of 2**40 units"),
    Focus("dpdt", frozenset({Measure.ERROR, Measure.EXPLANATION_SIZE, Capability.LEXICOGRAPHIC}),
          9, 5, (64,), "sets of features that are taken for each other"),
    *(Focus(name, frozenset({Measure.SIZE, Capability.CONSISTENT, Capability.FIXED_TESTS}), 6, 2,
            (105, 156, 188, 308, 336, 385), "given tests that dominate each other")
      for name in ("dp", "min-size")),
)  # fmt: skip


def value(problem: odt.Problem, cost: int | None) -> tuple[Fraction, ...] | None:
    """Return a cost as the exact value of each level."""
    if cost is None:
        return None
    levels = zip(problem.costs.level_costs(cost), problem.costs.levels, strict=True)
    return tuple(digit * level.step for digit, level in levels)


def unreduced(problem: odt.Problem) -> odt.Problem:
    """Return the problem with all tests that separate something, dominated and equal ones too."""
    same = odt.Problem(problem.dataset, problem.objective, problem.shape, problem.tests)
    every = compile_tests(problem.dataset, problem.candidate_tests, Representatives.ALL)
    vars(same)["compiled"] = every  # what the cached property would compute, without reductions
    return same


def without_reductions(solver: odt.Solver) -> odt.Solver:
    """Return the solver with every option off that is a switch and on by default."""
    switches = {f.name: False for f in fields(solver) if f.init and f.default is True}  # type: ignore[arg-type]
    return make_solver(solver.name, OPTIONS.get(solver.name, {}) | switches)


def outcome(problem: odt.Problem, solver: odt.Solver, context: str) -> str:
    """Solve, compare with enumeration, and say what became of it."""
    try:
        result = odt.solve(problem, solver)
    except odt.UnsupportedProblemError:
        return "refused"
    optimum, found = enumerated_optimum(problem), value(problem, result.cost)
    context = f"{context}: {result.status.value} {found}, not {optimum}, {problem.objective}"
    if found is not None:
        assert optimum is not None, context
        assert found >= optimum, context
    if result.status is Status.OPTIMAL:
        assert found == optimum, context
    if result.status is Status.INFEASIBLE:
        assert optimum is None, context
    bound = value(problem, result.cost_bound)
    assert bound is None or optimum is None or bound <= optimum, context
    if result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return "proved"
    return "undecided"


def check(name: str, seeds: Iterable[int]) -> None:
    """Run a solver on problems it supports, every second time without any reduction."""
    solver = make_solver(name, OPTIONS.get(name, {}))
    bare = without_reductions(solver)
    seen: Counter[str] = Counter()
    for seed in seeds:
        problem = varied_problem(seed, solver.supports)
        off = seed % 2 == 1
        chosen, posed = (bare, unreduced(problem)) if off else (solver, problem)
        seen[
            outcome(posed, chosen, f"{name}, seed {seed}, reductions {'off' if off else 'on'}")
        ] += 1
    if solver.exact or name == "dpdt":
        decided = seen["proved"] + seen["undecided"]
        assert seen["proved"] >= 0.98 * decided > 0, seen


def test_agrees_with_enumeration(solver_name: str) -> None:
    """A share of the slow test: few problems of every kind for every registered solver."""
    check(solver_name, range(60 if solver_name in FAST else 12))


@pytest.mark.parametrize("focus", FOCUSES, ids=lambda focus: f"{focus.solver}-{focus.kind}")
def test_seeds_that_found_a_fault_find_none(focus: Focus) -> None:
    """Each kind of wrong optimum that was ever reported, on the seeds that showed it."""
    solver = make_solver(focus.solver, OPTIONS.get(focus.solver, {}))
    for seed in focus.seeds:
        problem = varied_problem(
            seed, focus.supports, max_rows=focus.max_rows, max_columns=focus.max_columns
        )
        outcome(problem, solver, f"{focus.solver}, seed {seed}")


@pytest.mark.slow
def test_agrees_with_enumeration_on_many_problems(solver_name: str) -> None:
    """2,000 problems for a fast solver, 200 for a slow one."""
    check(solver_name, range(2000 if solver_name in FAST else 200))


@pytest.mark.slow
@pytest.mark.parametrize("focus", FOCUSES, ids=lambda focus: f"{focus.solver}-{focus.kind}")
def test_many_problems_of_a_kind_that_once_failed(focus: Focus) -> None:
    """The same kinds of problems with 400 or 2,000 seeds."""
    solver = make_solver(focus.solver, OPTIONS.get(focus.solver, {}))
    for seed in range(2000 if focus.solver in FAST else 400):
        problem = varied_problem(
            seed, focus.supports, max_rows=focus.max_rows, max_columns=focus.max_columns
        )
        outcome(problem, solver, f"{focus.solver}, seed {seed}")
