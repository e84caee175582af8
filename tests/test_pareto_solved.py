"""Fronts by exact solvers: enumeration, limits, what is said of a front that is stopped."""

from __future__ import annotations

import signal
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import odt
from odt import Measure
from odt.engine.brute_force import allowed_amounts
from odt.model.measure import ADDITIVE
from odt.pareto.front import FrontProgress
from odt.pareto.measures import LIMITS, values_of
from odt.pareto.region import everything, holds, split
from odt.testing import random_problem
from odt.testing.varied_problems import varied_problem

CLASSIFICATION = [measure for measure in Measure if measure is not Measure.SQUARED_ERROR]
COMBINED = [
    measures
    for n in (2, 3)
    for measures in combinations(CLASSIFICATION, n)
    if sum(measure not in LIMITS for measure in measures) <= 1
]


def _iris(**limits) -> odt.Problem:
    return odt.Problem(odt.Dataset(*load_iris(return_X_y=True)), shape=odt.Shape(**limits))


def _values(front: odt.ParetoFront) -> list[tuple[int, ...]]:
    data, measures = front.problem.dataset, [Measure(name) for name in front.measures]
    return [values_of(p.tree.amounts(data), measures) for p in front.points]


def _non_dominated(problem: odt.Problem, measures) -> list[tuple[int, ...]]:
    """By definition, over all trees."""
    found = {values_of(amounts, measures) for amounts, _ in allowed_amounts(problem)}
    return sorted(
        v
        for v in found
        if not any(o != v and all(a <= b for a, b in zip(o, v, strict=True)) for o in found)
    )


def _on_hull(points: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The points below each line between one to the left and one to the right of them."""
    return [
        (a, b)
        for a, b in points
        if not any(
            x < a < u and (b - y) * (u - x) >= (v - y) * (a - x)
            for (x, y), (u, v) in combinations(points, 2)
        )
    ]


def _demanding(problem: odt.Problem, measures, seed: int) -> odt.Problem:
    """Limit the error where it is no measure: a lone leaf would be the whole front."""
    if Measure.ERROR in measures:
        return problem
    limit = (0.0, 0.2, 0.4)[seed % 3]
    return replace(problem, shape=replace(problem.shape, max_error=limit))


def _check(problem: odt.Problem, measures, solver: str, context: str) -> int:
    front = odt.pareto(problem, measures, solver=solver)
    expected = _non_dominated(problem, measures)
    assert _values(front) == expected, context
    assert front.exact, context
    assert front.open == (), context
    assert all(point.certified and not problem.violations(point.tree) for point in front.points)
    for point in front.points:
        assert point.result is not None
        assert point.values == {
            m.value: point.tree.measures(problem.dataset)[m.value] for m in measures
        }
    return len(expected)


def _compare(seeds: range) -> int:
    """Compare fronts of problems that vary everything; returns how many points there were."""
    points = 0
    for seed in seeds:
        measures = COMBINED[seed % len(COMBINED)]
        problem = _demanding(varied_problem(seed, max_rows=6), measures, seed)
        solver = ("brute-force", "dp", "dp", "auto")[seed // len(COMBINED) % 4]
        points += _check(problem, measures, solver, f"seed {seed}, {measures}, {solver}")
    return points


def test_fronts_equal_enumeration() -> None:
    """Every pair and triple that can be bounded, on problems that vary every field and limit."""
    assert _compare(range(240)) > 200


@pytest.mark.slow
def test_more_fronts_equal_enumeration() -> None:
    """The same on many more."""
    assert _compare(range(240, 2000)) > 1500


def test_fronts_with_structure_equal_enumeration() -> None:
    """Larger data, with forced tests, errors of classes and priced features."""
    points = 0
    for seed in range(60):
        measures = COMBINED[seed % len(COMBINED)]
        problem = _demanding(random_problem(seed, structure=True, max_rows=8), measures, seed)
        points += _check(problem, measures, "dp", f"seed {seed}")
    assert points > 40


def test_weights_without_a_unit() -> None:
    """Bounds on an error of 2**40 units are exact: the next one is strictly below."""
    for seed in range(20):
        problem = random_problem(seed, max_rows=7)
        data = problem.dataset
        weight = [0.1 + ((7 * i + seed) % 11) * 0.0917364512 for i in range(data.n_samples)]
        uneven = odt.Dataset(data.X, data.y, weight)
        for measures in ((Measure.SIZE, Measure.ERROR), (Measure.ERROR, Measure.EXPECTED_TESTS)):
            _check(odt.Problem(uneven, shape=odt.Shape(max_depth=2)), measures, "dp", f"{seed}")


def test_hull_equals_hull_of_enumeration() -> None:
    """Where nothing can be bounded, prices are weighed: all vertices and nothing else."""
    compared = 0
    for seed in range(40):
        problem = random_problem(seed, limits=False, max_rows=7)
        for measures in combinations([m for m in CLASSIFICATION if m in ADDITIVE], 2):
            front = odt.pareto(problem, measures, solver="dp", full=False)
            expected = _on_hull(_non_dominated(problem, measures))
            assert _values(front) == expected, f"seed {seed}, {measures}"
            assert front.exact
            assert all(point.certified for point in front.points)
            compared += len(expected)
    assert compared > 250


def test_branch_and_bound_gives_the_hull() -> None:
    """It takes no limits, so the front says that it is a hull; the one pass finds the same."""
    problem = _iris(max_depth=3)
    front = odt.pareto(problem, "error,size", solver="bnb")
    assert not front.full
    assert "on the hull" in repr(front)
    assert "of all trees by bnb" in repr(front)
    one_pass = odt.pareto(problem, "error,size", generator="all")
    assert _values(front) == _values(one_pass)
    assert [p.alphas for p in front.points] == [p.alphas for p in one_pass.points]
    assert front.best(Fraction(1, 100)).values == one_pass.best(Fraction(1, 100)).values


def test_full_front_agrees_with_the_one_pass() -> None:
    """Two ways to all trees of a third of iris at depth 2, against expected tests."""
    X, y = load_iris(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X[::3], y[::3]), shape=odt.Shape(max_depth=2))
    front = odt.pareto(problem, "error,expected_tests", solver="dp")
    one_pass = odt.pareto(problem, generator="all", full=True)
    assert len(front.points) > 5
    assert _values(front) == _values(one_pass)
    assert front.to_frame()["alpha_to"].equals(one_pass.to_frame()["alpha_to"])


def test_few_solves() -> None:
    """With two measures one solve a point, and one to see that there is no other.

    Bounds on the size end at the lone leaf: nothing is smaller, so that solve is saved.
    """
    front = odt.pareto(_iris(max_depth=2), "error,size", solver="dp")
    assert _values(front) == [(6, 5), (50, 3), (100, 1)]
    assert front.stats["solves"] == 3


def test_an_interrupted_front_says_what_is_open() -> None:
    """Ctrl-C after two solves: both points are proved, smaller trees may be missing."""

    def interrupt(progress: FrontProgress) -> None:
        if progress.solved == 2:
            signal.raise_signal(signal.SIGINT)

    front = odt.pareto(_iris(max_depth=2), "error,size", solver="dp", on_report=interrupt)
    assert front.stopped_by == "interrupt"
    assert not front.exact
    assert _values(front) == [(6, 5), (50, 3)]
    assert all(point.certified for point in front.points)
    assert len(front.open) == 1
    assert front.open[0].below == {"size": 3}
    assert front.open[0].at_least == {"error": pytest.approx(50 / 150)}
    assert "open where size < 3 and error >= 0.333333" in repr(front)


@pytest.mark.parametrize(
    "measures", ["error,size", "error,size,depth", "size,depth,expected_tests"]
)
def test_interrupted_fronts_are_truthful(measures: str) -> None:
    """Stopped after each number of solves: proved points are right, what lacks is in the open."""
    names, stops = [Measure(name) for name in measures.split(",")], 0
    for seed in range(40):
        problem = _demanding(random_problem(seed), names, 0)
        expected = _non_dominated(problem, names)
        for last in range(1, 6):

            def interrupt(progress: FrontProgress, last: int = last) -> None:
                if progress.solved == last:
                    signal.raise_signal(signal.SIGINT)

            front = odt.pareto(problem, measures, solver="dp", on_report=interrupt)
            found, units = _values(front), [m.worth(problem.dataset) for m in names]
            assert set(found) <= set(expected)
            for values in set(expected) - set(found):
                public = dict(zip(measures.split(","), values, strict=True))
                amounts = {
                    name: float(value * unit)
                    for (name, value), unit in zip(public.items(), units, strict=True)
                }
                assert any(
                    all(amounts[m] < most for m, most in region.below.items())
                    and all(amounts[m] >= least - 1e-12 for m, least in region.at_least.items())
                    for region in front.open
                ), f"seed {seed}, {values} after {last} solves"
            assert front.exact is (not front.open)
            stops += bool(front.open)
            if front.exact:
                break
    assert stops > 5


def test_a_time_limit_keeps_the_unproved_tree() -> None:
    """A hard first solve: its tree is there, not certified, with the bound that was proved."""
    X, y = load_breast_cancer(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=4))
    limit = odt.Budget(time_limit=2.0)
    front = odt.pareto(problem, "error,size", solver="auto", budget=limit)
    assert front.stopped_by == "time"
    assert not front.exact
    assert front.open
    assert front.points
    unproved = [point for point in front.points if not point.certified]
    assert unproved
    assert unproved[0].status is odt.Status.FEASIBLE
    labels = [t.get_text() for t in odt.plot_front({"auto": front}).get_legend().texts]
    assert labels == ["auto", "not proved"]


def test_no_tree_keeps_the_limits() -> None:
    """An empty front that is proved: iris has no consistent tree of depth 1."""
    front = odt.pareto(_iris(max_depth=1, max_error=0.0), "size,depth", solver="dp")
    assert front.points == ()
    assert front.exact


@pytest.mark.parametrize(
    ("measures", "options", "message"),
    [
        ("error", {"solver": "dp"}, "two or three different"),
        ("error,error", {"solver": "dp"}, "two or three different"),
        ("error,size,depth,expected_tests", {"solver": "dp"}, "two or three different"),
        ("error,weight", {"solver": "dp"}, "two or three different"),
        (3, {"solver": "dp"}, "must be text"),
        ("error,size", {"solver": "cart"}, "proves nothing"),
        ("error,size", {"solver": "dpp"}, "Did you mean"),
        ("error,size", {"solver": "dp", "generator": "all"}, "no option 'generator'"),
        ("error,size", {"cuts": 3}, "no option 'cuts'"),
        ("error,size", {"solver": "bnb", "full": True}, "Solvers that can: .*dp"),
        ("error,size,depth", {"solver": "bnb"}, "Solvers that can: .*dp"),
        ("error,size,depth", {"solver": "dp", "full": False}, "two of them"),
        ("error,expected_tests,explanation_size", {"solver": "dp"}, "no limit of a Shape"),
        ("size,depth", {}, "name an exact solver"),
    ],
)
def test_bad_input_says_what_to_do(measures, options, message) -> None:
    """What was got, what is expected, and who can do it."""
    with pytest.raises(odt.OdtError, match=message):
        odt.pareto(_iris(max_depth=2), measures, **options)


def test_what_the_problem_needs_is_checked_first() -> None:
    """A solver without forced tests is refused, and the message names one with them."""
    with pytest.raises(odt.UnsupportedProblemError, match=r"forced .* Solvers that can: .*dp"):
        odt.pareto(_iris(max_depth=2, forced={"": 2}), "error,size", solver="and-or")


def test_boxes_cover_what_no_point_beats() -> None:
    """Any integer point that no given one is at least as good as lies in a box, and no other."""
    points = [(2, 2, 2), (1, 3, 3), (3, 1, 2), (2, 3, 1), (4, 0, 4)]
    boxes = [everything(3)]
    for point in points:
        boxes = split(boxes, point)
    for a in range(6):
        for b in range(6):
            for c in range(6):
                beaten = any(x <= a and y <= b and z <= c for x, y, z in points)
                assert any(holds(box, (a, b, c)) for box in boxes) is not beaten


def test_three_measures_are_drawn_with_a_legend() -> None:
    """A colour for each value of the third measure; one price does not weigh three measures."""
    front = odt.pareto(_iris(max_depth=2), "error,size,depth", solver="dp")
    ax = odt.plot_front(front)
    assert [t.get_text() for t in ax.get_legend().texts] == ["depth 0", "depth 1", "depth 2"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("size", "training accuracy")
    with pytest.raises(odt.ProblemError, match="one front of three"):
        odt.plot_front({"a": front, "b": front})
    with pytest.raises(odt.ProblemError, match="One price weighs two"):
        front.best(0.1)
