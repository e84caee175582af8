"""What all linear formulations must do, each over the same problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from formulations.linear.base import LinearFormulation
from formulations.model import Goal, limits_of
from formulations.tree.initial import greedy_tree
from odt import (
    Dataset,
    InconsistentSolutionError,
    Problem,
    ProblemError,
    Shape,
    Status,
    Tree,
    UnsupportedProblemError,
    solve,
)
from odt.core.registry import make_solver, solver_class, solver_names
from odt.testing import OBJECTIVES, random_problem
from odt.testing.instances import SIX_ROWS

LINEAR = [name for name in solver_names() if issubclass(solver_class(name), LinearFormulation)]


def first_model(solver: Any, problem: Problem) -> Any:
    """Return the model of a problem's first goal."""
    return solver.build(
        problem, Goal(solver.first_prices(problem), limits_of(problem)), lambda: False
    )


def supported(solver: Any, seeds: range) -> list[tuple[int, Problem]]:
    """Return random problems that a solver supports, of every objective and limit, with seeds."""
    problems = [
        (
            seed,
            random_problem(
                seed, objective=OBJECTIVES[seed % len(OBJECTIVES)], structure=seed % 2 == 1
            ),
        )
        for seed in seeds
    ]
    found = [(seed, problem) for seed, problem in problems if problem.needs <= solver.supports]
    assert found, f"{solver.name} supports none of the problems {seeds}: the test would be empty"
    return found


def test_all_are_here() -> None:
    """The table holds the formulations of the plan."""
    expected = "and-or benders-oct bin-oct flow-oct flow-stump oct oct-q paths"
    assert set(expected.split()) <= set(LINEAR)


def check_encoded(solver: Any, problem: Problem, tree: Tree, seed: int) -> None:
    """Check that ``tree`` as values keeps all rows, costs no more, and comes back."""
    try:
        model = first_model(solver, problem)
    except UnsupportedProblemError:  # and-or has no single program for a maximum
        return
    values = model.encode(tree)
    assert values is not None, seed
    assert model.program.broken(values) == [], seed
    prices = solver.first_prices(problem)
    back = model.decode(values).amounts(problem.dataset)
    given = tree.amounts(problem.dataset)
    as_cost = [sum(p * t for p, t in zip(prices, x, strict=True)) for x in (back, given)]
    assert as_cost[0] <= round(float(model.program.cost(values))) <= as_cost[1], seed


@pytest.mark.parametrize("name", LINEAR)
def test_encoded_trees_satisfy_the_model_at_their_cost(name: str) -> None:
    """A greedy and an optimal tree, written as values, keep all rows at no more than their cost."""
    solver = make_solver(name, {})
    for seed, problem in supported(solver, range(60)):
        for tree in (greedy_tree(problem, lambda: False), solve(problem, "dp").tree):
            if tree is not None:
                check_encoded(solver, problem, tree, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINEAR)
def test_agrees_with_dp_on_many_problems(name: str) -> None:
    """300 problems with every measure, sum and order, and every limit the solver supports."""
    solver = make_solver(name, {})
    for seed, problem in supported(solver, range(5000, 5000 + 900))[:300]:
        result = solve(problem, solver)
        assert result.cost == solve(problem, "dp").cost, seed
        assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)


@pytest.mark.parametrize("name", LINEAR)
def test_levels_in_turn_equal_one_number(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lexicographic order solved level by level gives the same cost, limits included."""
    solver = make_solver(name, {})
    orders = [text for text in OBJECTIVES if "," in text]
    tried = 0
    for seed in range(400, 424):
        problem = random_problem(seed, objective=orders[seed % len(orders)])
        largest = max(level.upper for level in problem.costs.levels)
        if problem.needs <= solver.supports and problem.costs.upper > largest:
            monkeypatch.setattr(type(solver), "largest_cost", largest)
            assert solve(problem, solver).cost == solve(problem, "dp").cost
            tried += 1
    assert tried


@pytest.mark.parametrize("backend", ["highs", "highs-ipm", "scip", "cbc"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_backends_agree(backend: str) -> None:
    """Every backend proves the same optimum, or that there is none."""
    for name in ("flow-oct", "and-or"):
        solver = make_solver(f"{name}[{backend}]", {})
        for seed, problem in supported(solver, range(100, 112)):
            result = solve(problem, solver)
            assert result.cost == solve(problem, "dp").cost, seed
            assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)


@pytest.mark.parametrize("name", LINEAR)
def test_swapped_children_are_refused(name: str) -> None:
    """If decode swaps the children of the root, no claim of optimality survives."""
    kind = solver_class(name)

    @dataclass(frozen=True)
    class Swapped(kind):  # type: ignore[misc, valid-type]
        def build(self, *args: Any) -> Any:
            model = super().build(*args)
            decode = model.decode

            def mirrored(values: Any) -> Tree:
                tree = decode(values)
                if tree.tests[0] is None:
                    return tree
                left, right = int(tree.left[0]), int(tree.right[0])
                return Tree.branch(tree.tests[0], tree.subtree(right), tree.subtree(left))

            model.decode = mirrored
            return model

    if name == "and-or":
        pytest.skip("solves without build; see test_and_or.py")
    data = Dataset([[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 1, 1])
    with pytest.raises(InconsistentSolutionError):
        solve(Problem(data, "error", Shape(max_depth=1)), Swapped(start="none"))


def capped_problem(seed: int) -> Problem:
    """Return a small problem with a limit on the error, another objective and costs of tests."""
    rng = np.random.default_rng([5, seed])
    n, p = int(rng.integers(6, 13)), int(rng.integers(2, 5))
    X = np.column_stack([rng.integers(0, int(rng.integers(2, 4)), n) for _ in range(p)])
    weights = rng.integers(1, 4, n).astype(float)
    data = Dataset(X, rng.integers(0, 2, n), weights, test_costs=rng.choice([0.5, 1.0, 3.0], p))
    objective = ("expected_tests", "size", "explanation_size", "depth")[seed % 4]
    shape = Shape(max_depth=2 + seed % 2, max_error=float(rng.choice([0.1, 0.2])))
    return Problem(data, objective, shape)


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 200), marks=pytest.mark.slow)], ids=str
)
def test_agrees_with_dp_under_a_limit_on_errors(name: str, seeds: range) -> None:
    """Programs in which presolve of HiGHS 1.16 goes wrong most: a row that limits the errors."""
    solver = make_solver(name, {})
    problems = {seed: capped_problem(seed) for seed in seeds}
    within = {seed: p for seed, p in problems.items() if p.needs <= solver.supports}
    assert within
    for seed, problem in within.items():
        assert solve(problem, solver).cost == solve(problem, "dp").cost, seed


@pytest.mark.parametrize("name", LINEAR)
def test_thresholds_inside_a_class_matter(name: str) -> None:
    """Without thresholds between rows of one class, this instance would have an error."""
    assert solve(Problem(SIX_ROWS, "error", Shape(max_depth=2)), name).cost == 0


@pytest.mark.parametrize(
    "options", [{"dominance": False}, {"symmetry": False}, {"cutoff": True}, {"lookahead": True}]
)
@pytest.mark.parametrize("name", ["flow-oct", "flow-stump"])
def test_strength_changes_no_optimum(name: str, options: dict[str, bool]) -> None:
    """Rows for dominance and symmetry, and the cutoff, can be switched and never cut optima off."""
    solver = make_solver(name, options)
    for seed, problem in supported(solver, range(200, 220)):
        assert solve(problem, solver).cost == solve(problem, "dp").cost, seed


def test_benders_at_fractions() -> None:
    """Cuts at fractional solutions too: the same optima."""
    solver = make_solver("benders-oct", {"fractional": True})
    for seed, problem in supported(solver, range(300, 360)):
        assert solve(problem, solver).cost == solve(problem, "dp").cost, seed


@pytest.mark.parametrize("name", ["benders-oct[gurobi]", "flow-oct[gurobi]", "and-or[gurobi]"])
def test_gurobi_where_it_is_installed(name: str) -> None:
    """Lazy cuts, integer and linear programs through gurobipy: the same optima.

    The licence that comes with its package allows 2000 variables and rows, which is enough here.
    """
    pytest.importorskip("gurobipy")
    solver = make_solver(name, {})
    for seed, problem in supported(solver, range(20)):
        assert solve(problem, solver).cost == solve(problem, "dp").cost, seed


def test_benders_needs_lazy_rows() -> None:
    """Other backends cannot take cuts while they run."""
    with pytest.raises(ProblemError, match="flow-oct"):
        make_solver("benders-oct[highs]", {})


def exclusive_or() -> Problem:
    """Return a problem on which CART ends with an error above the bound of 0."""
    data = Dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    return Problem(data, "error", Shape(max_depth=1))


def test_paths_refuses_what_it_cannot_enumerate() -> None:
    """Too many paths end the run with CART's tree and what to do, not with a full memory."""
    problem = exclusive_or()
    result = solve(problem, "paths", max_columns=2)
    assert (result.stopped_by, result.cost) == ("memory", solve(problem, "cart").cost)
    assert "and-or" in result.reason


def relaxation(solver: Any, problem: Problem) -> float:
    """Return the value of the linear relaxation."""
    program = first_model(solver, problem).program
    rows = LinearConstraint(program.matrix, *program.limits)
    found = milp(program.prices, constraints=rows, bounds=Bounds(0, program.upper))
    return float(found.fun) + float(program.objective.constant)


def test_relaxations_are_ordered() -> None:
    """At depth 2, root bounds: flow <= flow with stumps <= and-or = optimum."""
    rng = np.random.default_rng(5)
    data = Dataset(rng.integers(0, 2, (40, 5)), rng.integers(0, 2, 40))
    problem = Problem(data, "error", Shape(max_depth=2))
    names = ("flow-oct", "flow-stump", "and-or")
    bounds = [relaxation(make_solver(name, {}), problem) for name in names]
    optimum = solve(problem, "dp").cost
    assert bounds[0] <= bounds[1] + 1e-6
    assert bounds[1] < bounds[2]
    assert bounds[2] == pytest.approx(optimum)


@pytest.mark.parametrize("objective", ["error", "error + 0.05*expected_tests", "error + 0.01*size"])
def test_lookahead_closes_the_gap_of_the_relaxation(objective: str) -> None:
    """With the cost below each root test known, the root bound is the optimum; stats say how."""
    rng = np.random.default_rng(6)
    data = Dataset(rng.integers(0, 3, (40, 4)), rng.integers(0, 3, 40))
    problem = Problem(data, objective, Shape(max_depth=2))
    optimum = solve(problem, "dp").cost
    assert optimum is not None
    assert relaxation(make_solver("flow-oct", {}), problem) < optimum - 1
    ahead = make_solver("flow-oct", {"lookahead": True})
    assert relaxation(ahead, problem) == pytest.approx(optimum)
    result = solve(problem, ahead)
    assert result.cost == optimum
    assert result.stats["lookahead"]


@pytest.mark.parametrize("name", ["flow-oct", "flow-stump", "oct-q"])
def test_features_with_one_test_are_explained_by_counting_tests(name: str) -> None:
    """No good path asks a binary feature twice, so that the explanation is the number of tests."""
    rng = np.random.default_rng(7)
    data = Dataset(rng.integers(0, 2, (30, 4)), rng.integers(0, 2, 30))
    models = [
        first_model(make_solver(name, {}), Problem(data, f"error + 0.1*{measure}", Shape(2)))
        for measure in ("expected_tests", "explanation_size")
    ]
    assert len({model.program.n_variables for model in models}) == 1
    assert len({model.program.objective.coefficients.tobytes() for model in models}) == 1


def test_half_a_branch_explains_half_a_visit() -> None:
    """Features that a tree half asks count in the relaxation.

    Rows visit >= reach + new - 1 gave a root bound of 4 here; the optimum is 16.
    """
    rows = [[x, z] for z in (0.0, 1.0) for x in (0.0, 1.0, 2.0, 3.0)]
    data = Dataset(rows, [0, 1, 0, 1, 1, 0, 1, 0])
    problem = Problem(data, "error + 0.1*explanation_size", Shape(max_depth=3))
    assert solve(problem, "dp").cost == 16
    assert relaxation(make_solver("flow-oct", {}), problem) > 8


@pytest.mark.parametrize("name", [name for name in LINEAR if name != "and-or"])
def test_too_deep_is_refused(name: str) -> None:
    """A complete tree of depth 12 is an error that names other solvers, not an endless build."""
    data = Dataset([[float(i)] for i in range(20)], [i % 2 for i in range(20)])
    with pytest.raises(UnsupportedProblemError, match="dp"):
        solve(Problem(data, "error", Shape(max_depth=12)), name)


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that would fill the memory is not begun; the result is CART's tree, and why."""
    import formulations.program.linear as linear

    monkeypatch.setattr(linear, "LARGEST_PROGRAM", 10)
    problem = exclusive_or()
    result = solve(problem, "flow-oct")
    assert (result.stopped_by, result.cost) == ("memory", solve(problem, "cart").cost)
    assert "quantiles" in result.reason
