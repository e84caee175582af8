"""The clause model through CP-SAT."""

import signal
import threading

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import odt
from formulations.clause.cp_sat import CpSat
from odt.testing.random_problems import OBJECTIVES, random_problem, with_every_objective

VARIANTS = [
    {"encoding": "order"},
    {"encoding": "tests", "core": True},
    {"dominance": False, "merged_errors": False},
    {"distinct_leaves": False, "useful_splits": False, "commuting": False, "encoding": "order"},
]


def iris(depth, objective="error"):
    """The iris data with every threshold."""
    X, y = load_iris(return_X_y=True)
    return odt.Problem(odt.Dataset(X, y), objective, odt.Shape(max_depth=depth))


def assert_agrees_with_dp(seeds, solver):
    """Solve random problems with both and compare status and cost."""
    for seed in seeds:
        objective, structure = OBJECTIVES[seed % len(OBJECTIVES)], seed % 2 == 1
        problem = random_problem(seed, objective=objective, structure=structure)
        expected, got = odt.solve(problem, "dp"), odt.solve(problem, solver)
        assert (got.status, got.cost) == (expected.status, expected.cost), seed


def test_agrees_with_dp_on_random_problems():
    """Every objective, limit, weight, tie and contradiction gives dp's optimum."""
    assert_agrees_with_dp(range(1000, 1300), CpSat())


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["cp-sat", "maxsat"])
def test_every_objective_on_500_problems(solver):
    """Each measure, sum and lexicographic order, on small problems of every kind."""
    for seed in range(500):
        base = random_problem(seed, structure=seed % 2 == 1, max_rows=7)
        for problem in with_every_objective(base):
            expected, got = odt.solve(problem, "dp"), odt.solve(problem, solver)
            context = f"seed {seed}, {problem.objective}"
            assert (got.status, got.cost) == (expected.status, expected.cost), context


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_options_never_change_the_optimum(options):
    """Encodings are interchangeable, and symmetry rows cut off no optimum."""
    assert_agrees_with_dp(range(1300, 1400), CpSat(**options))


def test_levels_that_do_not_fit_one_number_are_solved_in_turn(monkeypatch):
    """A lexicographic objective gives the same optimum in stages; those above 20 in units."""
    monkeypatch.setattr(CpSat, "largest_cost", 20)
    for seed in range(60):
        problem = random_problem(seed, objective="error, worst_explanation_size, expected_tests")
        expected, got = odt.solve(problem, "dp"), odt.solve(problem, "cp-sat")
        assert (got.status, got.cost) == (expected.status, expected.cost), seed


def test_the_faulty_part_of_its_presolve_stays_off():
    """Left on, CP-SAT 9.12 to 9.15 call 0.182 optimal here; enumeration finds 0.0896."""
    X = [[0, 2, 4], [3, 0, 2], [3, 3, 4], [0, 3, 3], [2, 2, 2], [2, 3, 0], [3, 1, 2], [0, 1, 4]]
    weight = [2125695831, 5700923614, 370524329, 5043720514]
    weight += [2427323026, 2416482624, 3544778383, 5350986659]
    data = odt.Dataset(X, [0, 0, 0, 0, 0, 1, 0, 1], weight)
    problem = odt.Problem(data, "error", odt.Shape(max_depth=2, min_weight_leaf=4912702784.0))
    assert odt.solve(problem, "cp-sat").cost == odt.solve(problem, "dp").cost


@pytest.mark.parametrize("name", ["cp-sat", "maxsat"])
@pytest.mark.parametrize("encoding", ["auto", "tests", "order"])
def test_categories_on_a_numeric_feature(name, encoding):
    """Tests x = 1 and x <= 0.5 and 1.5 of one feature: a b a in three leaves, no error."""
    if name == "maxsat":
        pytest.importorskip("pysat.formula")
    data = odt.Dataset([[0.0], [1.0], [2.0], [1.0]], ["a", "b", "a", "b"])
    tests = odt.TestSet(
        (odt.Test(0, categories=(1,)), odt.Test(0, threshold=0.5), odt.Test(0, threshold=1.5))
    )
    problem = odt.Problem(data, "error, size", odt.Shape(max_depth=2), tests)
    assert odt.solve(problem, name, encoding=encoding).objective == (0.0, 3.0)


def test_iris_depth_3_has_one_error():
    """The optimum 1 of 150 is proved from 123 thresholds, and dp agrees."""
    result = odt.solve(iris(3), "cp-sat")
    assert result.status is odt.Status.OPTIMAL
    assert result.cost == 1 == odt.solve(iris(3), "dp").cost


def test_given_tests_are_respected():
    """With only two thresholds a feature, cp-sat finds dp's optimum over these."""
    X, y = load_iris(return_X_y=True)
    data = odt.Dataset(X, y)
    tests = odt.TestSet.quantiles(data, 2)
    problem = odt.Problem(data, "error, size", odt.Shape(max_depth=3), tests)
    result = odt.solve(problem, "cp-sat")
    assert result.cost == odt.solve(problem, "dp").cost


def test_several_threads_prove_the_same_optimum():
    """The proof holds with a portfolio of two workers."""
    result = odt.solve(iris(2), "cp-sat", budget=odt.Budget(n_threads=2))
    assert (result.status, result.cost) == (odt.Status.OPTIMAL, 6)


def test_bound_at_the_time_limit_is_valid():
    """On a problem it cannot prove, 2 s give a tree no worse than the hint and a true bound."""
    X, y = load_breast_cancer(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=3))
    leaf = odt.Tree.leaf(int(np.bincount(y).argmax()))
    result = odt.solve(problem, "cp-sat", budget=odt.Budget(time_limit=2), initial=leaf)
    assert result.stopped_by == "time"
    assert result.cost <= 212
    assert result.cost_bound is None or result.cost_bound <= 11  # 11 errors: a known tree


@pytest.mark.parametrize("solver", ["cp-sat", "maxsat"])
def test_ctrl_c_ends_the_run_with_tree_and_bound(solver):
    """SIGINT reaches the run, not the library: the incumbent is kept, and so is the process."""
    X, y = load_breast_cancer(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=3))
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(2.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    result = odt.solve(problem, solver)
    assert result.stopped_by == "interrupt"
    assert result.tree is not None
    assert result.bound is not None
    assert signal.getsignal(signal.SIGINT) is before


def test_the_trace_shows_incumbents_and_bounds():
    """Trees and bounds are reported while the solver runs."""
    result = odt.solve(iris(3), "cp-sat")
    assert len(result.trace) > 1
    costs = [point.cost for point in result.trace if point.cost is not None]
    assert costs == sorted(costs, reverse=True)


def test_an_optimal_hint_is_only_proved():
    """Starting from the optimum, the result is that optimum."""
    best = odt.solve(iris(2), "dp").tree
    result = odt.solve(iris(2), "cp-sat", initial=best)
    assert (result.status, result.cost) == (odt.Status.OPTIMAL, 6)


@pytest.mark.parametrize("start", ["none", "greedy", "cart", "dp"])
def test_the_start_gives_a_tree_but_no_bound(start):
    """Whatever finds the first tree, the proof is cp-sat's own."""
    points = []
    result = odt.solve(iris(2), "cp-sat", start=start, on_report=points.append)
    assert (result.status, result.cost) == (odt.Status.OPTIMAL, 6)
    if start == "dp":
        assert next(point for point in points if point.cost == 6).bound == 0


def test_a_tree_too_deep_for_a_complete_model_is_refused():
    """Without max_depth on many rows, the result is CART's tree, and says what to give."""
    X, y = load_iris(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), "error + 0.001*size")
    result = odt.solve(problem, "cp-sat")
    assert (result.stopped_by, result.cost) == ("memory", odt.solve(problem, "cart").cost)
    assert "smaller max_depth" in result.reason


@pytest.mark.parametrize(
    "options", [{"encoding": "unary"}, {"parameters": "no_such_parameter: 1"}], ids=str
)
def test_bad_options_are_named(options):
    """A mistyped option gives an error that shows it."""
    with pytest.raises(odt.ProblemError, match=next(iter(options.values())).split(":")[0]):
        odt.solve(iris(1), "cp-sat", **options)
