"""Branch and bound on raw data: equal to dp, invariant, anytime, exact at every scale."""

from __future__ import annotations

import os
import threading
import time

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import odt
from odt.engine.branch_and_bound import search, solver, subtrees
from odt.engine.branch_and_bound.lanes import LANES, class_weight, extreme_prefixes
from odt.engine.branch_and_bound.solver import BranchAndBound

OBJECTIVES = (
    "error",
    "error + 0.01*size",
    "error + 0.03*expected_tests",
    "error + 0.04*explanation_size",
    "error + 0.01*size + 0.01*expected_tests + 0.02*explanation_size",
    "error, size",
    "error, expected_tests",
    "error, explanation_size, size",
    "size, error",
    "expected_tests + 5*error",
)
OPTIMA = {"bank": 23, "raisin": 94, "wilt": 88, "bidding": 50, "room": 80}
LARGER_OPTIMA = {"rice": 243, "segment": 278, "page": 168, "occupancy": 185}


def random_problem(seed: int, *, heavy: bool = False, max_rows: int = 14) -> odt.Problem:
    """Return a random problem: ties, tiny gaps, huge values, weights, costs, limits on leaves.

    Where ``heavy``, some weights need kernels of 32 and 64 bits, which take long to compile.
    """
    rng = np.random.default_rng([11, seed])
    n, p = int(rng.integers(2, max_rows)), int(rng.integers(1, 5))
    X = np.column_stack([_column(rng, n) for _ in range(p)])
    if n > 4 and rng.random() < 0.4:
        X[rng.integers(n)] = X[rng.integers(n)]  # labels may contradict
    y = rng.integers(0, rng.integers(1, 6), size=n)
    weight = None
    if rng.random() < 0.4:
        weight = rng.integers(1, 6, size=n) / rng.choice([1.0, 3.0])
        if heavy:
            weight[rng.random(n) < 0.2] = rng.choice([1e5, 1e8 + 0.01])
    costs = rng.choice([0.5, 1.0, 2.0], size=p) if rng.random() < 0.3 else None
    categorical = [f for f in range(p) if set(X[:, f]) <= {0.0, 1.0, 2.0} and rng.random() < 0.5]
    data = odt.Dataset(X, y, weight, test_costs=costs, categorical=categorical)
    limits: dict[str, float] = {}
    if rng.random() < 0.3:
        limits["min_samples_leaf"] = int(rng.integers(2, 4))
    if rng.random() < 0.2:
        limits["min_weight_leaf"] = float(rng.choice([0.5, 2.0, 3.5]))
    tests = odt.TestSet.quantiles(data, 3) if rng.random() < 0.15 else None
    shape = odt.Shape(max_depth=int(rng.choice([0, 1, 2, 2, 3, 3, 3, 4])), **limits)
    return odt.Problem(data, OBJECTIVES[seed % len(OBJECTIVES)], shape, tests)


def _column(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    kind = rng.integers(6)
    if kind == 0:
        return rng.random(n)
    if kind == 1:
        return 1.0 + 1e-9 * rng.integers(0, 4, size=n)
    if kind == 2:
        return rng.choice([-1e300, -1e-300, 0.0, 1e300, 1.7e308], size=n)
    if kind == 3:
        return np.full(n, 2.0)
    return rng.integers(0, 3, size=n).astype(float)


def check_against_dp(seed: int, *, heavy: bool = False) -> None:
    """Solve one random problem twice and compare."""
    problem = random_problem(seed, heavy=heavy)
    expected, found = odt.solve(problem, "dp"), odt.solve(problem, "bnb")
    context = f"seed {seed}: {problem.objective}, {problem.shape}"
    assert found.status is expected.status, context
    assert found.cost == expected.cost, context
    assert found.cost_bound == expected.cost_bound, context
    if found.tree is not None:
        found.certificate()


def test_agrees_with_dp_on_random_problems() -> None:
    """Every objective, class number, weight and limit: the same cost and the same proof."""
    for seed in range(150):
        check_against_dp(seed)


@pytest.mark.slow
def test_agrees_with_dp_on_a_thousand_random_problems() -> None:
    """The same on 1,000 further problems."""
    for seed in range(150, 1150):
        check_against_dp(seed, heavy=seed % 2 == 0)


@pytest.mark.parametrize(
    ("kind", "low"), [(np.int16, -200), (np.int32, -9000), (np.int64, -(1 << 33))]
)
def test_lanes_add_as_a_plain_loop_does(kind: type[np.integer], low: int) -> None:
    """Vector passes over every width give the sums and extremes of a sequential pass."""
    extremes = numba.njit(lambda q, x, last, *rest: extreme_prefixes(q, x, last, *rest))
    total = numba.njit(lambda q, label, weight, *rest: class_weight(q, label, weight, *rest))
    rng = np.random.default_rng(5)
    for length in (1, 2, 7):
        n = length * LANES
        q, x = rng.integers(0, 20, size=n), rng.integers(low, -low, size=n)
        last = rng.integers(0, 2, size=n)
        slot = (np.arange(n) % length) * LANES + np.arange(n) // length
        lane = [np.empty(n, dtype=kind) for _ in range(3)]
        for array, values in zip(lane, (q, x, last), strict=True):
            array[slot] = values
        out = np.empty(3 * LANES, dtype=kind)
        for limit in (-1, 0, 9, 30):
            for flip, inside in ((0, q <= limit), (-1, q > limit)):
                sums = np.cumsum(np.where(inside, x, 0))
                cut = np.append(sums[last == 1], 0)
                bound = limit if flip == 0 else -limit - 2
                assert extremes(*lane, flip, bound, out) == (cut.min(), cut.max())
            weight = x[(q <= limit) & (last == 1)].sum()
            assert total(lane[0], lane[2], lane[1], limit, 1, out) == weight


def moons(n: int, p: int = 4, classes: int = 3) -> odt.Dataset:
    """Return data whose best trees of depth 3 still err."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p)).round(2)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > rng.normal(scale=0.5, size=n)).astype(int)
    y[X[:, 3] > 1] = classes - 1
    return odt.Dataset(X, y)


def test_order_labels_and_scale_do_not_matter() -> None:
    """Permuted rows, columns and labels and increasing maps of columns leave the optimum alone."""
    data = moons(150)
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(150), rng.permutation(4)
    labels = np.array(["u", "v", "w"])[[2, 0, 1]][data.y]
    variants = [
        odt.Dataset(data.X[rows][:, columns], data.y[rows]),
        odt.Dataset(data.X, labels),
        odt.Dataset(np.exp(5 * data.X), data.y),
        odt.Dataset(data.X**3 * 1e250, data.y),
        odt.Dataset(
            1.0 + 1e-13 * np.unique(data.X, return_inverse=True)[1].reshape(150, 4), data.y
        ),
    ]
    for objective in ("error", "error + 0.01*expected_tests"):
        expected = None
        for variant in (data, *variants):
            problem = odt.Problem(variant, objective, odt.Shape(max_depth=3))
            result = odt.solve(problem, "bnb")
            assert result.status is odt.Status.OPTIMAL
            expected = expected or result.objective
            assert result.objective == expected


def test_threads_change_nothing_but_the_time() -> None:
    """Cost, bound and tree are the same for 1, 2 and 3 threads."""
    for depth in (2, 3, 4):
        problem = odt.Problem(moons(160), "error", odt.Shape(max_depth=depth))
        results = [
            odt.solve(problem, "bnb", budget=odt.Budget(n_threads=threads)) for threads in (1, 2, 3)
        ]
        assert len({(r.status, r.cost, r.cost_bound, r.tree) for r in results}) == 1
        assert results[0].status is odt.Status.OPTIMAL


@pytest.mark.parametrize("batches", [0, 1, 2, 5, 12])
def test_a_stopped_run_has_a_valid_bound(batches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However early it ends: bound <= optimum <= cost; and the bound has risen after a while."""
    problem = odt.Problem(moons(300), "error", odt.Shape(max_depth=3))
    optimum = odt.solve(problem, "bnb").cost
    assert optimum is not None
    count = 0

    def stop_later(self: odt.Run) -> bool:
        nonlocal count
        count += 1
        if count > batches:
            self.interrupt()
        return self.stopped_by is not None

    monkeypatch.setattr(odt.Run, "should_stop", stop_later)
    monkeypatch.setattr(search, "BATCH", {3: 4})
    slow = subtrees.bisect

    def slowly(*args: object) -> None:
        time.sleep(0.05)  # longer than the run waits between two looks at the limits
        slow(*args)

    monkeypatch.setattr(subtrees, "bisect", slowly)
    result = odt.solve(problem, "bnb")
    assert result.stopped_by == "interrupt"
    assert result.cost is not None
    assert result.cost_bound is not None
    assert result.cost_bound <= optimum <= result.cost
    if batches == 12:
        assert result.cost_bound > 0


def test_ctrl_c_and_time_end_a_large_search_soon() -> None:
    """Kernels look at the flag often: a search of hours ends within a fraction of a second."""
    rng = np.random.default_rng(0)
    data = odt.Dataset(rng.random((4000, 12)), rng.integers(0, 3, size=4000))
    problem = odt.Problem(data, "error", odt.Shape(max_depth=5))
    odt.solve(odt.Problem(moons(60), "error", odt.Shape(max_depth=3)), "bnb")  # load the kernels
    started = time.perf_counter()
    result = odt.solve(problem, "bnb", budget=odt.Budget(time_limit=1.0))
    assert result.stopped_by == "time"
    assert result.tree is not None
    assert result.runtime["solve"] < 3  # 1.2 s on an idle machine
    assert time.perf_counter() - started < 10
    run = odt.Run(problem)
    threading.Timer(0.5, run.interrupt).start()
    started = time.perf_counter()
    BranchAndBound().solve(problem, run)
    assert time.perf_counter() - started < 3
    assert run.tree is not None
    assert run.bound is not None


def test_an_initial_tree_is_kept_or_beaten() -> None:
    """A given optimum is proved without a second search for it."""
    problem = odt.Problem(moons(200), "error", odt.Shape(max_depth=3))
    cold = odt.solve(problem, "bnb")
    warm = odt.solve(problem, "bnb", initial=cold.tree)
    assert warm.tree == cold.tree
    assert warm.status is odt.Status.OPTIMAL
    assert warm.stats["evaluated"] <= cold.stats["evaluated"]


@pytest.mark.parametrize(
    ("load", "depth", "errors"),
    [(load_iris, 2, 6), (load_iris, 3, 1), (load_wine, 3, 0), (load_breast_cancer, 2, 22)],
)
def test_bundled_optima(load, depth: int, errors: int) -> None:  # type: ignore[no-untyped-def]
    """Optima on raw data that dp proves too."""
    data = odt.Dataset(*load(return_X_y=True))
    result = odt.solve(odt.Problem(data, "error", odt.Shape(max_depth=depth)), "bnb")
    assert result.status is odt.Status.OPTIMAL
    assert result.tree is not None
    assert result.tree.amounts(data).errors == errors


def check_optimum(name: str, errors: int) -> None:
    """Prove the optimum of a whole set at depth 3."""
    result = odt.solve(
        odt.Problem(
            odt.datasets.load_dataset(f"continuous/{name}"), "error", odt.Shape(max_depth=3)
        ),
        "bnb",
    )
    assert (result.status, result.cost) == (odt.Status.OPTIMAL, errors)


needs_data = pytest.mark.skipif("ODT_DATA" not in os.environ, reason="needs ODT_DATA")


@needs_data
@pytest.mark.parametrize("name", OPTIMA)
def test_published_optima(name: str) -> None:
    """The optima of ConTree's authors at depth 3."""
    check_optimum(name, OPTIMA[name])


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", LARGER_OPTIMA)
def test_published_optima_of_larger_sets(name: str) -> None:
    """The same on the sets that take longer."""
    check_optimum(name, LARGER_OPTIMA[name])


def test_costs_beyond_58_bits_go_to_dp() -> None:
    """Random weights need 40 bits; with several levels the cost no longer fits the kernels."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, size=(8, 3)).astype(float), rng.integers(0, 3, size=8)
    problem = odt.Problem(
        odt.Dataset(X, y, rng.random(8)), "error, expected_tests, size", odt.Shape(max_depth=2)
    )
    assert problem.costs.upper > 2**58
    assert odt.solve(problem, "bnb").cost == odt.solve(problem, "dp").cost


def test_a_depth_beyond_twenty_is_refused() -> None:
    """The plan of a complete tree would not fit; the message says what to use."""
    data = odt.Dataset(np.arange(60.0)[:, None], np.arange(60) % 2)
    with pytest.raises(odt.ProblemError, match="at most 20"):
        odt.solve(odt.Problem(data, "error", odt.Shape(max_depth=30)), "bnb")


def test_a_table_too_large_for_memory_goes_to_dp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns squared times rows is the memory; beyond the limit the general engine solves."""
    problem = odt.Problem(moons(40), "error", odt.Shape(max_depth=2))
    expected = odt.solve(problem, "bnb")
    monkeypatch.setattr(solver, "LARGEST_FRAME", 100)
    found = odt.solve(problem, "bnb")
    assert "states" in found.stats
    assert (found.cost, found.status) == (expected.cost, expected.status)


def binary_problem(seed: int) -> odt.Problem:
    """Return a random problem of two-valued columns, weights and 2 to 4 classes."""
    rng = np.random.default_rng([12, seed])
    n, p = int(rng.integers(2, 40)), int(rng.integers(1, 8))
    X = (rng.random((n, p)) < rng.random(p)).astype(float)
    y = rng.integers(0, rng.integers(1, 5), size=n)
    weight = rng.integers(1, 8, size=n) / 2.0 if rng.random() < 0.5 else None
    objective = ("error", "error + 0.02*size", "error, size", "size, error")[seed % 4]
    shape = odt.Shape(max_depth=int(rng.integers(2, 5)))
    return odt.Problem(odt.Dataset(X, y, weight), objective, shape)


def test_pair_counts_agree_with_thresholds_and_dp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kernels and dp prove the same cost on two-valued columns."""
    problems = [binary_problem(seed) for seed in range(120)]
    found = [odt.solve(problem, "bnb") for problem in problems]
    assert sum(result.stats.get("kernel") == "pairs" for result in found) > 80
    assert [r.cost for r in found] == [odt.solve(p, "dp").cost for p in problems]
    monkeypatch.setattr(solver, "suits_pairs", lambda table: False)
    assert [r.cost for r in found] == [odt.solve(p, "bnb").cost for p in problems]
