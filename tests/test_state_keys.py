"""States of the compiled search are told apart by everything that changes their front.

Where explanations are priced, the front of a set of rows depends on the features already used on
the path. A key that mixes those up gives a tree that is called optimal and is not.
"""

from __future__ import annotations

from fractions import Fraction

import numba
import numpy as np
import pytest

import odt
from odt.core.solver import Status
from odt.engine.front import search as fronts
from odt.engine.front.columns import Columns
from odt.engine.front.kernels import search
from odt.engine.front.kernels.memo import USED, Memo, enlarge, make_memo
from odt.mdp.generator import AllTests
from odt.model.measure import Measure

OBJECTIVES = ("error, explanation_size", "error + 0.1*explanation_size", "explanation_size, error")


def explained(seed: int, width: int, objective: str) -> odt.Problem:
    """A problem with five features among `width` columns, the others being constant.

    In every third problem two features lie 64 columns apart, bits of one place in two words, and
    in every third one the numbers of two features add up to that of another.
    """
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 10)), int(rng.integers(2, 4))
    places = rng.choice(width, size=5, replace=False)
    if width > 64 and seed % 3:
        first, second = sorted(rng.choice(width // 2 - 5, size=2, replace=False))
        third = first + 64 if seed % 3 == 1 else first + second + 1
        places[:3] = first, second, third
    X = np.zeros((n, width))
    X[:, places] = rng.integers(0, 3, size=(n, 5))
    weight = rng.integers(1, 4, size=n) if rng.random() < 0.3 else None
    data = odt.Dataset(X, rng.integers(0, k, size=n), weight)
    return odt.Problem(data, objective, odt.Shape(max_depth=int(rng.integers(3, 5))))


def check(problem: odt.Problem, context: str) -> None:
    """Dpdt with every test, and the exact front, agree with dynamic programming over exact sets."""
    optimum = odt.solve(problem, "dp")
    result = odt.solve(problem, "dpdt", generator="all")
    assert result.status is Status.OPTIMAL, context
    assert result.cost == optimum.cost, context


def check_front(problem: odt.Problem, context: str) -> None:
    """Each price of explanations finds the optimum of `dp` on the front."""
    front = odt.pareto(problem, "error,explanation_size", generator="all", full=True)
    assert front.exact
    for alpha in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 4)):
        priced = odt.Problem(
            problem.dataset, f"error + {float(alpha)}*explanation_size", problem.shape
        )
        best = front.best(alpha)
        value = best.values["error"] + float(alpha) * best.values["explanation_size"]
        optimum = odt.solve(priced, "dp").objective
        assert value == pytest.approx(optimum, abs=1e-9), context


def test_features_one_and_two_are_not_feature_three() -> None:
    """The sets {0, 1} and {2} of used features are two states: 5 of 6 rows need two features.

    Without errors the least mean explanation is (5 * 2 + 0) / 6 = 10 / 6 = 1.6667, found by
    enumeration; a key in which 1 + 2 = 3 gave 11 / 6 with a proof.
    """
    X = [[0, 1, 2, 2, 2], [2, 0, 1, 1, 1], [2, 2, 0, 0, 0], [2, 1, 1, 0, 1], [1, 1, 0, 2, 1],
         [0, 2, 0, 2, 2]]  # fmt: skip
    data = odt.Dataset(X, [0, 2, 1, 1, 2, 1])
    problem = odt.Problem(data, "error, explanation_size", odt.Shape(max_depth=3))
    result = odt.solve(problem, "dpdt", generator="all")
    assert result.objective == (0, pytest.approx(10 / 6))
    assert result.status is Status.OPTIMAL


@pytest.mark.parametrize("width", [5, 64, 200])
def test_priced_explanations_agree_with_exact_sets(width: int) -> None:
    """Small problems, their features in the first word of a key, at its edge, and beyond."""
    for seed in range(120):
        problem = explained(seed, width, OBJECTIVES[seed % 3])
        check(problem, f"seed {seed}, width {width}")


def test_exact_fronts_of_explanations_hold() -> None:
    """The trade-off search shares the keys; its points were refused or wrong."""
    for seed in range(40):
        check_front(explained(seed, 5 if seed % 2 else 140, "error"), f"seed {seed}")


@pytest.mark.slow
def test_thousands_of_priced_explanations_agree_with_exact_sets() -> None:
    """The same on more problems than the default suite has time for."""
    for seed in range(1000, 4000):
        width = (5, 64, 200)[seed % 3]
        check(explained(seed, width, OBJECTIVES[seed // 3 % 3]), f"seed {seed}")
        if seed % 4 == 0:
            check_front(explained(seed, width, "error"), f"seed {seed}")


@numba.njit
def _use(data, work, column, step):
    """The inner kernel, for Python."""
    search.use(data, work, column, step)


def test_a_key_is_the_set_of_features_on_the_path() -> None:
    """200 features in four words, put on a path and taken off it in random order, some twice."""
    rng = np.random.default_rng(5)
    data = odt.Dataset(rng.random((8, 200)), [0, 1] * 4)
    problem = odt.Problem(data, "error + 0.1*explanation_size", odt.Shape(max_depth=3))
    arrays = Columns.of(problem).data(Measure.EXPLANATION_SIZE.priced(), frozenset())
    rules = AllTests().rules(3)
    work = fronts._work(arrays, rules, np.zeros(1, dtype=np.uint8), True, 1, 0, 1)
    path: list[int] = []
    for _ in range(600):
        if path and rng.random() < 0.45:
            _use(arrays, work, path.pop(int(rng.integers(len(path)))), -1)
        else:
            path.append(int(rng.integers(200)) if rng.random() < 0.8 or not path else path[-1])
            _use(arrays, work, path[-1], 1)
        expected = sum(1 << feature for feature in set(path))
        assert int.from_bytes(work.key[USED:].tobytes(), "little") == expected


def test_a_grown_memo_finds_every_key_again() -> None:
    """Keys of several words that differ in one bit each stay apart when the table grows."""
    memo = make_memo(64, 64, 5)
    keys = np.zeros((20, 5), dtype=np.uint64)
    keys[:, 0] = 7
    for i in range(20):
        keys[i, 2 + i % 3] = 1 << i
        memo = _with(memo, keys[i], i)
    grown = enlarge(memo)
    stored = {
        tuple(grown.slots[s]): int(grown.where[s, 0]) for s in np.flatnonzero(grown.where[:, 1])
    }
    assert stored == {tuple(key): i for i, key in enumerate(keys)}


def _with(memo: Memo, key: np.ndarray, place: int) -> Memo:
    """Put a key into the next free slot, as no search would; `enlarge` places it anew."""
    memo.slots[place], memo.where[place] = key, (place, 1)
    return memo
