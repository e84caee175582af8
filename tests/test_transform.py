"""Support sets, bounds, dominated tests and contradictions."""

from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import odt
from odt.testing import consistent, random_problem
from odt.transform import (
    SupportSets,
    check_consistent,
    pair_cover_bound,
    resolve,
    restrict,
    support_set_bound,
    undominated_tests,
)

CONSISTENT = odt.Shape(max_error=0.0)


def problem_of(data, objective="size"):
    """Return the problem of a smallest consistent tree."""
    return odt.Problem(data, objective, CONSISTENT)


def random_data(seed, n=9, p=5, n_classes=3):
    """Return distinct random rows of small integers."""
    rng = np.random.default_rng([9, seed])
    X = np.unique(rng.integers(0, 3, size=(n, p)), axis=0).astype(float)
    return odt.Dataset(X, rng.integers(0, n_classes, size=len(X)))


def separates(data, features):
    """Say from the raw rows whether some features tell all classes apart."""
    columns = data.X[:, sorted(features)]
    return all(
        (columns[i] != columns[j]).any()
        for i, j in combinations(range(len(columns)), 2)
        if data.y[i] != data.y[j]
    )


def test_minimal_support_sets_equal_enumeration():
    """All subsets of features, tested one by one on the raw rows, give the same minimal sets."""
    for seed in range(60):
        data = random_data(seed)
        sets = SupportSets(problem_of(data))
        all_sets = [
            set(c) for k in range(6) for c in combinations(range(5), k) if separates(data, c)
        ]
        minimal = [s for s in all_sets if not any(t < s for t in all_sets)]
        expected = sorted((tuple(sorted(s)) for s in minimal), key=lambda s: (len(s), s))
        assert sets.minimal(5) == expected
        assert sets.minimal(2) == [s for s in expected if len(s) <= 2]
        for features in [(), (0,), (0, 1), (1, 2, 3), (0, 1, 2, 3, 4)]:
            assert sets.contains(features) == separates(data, features)
        smallest = sets.smallest()
        assert smallest.cost == smallest.bound == len(smallest.features) == len(expected[0])
        assert separates(data, smallest.features)


def test_smallest_with_costs():
    """A cheap pair of features beats a dear single one, and the other way round."""
    data = consistent.alternating_with_hint(4)  # {0} is the only minimal support set
    assert SupportSets(problem_of(data)).smallest([5.0, 1.0]).features == (0,)
    bits = consistent.parity(2)
    X = np.column_stack([bits.X, bits.y])
    sets = SupportSets(problem_of(odt.Dataset(X, bits.y)))
    assert sets.minimal(3) == [(2,), (0, 1)]
    assert sets.smallest([1.0, 1.0, 1.5]).features == (2,)
    cheap = sets.smallest([1.0, 1.0, 2.5])
    assert (cheap.features, cheap.cost, cheap.bound) == ((0, 1), 2.0, 2.0)
    with pytest.raises(odt.ProblemError, match="3 positive numbers"):
        sets.smallest([1.0, 0.0, 1.0])


def test_many_features_and_delta_max():
    """More than 64 features: masks of several words."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(12, 150)).astype(float)
    data = odt.Dataset(X, np.arange(12) % 2)
    sets = SupportSets(problem_of(data))
    pairs = [(i, j) for i in range(12) for j in range(i) if (i - j) % 2]
    assert sets.delta_max == max(int((X[i] != X[j]).sum()) for i, j in pairs)
    smallest = sets.smallest()
    assert smallest.bound == smallest.cost
    assert separates(data, smallest.features)


@pytest.mark.needs_data
def test_published_support_sets_of_tiny_instances():
    """The support sets, delta_max and restricted optima of the 22 instances."""
    path = Path(os.environ["ODT_DATA"]) / "minsize" / "tiny.json"
    for known in json.loads(path.read_text()):
        data = odt.Dataset(np.array(known["X"], dtype=float), known["y"])
        sets = SupportSets(problem_of(data))
        assert sets.delta_max == known["delta_max"], known["name"]
        found = sets.minimal(known["d"])
        assert sorted(map(list, found)) == sorted(known["minimal_support_sets"]), known["name"]
        for objective, key in (("size", "inner"), ("depth", "depth")):
            best = min(
                odt.solve(restrict(problem_of(data, objective), s), "min-size").objective
                for s in found
            )
            value = (best - 1) / 2 if objective == "size" else best
            assert value == known[f"{key}_best_minimal_ss"], known["name"]


def test_restriction_loses_the_optimum_as_theorems_16_and_17_say():
    """L_4: 15 branches instead of 5; Ln_8: 8 instead of 2."""
    for data, full, restricted in (
        (consistent.parity_with_hint(4), 5, 15),
        (consistent.alternating_with_hint(8), 2, 8),
    ):
        problem = problem_of(data)
        (features,) = SupportSets(problem).minimal(8)
        assert odt.solve(problem, "min-size").tree.n_branches == full
        smaller = restrict(problem, features)
        assert odt.solve(smaller, "min-size").tree.n_branches == restricted
        assert smaller.candidate_tests.complete is False
    with pytest.raises(odt.ProblemError, match="no features"):
        restrict(problem, [7])


def test_contradictory_pairs_are_ignored():
    """A support set separates what can be separated."""
    data = odt.Dataset([[0, 0], [0, 0], [1, 0]], [0, 1, 1])
    assert SupportSets(problem_of(data)).minimal(2) == [(0,)]


def test_support_set_solver_is_a_declared_heuristic():
    """Its tree uses a support set only, its status is feasible, its bound one of the problem."""
    data = consistent.alternating_with_hint(6)
    result = odt.solve(problem_of(data), "support-set")
    assert result.status is odt.Status.FEASIBLE
    assert result.tree.n_branches == 6
    assert result.bound <= 5.0
    assert result.stats["features"] == (0,)
    assert result.stats["within_features"] == "optimal"
    chosen = odt.solve(problem_of(data), "support-set", features=(0, 1))
    assert chosen.tree.n_branches == 2
    with pytest.raises(odt.ProblemError, match="not a support set"):
        odt.solve(problem_of(data), "support-set", features=(1,))


def test_bounds_hold():
    """Both bounds are at most the least number of branches, and are met where they can be."""
    for seed in range(80):
        problem = problem_of(random_data(seed, n_classes=2 + seed % 3))
        optimum = min(size for size, _ in consistent.fronts(problem))
        assert support_set_bound(problem) <= optimum
        assert pair_cover_bound(problem) <= optimum
    # 4 examples, 4 pairs, each of the two bits separates 2 of them; the optimum is 3
    assert pair_cover_bound(problem_of(consistent.parity(2))) == 2
    assert support_set_bound(problem_of(consistent.parity(4))) == 4
    assert pair_cover_bound(problem_of(odt.Dataset([[0.0], [1.0]], [0, 0]))) == 0


def test_dropping_dominated_tests_keeps_every_optimum():
    """Without limits on the leaves, for every objective on consistent data."""
    objectives = ("size", "depth", "expected_tests", "explanation_size", "size, expected_tests",
                  "worst_explanation_size, depth")  # fmt: skip
    dropped = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.unique(rng.integers(0, 6, size=(6, 2)), axis=0)
        data = odt.Dataset(X, rng.integers(0, 2 + seed % 2, size=len(X)))
        for objective in objectives:
            problem = odt.Problem(data, objective, odt.Shape(max_error=0.0, max_depth=3))
            tests = undominated_tests(problem)
            dropped += len(problem.candidate_tests) - len(tests)
            fewer = odt.Problem(data, objective, problem.shape, tests)
            optimum = odt.solve(problem, "brute-force").cost  # with all tests
            for same in (problem, fewer):
                assert odt.solve(same, "dp").cost == optimum, (seed, objective)
    assert dropped > 100


@pytest.mark.parametrize("solver", ["dp", "min-size", "fpt", "cp-sat", "and-or", "flow-oct"])
def test_of_tests_that_dominate_each_other_one_is_kept(solver):
    """Two thresholds in one gap split alike and purely; without both no tree is consistent."""
    data = odt.Dataset([[0.0], [1.0]], ["a", "b"])
    tests = odt.TestSet((odt.Test(0, threshold=0.3), odt.Test(0, threshold=0.6)))
    problem = odt.Problem(data, "size", odt.Shape(max_error=0, max_depth=1), tests)
    assert len(undominated_tests(problem)) == 1
    assert odt.solve(problem, solver).objective == 3  # one branch and two leaves


def test_dominated_tests_are_kept_where_dropping_is_not_exact():
    """With errors or limits on the leaves it refuses."""
    data = consistent.parity(2)
    for shape in (odt.Shape(), odt.Shape(max_error=0.0, min_samples_leaf=2)):
        with pytest.raises(odt.ProblemError, match="max_error=0"):
            undominated_tests(odt.Problem(data, "size", shape))


def test_conflicts_are_listed_with_the_ways_out():
    """The error names the rows and labels, the error that is unavoidable, and resolve()."""
    data = odt.Dataset([[0.0], [0.0], [1.0], [0.0]], ["n", "y", "n", "y"])
    with pytest.raises(odt.DataError) as caught:
        check_consistent(problem_of(data))
    message = str(caught.value)
    assert "rows 0, 1, 3 are equal but have the labels 'n', 'y'" in message
    assert "Shape(max_error=0.25)" in message
    assert "resolve" in message
    allowed = odt.Problem(data, "size", odt.Shape(max_error=0.25))
    assert odt.solve(allowed, "dp").objective == 3.0
    check_consistent(problem_of(consistent.parity(2)))


def test_resolve():
    """Majority keeps the heavier label; drop keeps rows without contradiction; both consistent."""
    frame_like = odt.Dataset(
        [["red", 1.5], ["red", 1.5], ["red", 1.5], ["blue", 2.0]],
        ["n", "y", "y", "n"],
        [5.0, 1.0, 1.0, 1.0],
        categorical=[0],
    )
    majority = resolve(frame_like, "majority")
    assert majority.n_samples == 2
    assert not majority.conflicts
    assert majority.schema.categories == frame_like.schema.categories
    assert [majority.classes[c] for c in majority.y] == ["n", "n"]
    assert resolve(frame_like, "drop").n_samples == 1
    with pytest.raises(odt.ProblemError, match="'majority' or 'drop'"):
        resolve(frame_like, "vote")
    with pytest.raises(odt.DataError, match="no data"):
        resolve(odt.Dataset([[0.0], [0.0]], [0, 1]), "drop")


def test_resolved_random_data_are_consistent():
    """On random data with contradictions, both ways leave a problem that has a consistent tree."""
    found = 0
    for seed in range(200):
        data = random_problem(seed).dataset
        if not data.conflicts:
            continue
        found += 1
        check_consistent(problem_of(resolve(data, "majority")))
    assert found > 10
