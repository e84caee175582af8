"""Fronts of error against complexity: published oracle values, enumeration, alphas, limits."""

from __future__ import annotations

import signal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import odt
from odt.engine.brute_force import allowed_amounts
from odt.generators.automatic import Automatic
from odt.model.capability import Capability
from odt.model.measure import Amounts
from odt.pareto import FrontProgress
from odt.pareto.one_pass import COMPLEXITIES
from odt.testing import random_problem


def _problem(load, depth: int) -> odt.Problem:
    X, y = load(return_X_y=True)
    return odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=depth))


def _triples(front: odt.ParetoFront) -> list[tuple[int, int, int]]:
    data = front.problem.dataset
    totals = [p.tree.amounts(data) for p in front.points]
    return [(t.errors, t.tests, t.nodes // 2) for t in totals]


def _key(complexity: str):
    return {
        "expected_tests": lambda t: t.tests,
        "size": lambda t: t.nodes,
        "explanation_size": lambda t: t.explanation,
    }[complexity]


def _non_dominated(points: set[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept


def test_hull_of_iris_at_depth_3() -> None:
    """Hull and breakpoints found by an independent pure Python recursion (150 rows)."""
    front = odt.pareto(_problem(load_iris, 3), generator="all")
    assert _triples(front) == [(1, 400, 6), (3, 302, 3), (6, 250, 2), (7, 245, 2), (100, 0, 0)]
    breaks = [p.alphas[1] for p in front.points[:-1] if p.alphas is not None]
    assert breaks == [Fraction(1, 49), Fraction(3, 52), Fraction(1, 5), Fraction(93, 245)]
    assert front.exact


def test_full_front_of_iris_at_depth_3() -> None:
    """The points inside the hull, which no alpha reaches, are found too."""
    front = odt.pareto(_problem(load_iris, 3), full=True, generator="all")
    assert _triples(front)[:8] == [
        (1, 400, 6), (2, 352, 5), (3, 302, 3), (4, 300, 3),
        (5, 296, 3), (6, 250, 2), (7, 245, 2), (12, 240, 2),
    ]  # fmt: skip
    inside = [t for t, p in zip(_triples(front), front.points, strict=True) if not p.on_hull]
    assert inside[:3] == [(2, 352, 5), (4, 300, 3), (5, 296, 3)]


def test_fronts_of_small_depths() -> None:
    """Iris at depth 1 and 2, wine at depth 2: independent values again."""
    assert _triples(odt.pareto(_problem(load_iris, 1), generator="all")) == [
        (50, 150, 1),
        (100, 0, 0),
    ]
    two = odt.pareto(_problem(load_iris, 2), full=True, generator="all")
    assert len(two.points) == 22
    assert _triples(two)[:2] == [(6, 250, 2), (7, 245, 2)]
    wine = odt.pareto(_problem(load_wine, 2), generator="all")
    assert _triples(wine) == [(6, 356, 3), (15, 292, 2), (16, 287, 2), (107, 0, 0)]


@pytest.mark.parametrize("complexity", COMPLEXITIES)
def test_full_front_equals_enumeration(complexity: str) -> None:
    """Random problems with ties, weights, test costs and limits: no point is missed or invented."""
    compared = 0
    for seed in range(600):
        problem = random_problem(seed)
        if problem.needs & {
            Capability.UNLIMITED_DEPTH,
            Capability.MAX_NODES,
            Capability.MAX_FEATURES,
        }:
            continue
        key = _key(complexity)
        expected = _non_dominated({(t.errors, key(t)) for t, _ in allowed_amounts(problem)})
        front = odt.pareto(problem, f"error,{complexity}", full=True, generator="all")
        totals = [p.tree.amounts(problem.dataset) for p in front.points]
        assert [(t.errors, key(t)) for t in totals] == expected, f"seed {seed}"
        compared += len(expected)
    assert compared > 350


def test_hull_equals_hull_of_enumeration() -> None:
    """The hull mode keeps the vertices of the hull of all trees, and only those."""
    for seed in range(250):
        problem = random_problem(seed, limits=False)
        points = _non_dominated({(t.errors, t.tests) for t, _ in allowed_amounts(problem)})
        front = odt.pareto(problem, generator="all")
        totals = [p.tree.amounts(problem.dataset) for p in front.points]
        found = [(t.errors, t.tests) for t in totals]
        assert set(found) <= set(points)
        for errors, tests in points:
            for alpha in (Fraction(k, 7) for k in range(20)):
                best = min(e + alpha * c for e, c in found)
                assert best <= errors + alpha * tests, f"seed {seed}"
        for (e0, c0), (e1, c1), (e2, c2) in zip(found, found[1:], found[2:], strict=False):
            assert (e1 - e0) * (c1 - c2) < (e2 - e1) * (c0 - c1), f"seed {seed}: not convex"


def test_intervals_agree_with_solving_each_alpha() -> None:
    """Inside each interval and on each breakpoint, `dp` finds the value of the front's tree."""
    X, y = load_iris(return_X_y=True)
    data = odt.Dataset(X[::3], y[::3])
    front = odt.pareto(odt.Problem(data, shape=odt.Shape(max_depth=2)), generator="all")
    for point in front.points:
        assert point.alphas is not None
        low, high = point.alphas
        middle = float(low + 1 if high is None else (low + high) / 2)
        for alpha in {float(low) or 0.001, middle}:
            objective = odt.Error() + alpha * odt.ExpectedTests()
            result = odt.solve(odt.Problem(data, objective, odt.Shape(max_depth=2)), "dp")
            chosen = front.best(alpha)
            value = chosen.values["error"] + alpha * chosen.values["expected_tests"]
            assert result.objective == pytest.approx(value, abs=1e-9)
    assert front.best(0) is front.points[0]


def test_best_prefers_the_simpler_tree_on_a_breakpoint() -> None:
    """At an alpha where two trees are equally good, the one with fewer tests is returned."""
    front = odt.pareto(_problem(load_iris, 2), generator="all")
    for left, right in pairwise(front.points):
        assert left.alphas is not None
        assert left.alphas[1] is not None
        assert front.best(left.alphas[1]) is right


def test_threads_give_the_same_front() -> None:
    """Two threads with separate memos find the same points and the same trees."""
    problem = _problem(load_wine, 3)
    one = odt.pareto(problem, generator="cart_leaves(8)", full=True)
    two = odt.pareto(problem, generator="cart_leaves(8)", full=True, budget=odt.Budget(n_threads=2))
    assert [p.tree for p in one.points] == [p.tree for p in two.points]


def test_time_limit_returns_greedy_trees() -> None:
    """A stopped search still returns a front that contains a tree as good as greedy growth."""
    X, y = np.random.default_rng(0).random((3000, 8)), np.arange(3000) % 2
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=4))
    front = odt.pareto(problem, budget=odt.Budget(time_limit=0.2), generator="all")
    assert front.stopped_by == "time"
    assert not front.exact
    assert front.points[0].values["error"] < 0.5


def test_default_generator_is_that_of_dpdt() -> None:
    """All tests took 25 minutes on breast-cancer at depth 4; those of DPDT are the default."""
    problem = _problem(load_breast_cancer, 4)
    front = odt.pareto(problem)
    assert front.generator == Automatic().at(4)
    assert not front.exact
    assert "of the trees that CartLeaves(leaves=12" in repr(front)
    best = odt.solve(problem, "dpdt").tree
    assert best is not None
    assert front.points[0].values["error"] == best.measures(problem.dataset)["error"]
    assert "of all trees" in repr(odt.pareto(_problem(load_iris, 1), generator="all"))


def test_limit_and_progress_of_an_endless_search() -> None:
    """All tests of breast-cancer at depth 4: states are counted, and the limit ends it honestly."""
    seen: list[FrontProgress] = []
    odt.pareto(_problem(load_iris, 1), generator="all")  # loads the kernels
    front = odt.pareto(
        _problem(load_breast_cancer, 4),
        generator="all",
        budget=odt.Budget(time_limit=3.5),
        on_report=seen.append,
    )
    assert front.stopped_by == "time"
    assert not front.exact
    assert "stopped by time" in repr(front)
    assert seen
    assert all(a.time < b.time and a.solved <= b.solved for a, b in pairwise(seen))
    assert seen[-1].solved > 0


def test_interrupt_returns_what_is_known() -> None:
    """The first Ctrl-C ends the search gently, as in `odt.solve`."""

    def interrupt(progress: FrontProgress) -> None:
        signal.raise_signal(signal.SIGINT)

    problem = _problem(load_breast_cancer, 4)
    limit = odt.Budget(time_limit=60)  # should the interrupt not arrive
    front = odt.pareto(problem, generator="all", budget=limit, on_report=interrupt)
    assert front.stopped_by == "interrupt"
    assert front.points[0].values["error"] < 0.1


def test_empty_front_says_so() -> None:
    """No tree of depth 1 has fewer than 10 % errors on iris: there is nothing to choose."""
    X, y = load_iris(return_X_y=True)
    shape = odt.Shape(max_depth=1, max_error=0.1)
    front = odt.pareto(odt.Problem(odt.Dataset(X, y), shape=shape))
    assert front.points == ()
    with pytest.raises(odt.ProblemError, match="The front is empty"):
        front.best(0.1)


def test_max_error_cuts_the_front() -> None:
    """With max_error only trees below it are returned."""
    X, y = load_iris(return_X_y=True)
    shape = odt.Shape(max_depth=2, max_error=0.1)
    front = odt.pareto(odt.Problem(odt.Dataset(X, y), shape=shape), full=True, generator="all")
    assert _triples(front) == [(6, 250, 2), (7, 245, 2), (12, 240, 2), (15, 237, 2)]


def test_bad_arguments_are_refused() -> None:
    """Unknown measures and limits that a front cannot keep are named in the message."""
    problem = _problem(load_iris, 2)
    with pytest.raises(odt.ProblemError, match="two or three different ones"):
        odt.pareto(problem, "error")
    with pytest.raises(odt.ProblemError, match="name an exact solver"):
        odt.pareto(problem, "error,depth")
    with pytest.raises(odt.ProblemError, match="cart_leafs"):
        odt.pareto(problem, generator="cart_leafs(3)")
    with pytest.raises(odt.UnsupportedProblemError, match="max_depth"):
        odt.pareto(odt.Problem(problem.dataset))
    with pytest.raises(odt.ProblemError, match="alpha"):
        odt.pareto(problem).best(-1)


def test_frame_lists_the_points() -> None:
    """The table has one row a point, with the ends of its alpha interval."""
    frame = odt.pareto(_problem(load_iris, 2), full=True, generator="all").to_frame()
    assert len(frame) == 22
    assert frame["on_hull"].sum() == 3
    assert frame["alpha_to"].max() == float("inf")


def test_costs_of_tests_enter_exactly() -> None:
    """A free feature makes its tests free: complexity 0 with fewer errors dominates the leaf."""
    data = odt.Dataset([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 1, 1], test_costs=[0.0, 0.5])
    problem = odt.Problem(data, shape=odt.Shape(max_depth=2))
    front = odt.pareto(problem, full=True, generator="all")
    # x0 is free; asking x1 of two of the four rows costs 0.5 * 2 / 4
    assert [tuple(p.values.values()) for p in front.points] == [(0.0, 0.25), (0.25, 0.0)]
    assert isinstance(front.points[0].tree.amounts(data), Amounts)


def test_structural_limits_are_refused() -> None:
    """Forced tests and limits of a user's own are not silently ignored."""
    X, y = load_iris(return_X_y=True)
    shape = odt.Shape(max_depth=2, forced={"": 2})
    with pytest.raises(odt.UnsupportedProblemError, match="forced"):
        odt.pareto(odt.Problem(odt.Dataset(X, y), shape=shape))
