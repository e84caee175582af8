"""The clause model through MaxSAT, and weighted CNF itself."""

import itertools

import numpy as np
import pytest
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from pysat.solvers import Solver as SatSolver
from sklearn.datasets import load_breast_cancer, load_iris

import odt
from formulations.backends.wcnf import to_wcnf
from formulations.clause.maxsat import MaxSat
from formulations.model import Goal
from formulations.program.base import Expression
from formulations.program.clauses import ClauseIR
from odt.testing.random_problems import OBJECTIVES, random_problem


@pytest.mark.parametrize(
    ("seeds", "options"),
    [
        (range(2000, 2200), {}),
        (range(2200, 2260), {"minimise": False, "exhaust": False, "adapt": False}),
        (range(2260, 2320), {"cutoff": True, "encoding": "order", "sat_solver": "g4"}),
    ],
    ids=str,
)
def test_agrees_with_dp_on_random_problems(seeds, options):
    """Every objective, limit, weight, tie and contradiction gives dp's optimum."""
    for seed in seeds:
        objective, structure = OBJECTIVES[seed % len(OBJECTIVES)], seed % 2 == 1
        problem = random_problem(seed, objective=objective, structure=structure)
        expected, got = odt.solve(problem, "dp"), odt.solve(problem, "maxsat", **options)
        assert (got.status, got.cost) == (expected.status, expected.cost), seed


def test_iris_depth_3_has_one_error():
    """The same optimum as cp-sat and dp, from another kind of proof."""
    X, y = load_iris(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=3))
    result = odt.solve(problem, "maxsat")
    assert (result.status, result.cost) == (odt.Status.OPTIMAL, 1)


def test_bound_at_the_time_limit_is_valid():
    """A SAT call that would take minutes is interrupted; the bound is true."""
    X, y = load_breast_cancer(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=3))
    result = odt.solve(problem, "maxsat", budget=odt.Budget(time_limit=2))
    assert result.stopped_by == "time"
    assert (result.cost_bound or 0) <= 11  # 11 errors: a known tree


@pytest.mark.parametrize("seed", range(30))
def test_linear_rows_become_equivalent_clauses(seed):
    """A decision diagram allows exactly the assignments that keep the row."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    program = ClauseIR()
    x = program.variables("x", n)
    y = program.variables("y", upper=3)
    terms = Expression.of([*x, int(y)], rng.integers(-4, 5, size=n + 1))
    low, high = sorted(rng.integers(-8, 9, size=2).tolist())
    program.row(terms, low, high)
    wcnf = to_wcnf(program)
    with SatSolver("g3", bootstrap_with=wcnf.hard) as solver:
        for values in itertools.product(*[range(2)] * n, range(4)):
            expected = not program.broken(np.array(values))
            at_least = [d if i < values[-1] else -d for i, d in enumerate(wcnf.digits[int(y)])]
            bits = [v + 1 if value else -(v + 1) for v, value in enumerate(values[:-1])]
            assert solver.solve(assumptions=[*bits, *at_least]) == expected


def test_the_text_is_solved_by_another_program():
    """The exported WCNF has the optimum of the problem, read by PySAT's own parser."""
    problem = random_problem(2, objective="error + 0.03*size")
    model = MaxSat().build(problem, Goal.of(problem), lambda: False)
    text = to_wcnf(model.program).to_text(model.program)
    formula = WCNF(from_string=text)
    with RC2(formula) as rc2:
        rc2.compute()
        constant = int(text.split(maxsplit=3)[2])
        assert rc2.cost + constant == odt.solve(problem, "dp").cost
