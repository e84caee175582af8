"""The solver ``auto``: the right engine, its reason in the answer, never worse than ``dpdt``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import odt
from odt.cli import main
from odt.engine.auto import choice, solver
from odt.engine.auto.choice import Engine, engines
from odt.testing import random_problem
from odt.testing.random_problems import OBJECTIVES

RNG = np.random.default_rng(3)
DATA = odt.Dataset(RNG.normal(size=(90, 5)), RNG.integers(0, 3, size=90))
SEEDS = range(120)


def problems() -> Iterator[odt.Problem]:
    """Yield random problems with every measure and limit."""
    for seed in SEEDS:
        objective = OBJECTIVES[seed % len(OBJECTIVES)]
        yield random_problem(seed, objective=objective, structure=seed % 2 == 1)


def test_few_tests_are_searched_rather_than_written_as_a_program() -> None:
    """Ten tests, depth 3, limited nodes: 1,000 sequences, which ``dp`` meets in no time."""
    data = odt.Dataset(RNG.integers(0, 2, size=(90, 10)), RNG.integers(0, 3, size=90))
    problem = odt.Problem(data, "error", odt.Shape(max_depth=3, max_leaf_nodes=5))
    assert [engine.name for engine in engines(problem)] == ["dp"]


@pytest.mark.parametrize(
    ("objective", "limits", "expected"),
    [
        ("error", {"max_depth": 1}, ["dp"]),
        ("error", {"max_depth": 3}, ["bnb", "dp"]),
        ("error, explanation_size", {"max_depth": 4, "min_samples_leaf": 3}, ["bnb", "dp"]),
        ("size, depth", {"max_error": 0}, ["min-size", "dp"]),
        ("error", {"max_depth": 3, "max_leaf_nodes": 5}, ["cp-sat", "dp"]),
        ("error + 0.1*worst_explanation_size", {"max_depth": 3}, ["cp-sat", "dp"]),
        ("error", {"max_depth": 21}, ["dp"]),
        ("error", {}, ["dp"]),
    ],
)
def test_the_engine_fits_the_problem(
    objective: str, limits: dict[str, float], expected: list[str]
) -> None:
    """Needs and size alone decide; ``dp`` is always the last resort."""
    problem = odt.Problem(DATA, objective, odt.Shape(**limits))
    assert [engine.name for engine in engines(problem)] == expected


def test_every_engine_proves_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no problem called tiny, each goes through its engine: cost and status of brute force."""
    monkeypatch.setattr(choice, "MOST_ROWS", 0)
    seen = set()
    for problem in problems():
        expected, found = odt.solve(problem, "brute-force"), odt.solve(problem)
        assert (found.status, found.cost) == (expected.status, expected.cost), found.method
        seen.add(found.stats["engine"])
    assert seen == {"dp", "bnb", "cp-sat", "min-size"}


def test_without_any_engine_the_tree_is_that_of_dpdt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the first tree is lost, and a tree alone is never called optimal."""
    monkeypatch.setattr(choice, "MOST_ROWS", 0)
    monkeypatch.setattr(solver, "engines", lambda problem: ())
    compared = 0
    for problem in problems():
        if problem.needs <= odt.solver_class("dpdt").supports:
            expected, found = odt.solve(problem, "dpdt"), odt.solve(problem)
            assert found.cost == expected.cost
            assert found.cost_bound is None
            compared += 1
    assert compared > 15


def test_an_engine_that_cannot_go_on_is_followed_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """``and-or`` refuses costs of this size in words; ``dp`` then proves, and both are told."""
    data = odt.Dataset(DATA.X, DATA.y, np.where(RNG.random(90) < 0.5, 1.0, 1e-14))
    pair = [Engine("and-or", "a test"), Engine("dp", "another")]
    monkeypatch.setattr(solver, "engines", lambda problem: pair)
    result = odt.solve(odt.Problem(data, "error, size", odt.Shape(max_depth=2)))
    assert result.status is odt.Status.OPTIMAL
    assert "and-or" in result.stats["given_up"]["and-or"]
    assert result.method == "auto took dp (another)"


def test_the_answer_names_the_engine_and_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """In the text of a result, and in the line that the command prints by default."""
    result = odt.solve(odt.Problem(DATA, shape=odt.Shape(max_depth=3)))
    assert str(result).startswith("auto took bnb (costs and limits add up over leaves, depth 3): ")
    assert main(["solve", "iris", "--max-depth", "1"]) == 0
    assert "auto took dp (the whole search is tiny): optimal" in capsys.readouterr().out
    named = odt.solve(odt.Problem(DATA, shape=odt.Shape(max_depth=1)), "dp")
    assert named.method == "dp"


def test_the_estimator_uses_it_with_a_time_limit() -> None:
    """A fit ends after a minute by default, and ``None`` takes the limit away."""
    model = odt.OptimalTreeClassifier().fit(DATA.X, DATA.y)
    assert model.result_.solver == "auto"
    assert model.status_ == "optimal"
    assert odt.OptimalTreeClassifier().time_limit == 60
