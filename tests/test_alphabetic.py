"""The alphabetic solver: least explanation size, and depth within the bounds of Theorem 1."""

from __future__ import annotations

from functools import cache
from math import log2

import numpy as np
import pytest

import odt
from heuristics.codes import Fork, fork_of, garsia_wachs, gilbert_moore, minimax

MEASURES = ("worst_explanation_size", "explanation_size", "depth", "expected_tests")


def consistent(seed: int, max_rows: int = 10) -> odt.Dataset:
    """Random rows with repeated values and weights, whose label depends on the row alone."""
    rng = np.random.default_rng([7, seed])
    n, p = int(rng.integers(2, max_rows + 1)), int(rng.integers(1, 4))
    X = np.unique(rng.integers(0, int(rng.integers(2, 6)), size=(n, p)), axis=0).astype(float)
    y = rng.integers(0, int(rng.integers(2, 4)), size=len(X))
    weight = rng.integers(1, 6, size=len(X)) if rng.random() < 0.5 else None
    return odt.Dataset(X, y, weight)


def optimum(data: odt.Dataset, objective: str) -> odt.Result:
    """The least value of a measure among trees without errors, proved by dp."""
    result = odt.solve(odt.Problem(data, objective, odt.Shape(max_error=0.0)), "dp")
    assert result.status is odt.Status.OPTIMAL
    return result


def _built(data: odt.Dataset, metric: str, code: str) -> dict[str, float]:
    objective = "worst_explanation_size" if metric == "worst" else "explanation_size"
    problem = odt.Problem(data, objective, odt.Shape(max_error=0.0))
    result = odt.solve(problem, "alphabetic", metric=metric, code=code)
    assert result.status is odt.Status.OPTIMAL
    assert result.tree is not None
    return result.tree.measures(data)


def test_explanation_is_least_and_depth_is_bounded() -> None:
    """Theorem 1, both versions, on 200 random instances with optima from dp."""
    for seed in range(200):
        data = consistent(seed)
        best = {m: optimum(data, m).tree.measures(data)[m] for m in MEASURES}
        log = log2(data.n_samples)
        worst = _built(data, "worst", "gilbert-moore")
        assert worst["worst_explanation_size"] == best["worst_explanation_size"], seed
        assert worst["depth"] <= 2 * best["depth"] + log, seed
        mean = _built(data, "average", "gilbert-moore")
        assert mean["explanation_size"] == pytest.approx(best["explanation_size"]), seed
        heaviest = log2(data.total_weight / data.weights.min())
        assert mean["expected_tests"] <= 2 * best["expected_tests"] + min(log, heaviest) + 1e-9


def test_better_codes_keep_the_explanation_and_lower_the_depth() -> None:
    """Minimax is never deeper than Gilbert-Moore, the optimal code never longer on average."""
    shorter = 0
    for seed in range(150):
        data = consistent(seed, max_rows=14)
        plain, better = (_built(data, "worst", c) for c in ("gilbert-moore", "minimax"))
        assert plain["worst_explanation_size"] == better["worst_explanation_size"]
        assert better["depth"] <= plain["depth"]
        mean, least = (_built(data, "average", c) for c in ("gilbert-moore", "optimal"))
        assert mean["explanation_size"] == pytest.approx(least["explanation_size"])
        assert least["expected_tests"] <= mean["expected_tests"] + 1e-9
        shorter += least["expected_tests"] < mean["expected_tests"]
    assert shorter > 10


def _depths(fork: Fork | int, depth: int = 0) -> list[int]:
    if not isinstance(fork, Fork):
        return [depth]
    return _depths(fork.left, depth + 1) + _depths(fork.right, depth + 1)


def _least_total(weights: list[int]) -> int:
    """Least sum of weight times depth, by the interval recursion over all alphabetic trees."""

    @cache
    def cost(i: int, j: int) -> int:
        halves = (cost(i, m) + cost(m + 1, j) for m in range(i, j))
        return sum(weights[i : j + 1]) + min(halves) if i < j else 0

    return cost(0, len(weights) - 1)


def _least_height(below: list[int]) -> int:
    """Least depth of all that hangs below, by the same recursion."""

    @cache
    def cost(i: int, j: int) -> int:
        halves = (max(cost(i, m), cost(m + 1, j)) for m in range(i, j))
        return 1 + min(halves) if i < j else below[i]

    return cost(0, len(below) - 1)


def test_codes_are_optimal() -> None:
    """Garsia-Wachs and minimax equal the interval recursion; leaves stay in order."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(1, 10))
        weights = rng.integers(0, 8, size=n).tolist()
        depths = _depths(fork_of(garsia_wachs(weights)))
        total = sum(w * d for w, d in zip(weights, depths, strict=True))
        assert total == _least_total(weights)
        below = rng.integers(0, 6, size=n).tolist()
        reached = [d + b for d, b in zip(_depths(fork_of(minimax(below))), below, strict=True)]
        assert max(reached) == _least_height(below)
        sizes = rng.integers(1, 50, size=n).tolist()
        lengths = gilbert_moore(sizes)
        found = _depths(fork_of(lengths))
        assert all(d <= length for d, length in zip(found, lengths, strict=True))


def test_greedy_beyond_the_states() -> None:
    """Without states the tree is greedy: consistent, never below the proved optimum."""
    for seed in range(60):
        data = consistent(seed)
        problem = odt.Problem(data, "explanation_size", odt.Shape(max_error=0.0))
        greedy = odt.solve(problem, "alphabetic", max_states=0)
        exact = odt.solve(problem, "alphabetic")
        assert greedy.cost is not None
        assert greedy.cost_bound is not None
        assert greedy.cost_bound <= exact.cost <= greedy.cost


def test_contradictory_rows() -> None:
    """Without errors there is no tree, and that is said; with errors the largest class wins."""
    data = odt.Dataset([[0.0], [0.0], [0.0], [1.0]], ["a", "b", "b", "a"])
    strict = odt.Problem(data, "explanation_size", odt.Shape(max_error=0.0))
    assert odt.solve(strict, "alphabetic").status is odt.Status.INFEASIBLE
    assert odt.solve(odt.Problem(data, "error"), "alphabetic").objective == 0.25


def test_iris_needs_two_attributes() -> None:
    """No path over iris needs more than two of the four measures, proved in a moment."""
    data = odt.datasets.load_dataset("iris")
    problem = odt.Problem(data, "worst_explanation_size", odt.Shape(max_error=0.0))
    result = odt.solve(problem, "alphabetic")
    assert result.status is odt.Status.OPTIMAL
    assert result.objective == 2


@pytest.mark.parametrize(("option", "value"), [("metric", "mean"), ("code", "huffman")])
def test_unknown_options_are_refused(option: str, value: str) -> None:
    """The message lists what there is."""
    problem = odt.Problem(odt.Dataset([[0.0], [1.0]], [0, 1]))
    with pytest.raises(odt.ProblemError, match="must be one of"):
        odt.solve(problem, "alphabetic", **{option: value})
