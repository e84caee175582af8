"""Missing values: what a gap means is part of the test set, so every exact solver is exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import odt
from odt import Dataset, Problem, Shape, Test, TestSet, Tree
from odt.core.registry import make_solver
from odt.testing import enumerated_optimum, varied_problem

NAN = float("nan")


@pytest.mark.parametrize("name", ["dp", "brute-force", "dpdt", "bnb", "min-size", "cp-sat"])
def test_solvers_agree_with_enumeration(name: str) -> None:
    """Random problems with gaps: the proved optimum is that of all trees over the raw rows."""
    solver, proved = make_solver(name, {"generator": "all"} if name == "dpdt" else {}), 0
    for seed in range(120):
        problem = varied_problem(seed, solver.supports, max_rows=6, max_columns=2)
        if not problem.dataset.has_gaps or problem.costs.upper > 2**60:
            continue
        result = odt.solve(problem, solver, budget=odt.Budget(60))
        best = enumerated_optimum(problem)
        if best is None or result.objective is None:
            assert best == result.objective, seed
            continue
        values = result.objective if isinstance(result.objective, tuple) else (result.objective,)
        assert values == pytest.approx([float(level) for level in best]), seed
        proved += 1
    assert proved > 15


def test_a_gap_may_go_either_way() -> None:
    """Gaps belong with the small value: x <= 1.5 or missing is right, without it one row is wrong.

    Rows 1:a, 2:b, gap:a. With "category" a gap fails x <= 1.5, and one test leaves an error.
    """
    X, y = [[1.0], [2.0], [NAN]], ["a", "b", "a"]
    learned = Problem(Dataset(X, y, missing="learned"), shape=Shape(max_depth=1))
    tree = odt.solve(learned, "dp").tree
    assert tree.tests[0] == Test(0, threshold=1.5, missing_left=True)
    assert tree.predict(X).tolist() == y
    assert tree.predict([[None], [9.0]]).tolist() == ["a", "b"]
    assert tree.explain([NAN]) == ("x0 is missing", "class a")
    assert tree.explain([1.0]) == ("x0 <= 1.5", "class a")
    assert "x0 <= 1.5 or missing" in tree.to_text()
    own = Problem(Dataset(X, y, missing="category"), shape=Shape(max_depth=1))
    assert odt.solve(own, "dp").objective == pytest.approx(1 / 3)
    assert Tree.from_json(tree.to_json()) == tree


def test_candidate_tests() -> None:
    """Known or not, and each threshold with gaps on either side; a category likewise."""
    data = Dataset([[1.0], [2.0], [3.0], [NAN]], [0, 1, 0, 1], missing="learned")
    texts = [test.describe(data.schema) for test in TestSet.all(data)]
    assert texts == [
        "x0 <= 1.5", "x0 <= 2.5", "x0 is known", "x0 <= 1.5 or missing", "x0 <= 2.5 or missing",
    ]  # fmt: skip
    frame = pd.DataFrame({"c": ["r", "g", "b", None]})
    colours = Dataset(frame, [0, 1, 0, 1], missing="learned")
    texts = [test.describe(colours.schema) for test in TestSet.all(colours)]
    assert texts == ["c == ?", "c == b", "c == g", "c == r", "c in {?, b}", "c in {?, g}",
                     "c in {?, r}"]  # fmt: skip
    assert TestSet.count_all(data) == len(TestSet.all(data))
    assert TestSet.count_all(colours) == len(texts)


def test_gaps_are_refused_unless_their_meaning_is_given() -> None:
    """Without a policy in training, without gaps in training at prediction; infinity always."""
    with pytest.raises(odt.DataError, match="missing='learned'"):
        Dataset([[1.0], [NAN]], [0, 1])
    with pytest.raises(odt.DataError, match="'missing' must be one of"):
        Dataset([[1.0], [2.0]], [0, 1], missing="drop")
    with pytest.raises(odt.DataError, match="inf"):
        Dataset([[1.0], [float("inf")]], [0, 1], missing="learned")
    tree = odt.solve(Problem(Dataset([[1.0], [2.0]], [0, 1], missing="learned")), "dp").tree
    with pytest.raises(odt.DataError, match="training data had none"):
        tree.predict([[NAN]])


def test_a_tree_with_gaps_the_wrong_way_is_no_candidate() -> None:
    """Under "category" gaps fail every threshold; a claim that sends them left is a violation."""
    data = Dataset([[1.0], [2.0], [NAN]], [0, 1, 0], missing="category")
    test = Test(0, threshold=1.5, missing_left=True)
    tree = Tree.branch(test, Tree.leaf(0), Tree.leaf(1))
    assert "not among the candidates" in Problem(data).violations(tree)[0]
    learned = Dataset([[1.0], [2.0], [NAN]], [0, 1, 0], missing="learned")
    assert Problem(learned).violations(tree) == []


def test_columns_of_every_library_have_gaps() -> None:
    """None, NaN, pandas' NA and all-missing columns are gaps in numbers and in text."""
    frame = pd.DataFrame({"i": pd.array([1, None, 3], dtype="Int64"), "t": ["a", None, "b"],
                          "o": [1.5, None, 2.5], "n": [NAN] * 3})  # fmt: skip
    data = Dataset(frame, [0, 1, 0], missing="category")
    assert data.schema.has_gaps == (True,) * 4
    assert np.isinf(data.X).sum(axis=0).tolist() == [1, 0, 1, 3]
    tree = odt.solve(Problem(data, shape=Shape(max_depth=1)), "dp").tree
    assert tree.predict(frame).tolist() == [0, 1, 0]
