"""Weights, costs and prices of every size: no solver takes one sum for another."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import odt
from formulations.export import export_model
from formulations.program.base import Expression
from formulations.program.clauses import ClauseIR
from formulations.program.digits import DigitProgram, weight_digits
from formulations.program.linear import LARGEST_COST, LinearProgram
from odt.core.registry import make_solver
from odt.testing.random_problems import random_dataset

OBJECTIVES = (
    "error",
    "size",
    "error + 0.03*size",
    "error, size",
    "error + 0.01*expected_tests",
    "size, error",
    "depth, error, expected_tests",
    "expected_tests, explanation_size, error",
    "error, worst_explanation_size, expected_tests",
    "expected_tests + 5*error",
)
FAST = {"cp-sat": 60, "maxsat": 15, "flow-oct": 8, "bin-oct": 8, "oct": 8, "flow-oct[scip]": 8}
SLOW = {
    "cp-sat": 2000,
    "maxsat": 200,
    "flow-oct": 400,
    "flow-stump": 200,
    "bin-oct": 400,
    "oct": 200,
    "oct-q": 200,
    "paths": 200,
    "and-or": 200,
    "benders-oct": 200,
    "flow-oct[scip]": 200,
    "bin-oct[cbc]": 200,
}


def random_weights(rng: np.random.Generator, n: int) -> Any:
    """Return weights: irrational, huge, tiny, partly zero, over many orders, with a gcd."""
    kinds = (
        lambda: rng.random(n),
        lambda: rng.integers(1, 2**33, n).astype(float),
        lambda: rng.random(n) * 1e-9,
        lambda: np.where(rng.random(n) < 0.3, 0.0, rng.random(n)),
        lambda: rng.choice([np.pi, np.e, 2**0.5, 1.0], n),
        lambda: 10.0 ** rng.integers(-6, 7, n),
        lambda: rng.integers(1, 2**26, n).astype(float),
        lambda: rng.integers(1, 4, n) * 123456789.0,
    )
    weight = kinds[rng.integers(len(kinds))]()
    return weight if weight.sum() > 0 else weight + 1.0


def weighted_problem(seed: int, *, max_depth: int = 3) -> odt.Problem:
    """Return a small problem whose weights stand in a limit or in the objective."""
    rng = np.random.default_rng([77, seed])
    base = random_dataset(rng)
    weight = random_weights(rng, base.n_samples)
    costs = [0.5, 1.0, 3.0][: base.n_features] if rng.random() < 0.3 else None
    data = odt.Dataset(base.X, base.y, weight, test_costs=costs)
    limits: dict[str, Any] = {"max_depth": int(rng.integers(1, max_depth + 1))}
    kind = rng.integers(8)
    if kind == 0:
        limits["min_weight_leaf"] = float(weight.sum() * rng.choice([0.01, 0.1, 0.2, 0.3, 1.1]))
    elif kind in (1, 7):
        limits["min_weight_leaf"] = float(rng.choice(weight) + rng.choice(weight))
    elif kind in (2, 3):
        few = data.classes[: rng.integers(1, len(data.classes) + 1)]
        limits["max_class_error"] = {c: float(rng.choice([0, 0.1, 1 / 3, 1 / np.pi])) for c in few}
    elif kind == 4:
        limits["max_error"] = float(rng.choice([0.0, 0.1, 0.25, rng.random()]))
    elif kind == 5:
        limits["min_samples_leaf"] = int(rng.integers(1, 4))
    return odt.Problem(data, str(rng.choice(OBJECTIVES)), odt.Shape(**limits))


def check_agreement(name: str, seeds: range) -> int:
    """Compare proofs with those of enumeration; return how many problems were solved."""
    solved = 0
    for seed in seeds:
        problem = weighted_problem(seed, max_depth=3 if name == "cp-sat" else 2)
        try:
            result = odt.solve(problem, name)
        except odt.UnsupportedProblemError:
            continue
        except odt.MissingDependencyError as missing:
            pytest.skip(str(missing))
        expected = odt.solve(problem, "dp")
        assert (result.status, result.cost) == (expected.status, expected.cost), seed
        solved += 1
    return solved


@pytest.mark.parametrize("name", FAST)
def test_agreement(name: str) -> None:
    """Whatever the weights, an optimum that is claimed is one."""
    assert check_agreement(name, range(FAST[name])) > FAST[name] / 3


@pytest.mark.parametrize("seed", range(24))
def test_random_weights_with_a_least_weight(seed: int) -> None:
    """With the faulty part of CP-SAT's presolve on, every fifth of these proofs is false."""
    rng = np.random.default_rng([5, seed])
    X, y = rng.integers(0, 5, (10, 3)), rng.integers(0, 2, 10)
    data = odt.Dataset(X, y, rng.random(10))
    problem = odt.Problem(data, "error", odt.Shape(max_depth=2, min_weight_leaf=1.0))
    assert odt.solve(problem, "cp-sat").cost == odt.solve(problem, "dp").cost


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_agreement_on_many_problems(name: str) -> None:
    """The same at length."""
    assert check_agreement(name, range(10_000, 10_000 + SLOW[name])) > SLOW[name] / 20


@pytest.mark.parametrize("backend", ["highs", "scip"])
@pytest.mark.parametrize("name", ["bin-oct", "oct-q", "flow-oct"])
def test_class_errors_with_weights_in_the_billions(name: str, backend: str) -> None:
    """A leaf 'b' wrongs all of 'a', more than a third; a leaf 'a' wrongs none: one node."""
    weight = [453132431, 494982694, 192230842, 830521274]
    data = odt.Dataset([[3, 1], [1, 0], [0, 1], [1, 1]], list("cabb"), weight)
    shape = odt.Shape(max_depth=1, max_class_error={"a": 1 / 3})
    assert odt.solve(odt.Problem(data, "size", shape), f"{name}[{backend}]").objective == 1


@pytest.mark.parametrize("name", ["cp-sat", "maxsat"])
def test_prices_of_what_no_tree_pays(name: str) -> None:
    """Two equal rows: no tree asks a test, whose price in three levels has over 64 bits."""
    data = odt.Dataset([[1.0], [1.0]], ["a", "b"], [0.1234567890123, 0.9876543210987])
    levels = "0.02*depth + 0.05*expected_tests, error + 3*worst_explanation_size, size"
    for order in (levels, "3*expected_tests + worst_explanation_size, 0.1*error + expected_tests"):
        problem = odt.Problem(data, order, odt.Shape(max_depth=2))
        assert odt.solve(problem, name).cost == odt.solve(problem, "dp").cost


@pytest.mark.parametrize("name", ["cp-sat", "flow-oct", "flow-oct[scip]"])
def test_prices_with_many_digits(name: str) -> None:
    """Of the charges 0.1 + 1e-16, 0.7 and 1e-17 the first two are beyond 0.8, just."""
    prices = (0.10000000000000002, 0.7, 1e-17)
    charges = tuple(odt.Charge(frozenset({j}), price) for j, price in enumerate(prices))
    X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]], dtype=float)
    data = odt.Dataset(X, [0, 1, 1, 0])
    for budget in (0.8, 0.9):
        shape = odt.Shape(max_depth=2, feature_budget=budget, feature_charges=charges)
        problem = odt.Problem(data, "error", shape)
        assert odt.solve(problem, name).cost == odt.solve(problem, "dp").cost


def test_and_or_refuses_what_it_cannot_tell_apart() -> None:
    """Its graph is decided in whole costs: too large ones are refused before it is built."""
    rng = np.random.default_rng(1)
    data = odt.Dataset(rng.random((20, 2)), rng.integers(0, 2, 20), rng.random(20))
    problem = odt.Problem(data, "size, error", odt.Shape(max_depth=2))
    assert problem.costs.levels[1].upper > LARGEST_COST
    with pytest.raises(odt.UnsupportedProblemError, match="flow-oct"):
        odt.solve(problem, "and-or", budget=odt.Budget(time_limit=60))


@pytest.mark.parametrize(("name", "ending"), [("flow-oct", "lp"), ("cp-sat", "pbtxt")])
def test_files_hold_objectives_exactly(name: str, ending: str, tmp_path: Path) -> None:
    """Random weights times a price of 9 digits: 2**70 units do not go into a file."""
    data = odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 0], [0.1, 0.23456789012345, np.pi])
    problem = odt.Problem(data, "error + 0.123456789*expected_tests", odt.Shape(max_depth=2))
    path = tmp_path / f"program.{ending}"
    with pytest.raises(odt.UnsupportedProblemError, match="add up"):
        export_model(make_solver(name, {}), problem, path)
    assert not path.exists()
    assert odt.solve(problem, name).cost == odt.solve(problem, "dp").cost


class Small(ClauseIR):
    """A program that splits rows already at 60."""

    largest_sum = 60


@pytest.mark.parametrize("seed", range(40))
def test_split_rows_allow_the_same_values(seed: int) -> None:
    """Every assignment keeps the row exactly if carries make it keep the rows for its digits."""
    rng = np.random.default_rng(seed)
    program, n = Small(), int(rng.integers(2, 5))
    x = program.variables("x", n, upper=2)
    coefficients = rng.integers(-(10**4), 10**4, n)
    low, high = np.sort(rng.integers(-(10**4), 10**4, 2)).tolist()
    lower = None if seed % 3 == 0 else low
    program.row(Expression.of(x, coefficients, constant=7), lower, high)
    for row in program.rows:
        assert program._width(row.terms) <= 60
    for chosen in itertools.product(range(3), repeat=n):
        total = int(np.array(chosen) @ coefficients) + 7
        is_kept = total <= high and (lower is None or total >= lower)
        assert (_completion(program, chosen) is not None) == is_kept


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("unit", [1, 4, 64, 1024])
def test_an_objective_in_larger_units(seed: int, unit: int) -> None:
    """Its least value is the objective in units, rounded down, above what is known."""
    rng = np.random.default_rng(seed)
    program = LinearProgram()
    x = program.variables("x", 3, upper=2)
    coefficients = rng.integers(0, 10**5, 3)
    program.minimise(Expression.of(x, coefficients, constant=int(rng.integers(10**5))))
    whole = program.objective
    program.coarsen(unit, 0)
    for chosen in itertools.product(range(3), repeat=3):
        value = whole.value(np.array(chosen)) // unit
        values = _completion(program, chosen)
        if value < 2**16:
            assert values is not None
            assert program.cost(values) == value
        else:
            assert values is None


def _completion(program: DigitProgram, chosen: tuple[int, ...]) -> Any:
    """Return values with the least carries, if they keep every row."""
    values = np.zeros(program.n_variables, dtype=np.int64)
    values[: len(chosen)] = chosen
    found = program.completed(values)
    return None if found is None or program.broken(found) else found


def test_digits_of_weights_add_up() -> None:
    """Digits are small, and their sum with the factors is the weights."""
    weights = np.random.default_rng(0).integers(0, 2**40, (30, 3))
    parts = list(weight_digits(weights, 2**18, 8))
    assert (sum(factor * digit for factor, digit in parts) == weights).all()
    assert max(int(digit.sum()) for _, digit in parts) <= 2**18 // 32
    assert [factor for factor, _ in weight_digits(weights % 5, 2**18, 8)] == [1]


def test_a_coefficient_that_no_float_solver_keeps() -> None:
    """A formulation that writes one in a batch of rows is told at once."""
    program = LinearProgram()
    x = program.variables("x", 2)
    with pytest.raises(odt.UnsupportedProblemError, match="coefficient of 1e\\+09"):
        program.rows(0, x, [1, 10**9], None, 5, n=1)
