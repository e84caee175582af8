"""Missing values: what a gap means is part of the test set, so every exact solver is exact."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import odt
from odt import Capability, Dataset, Measure, Problem, Shape, Test, TestSet, Tree
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


# ---- a referee that shares no code: plain Python over raw rows with None --------------------

Rows = list[list[float | str | None]]


def raw_problem(seed: int, policy: str) -> tuple[Rows, list[str], list[int]]:
    """Return rows of a number and a colour with gaps, labels and weights."""
    rng = np.random.default_rng(seed)
    rows: Rows = []
    for _ in range(int(rng.integers(3, 8))):
        number = None if rng.random() < 0.3 else float(rng.integers(0, 3))
        colour = None if rng.random() < 0.3 else str(rng.choice(["red", "blue"]))
        rows.append([number, colour])
    labels = [str(c) for c in rng.choice(["a", "b", "c"][: 2 + (policy == "learned")], len(rows))]
    return rows, labels, rng.integers(1, 4, len(rows)).tolist()


def raw_splits(rows: Rows, policy: str) -> set[frozenset[int]]:
    """Return the sets of rows that some test sends left, from what the guide says of gaps."""
    n, found = range(len(rows)), set()
    numbers = {row[0] for row in rows if row[0] is not None}
    gaps = frozenset(i for i in n if rows[i][0] is None)
    for limit in numbers:  # the largest one asks whether the number is known
        low = frozenset(i for i in n if i not in gaps and rows[i][0] <= limit)
        found |= {low, low | gaps} if policy == "learned" else {low}
    gone = frozenset(i for i in n if rows[i][1] is None)
    for colour in {row[1] for row in rows}:
        those = frozenset(i for i in n if rows[i][1] == colour)
        found |= {those, those | gone} if policy == "learned" else {those}
    return found


def least_errors(
    inside: frozenset[int], depth: int, splits: set[frozenset[int]], y: list[str], w: list[int]
) -> int:
    """Return the least weight that a tree of some depth gets wrong."""
    held = {label: sum(w[i] for i in inside if y[i] == label) for label in y}
    best = sum(w[i] for i in inside) - max(held.values())
    for left in splits if depth else ():
        if inside & left and inside - left:
            sides = (inside & left, inside - left)
            best = min(best, sum(least_errors(side, depth - 1, splits, y, w) for side in sides))
    return best


def walked(stored: dict, row: list[float | str | None]) -> str:
    """Return the label that a stored tree gives to a raw row, with gaps as None or NaN."""
    node, schema = 0, stored["schema"]
    while stored["tests"][node] is not None:
        test = stored["tests"][node]
        value = row[test["feature"]]
        gone = value is None or value != value
        if "threshold" in test:
            yes = test.get("missing_left", False) if gone else value <= test["threshold"]
        else:
            known = schema["categories"][test["feature"]]
            yes = ("?" if gone else value) in [known[code] for code in test["categories"]]
        node = stored["left" if yes else "right"][node]
    return schema["classes"][stored["label"][node]]


@pytest.mark.parametrize("policy", ["learned", "category"])
def test_every_solver_that_takes_gaps_agrees_with_the_raw_rows(
    solver: odt.Solver, policy: str
) -> None:
    """The claimed error is that of predictions by hand, and a proved one is the least there is.

    Solvers for trees without errors must find one where equal raw rows have one label.
    """
    if Capability.MISSING not in solver.supports:
        pytest.skip("it does not take gaps")
    proved, counts_errors = 0, Measure.ERROR in solver.supports
    shape = Shape(max_depth=2) if counts_errors else Shape(max_error=0)
    for seed in range(12):
        rows, labels, weights = raw_problem(seed, policy)
        frame = pd.DataFrame(rows, columns=["n", "c"])
        data = Dataset(frame, labels, weights, missing=policy)
        problem = Problem(data, "error" if counts_errors else "size", shape)
        if not problem.needs <= solver.supports:
            continue
        result = odt.solve(problem, solver, budget=odt.Budget(60))
        if result.tree is None:
            assert result.status is odt.Status.INFEASIBLE, seed
            labelled = {(*row, y) for row, y in zip(rows, labels, strict=True)}
            assert len(labelled) > len({tuple(row) for row in rows})
            continue
        by_hand = [walked(json.loads(result.tree.to_json()), row) for row in rows]
        assert result.tree.predict(frame).tolist() == by_hand, seed
        wrong = sum(w for w, a, b in zip(weights, by_hand, labels, strict=True) if a != b)
        if not counts_errors:
            assert not wrong, seed
            proved += 1
            continue
        splits = raw_splits(rows, policy)
        least = least_errors(frozenset(range(len(rows))), 2, splits, labels, weights)
        assert result.objective == pytest.approx(wrong / sum(weights)), seed
        assert wrong >= least, seed
        assert result.bound is None or result.bound <= least / sum(weights) + 1e-12, seed
        if result.status is odt.Status.OPTIMAL:
            assert wrong == least, seed
            proved += 1
    assert proved > 5 or not solver.exact
