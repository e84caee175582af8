"""Squared error as a measure of the core: exact values, solvers, claims, storage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

import odt
from odt.model.measure import Measure
from odt.testing import random_problem

OBJECTIVES = (
    "squared_error",
    "squared_error + 0.05*size",
    "squared_error, size",
    "squared_error + 1/7*expected_tests",
    "size, squared_error",
    "0.5*squared_error, depth",
    "squared_error + 0.25*depth",
    "squared_error, worst_explanation_size",
    "squared_error + 0.1*explanation_size",
)


def regression(seed: int) -> odt.Problem:
    """Return a small problem that varies data, weights, tests, limits and objective."""
    rng = np.random.default_rng(seed)
    base = random_problem(seed).dataset
    n = base.n_samples
    y = [rng.integers(-3, 4, n) / 4, rng.normal(size=n), 1e9 + rng.integers(0, 3, n) * 1e-3,
         np.full(n, 7.25)][rng.choice(4, p=[0.5, 0.3, 0.15, 0.05])]  # fmt: skip
    X = base.X[:, :2] if rng.random() < 0.5 else base.X
    weight = [None, rng.integers(1, 4, n), rng.random(n)][rng.integers(3)]
    data = odt.Dataset(X, y, weight, task="regression", categorical=[0] if seed % 5 == 0 else [])
    limits = {
        "max_depth": int(rng.integers(0, 3)),
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2])),
        "max_leaf_nodes": [None, 3][int(rng.random() < 0.2)],
        "max_features": [None, 1][int(rng.random() < 0.1)],
    }
    tests = odt.TestSet.quantiles(data, 2) if rng.random() < 0.2 else None
    return odt.Problem(data, str(rng.choice(OBJECTIVES)), odt.Shape(**limits), tests)


def by_hand(data: odt.Dataset, tree: odt.Tree) -> Fraction:
    """Return the mean squared error around exact means, in fractions, without the core."""
    rows: dict[int, list[tuple[Fraction, int]]] = {}
    values = [Fraction(repr(float(v))) for v in data.targets.values]
    for leaf, y, w in zip(tree.apply(data.X).tolist(), values, data.weights.tolist(), strict=True):
        rows.setdefault(leaf, []).append((y, w))
    total = Fraction(0)
    for own in rows.values():
        mean = sum(y * w for y, w in own) / sum(w for _, w in own)
        total += sum(w * (y - mean) ** 2 for y, w in own)
    return total / data.total_weight


def test_a_leaf_predicts_the_weighted_mean_and_its_error_is_exact() -> None:
    """Targets 1, 3 (weight 3), 10: means 2.5 and 10; the squares are 2.25 + 3 * 0.25 = 3 of 5."""
    data = odt.Dataset([[0.0], [0.0], [1.0]], [1, 3, 10], [1, 3, 1], task="regression")
    tree = odt.Tree.branch(odt.Test(0, threshold=0.5), odt.Tree.leaf(0), odt.Tree.leaf(0))
    fitted = tree.fitted(data)
    assert fitted.values.tolist() == [4.0, 2.5, 10.0]
    assert fitted.predict([[0.0], [9.0]]).tolist() == [2.5, 10.0]
    unit = float(data.targets.unit) / 5
    for one in (tree, fitted):
        assert 0 <= 3 / 5 - one.measures(data)["squared_error"] < 2 * unit
    elsewhere = odt.Dataset([[0.0], [1.0]], [2.0, 12.0], task="regression")
    assert fitted.measures(elsewhere)["squared_error"] == pytest.approx((0.25 + 4) / 2, abs=1e-9)


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(p, marks=pytest.mark.slow) for p in range(1, 12))]
)
def test_solvers_agree_with_brute_force(part: int) -> None:
    """On problems that vary everything, dp proves the optimum; dpdt with all tests brackets it."""
    for seed in range(30 * part, 30 * part + 30):
        problem = regression(seed)
        best = odt.solve(problem, "brute-force", check=False)
        for name in ("dp", "auto"):
            found = odt.solve(problem, name, check=True)
            assert (found.status, found.cost) == (best.status, best.cost), (seed, name)
        if best.tree is None:
            continue
        exact = by_hand(problem.dataset, best.tree)
        said = Fraction(best.tree.measures(problem.dataset)["squared_error"])
        room = problem.dataset.targets.unit / problem.dataset.total_weight
        assert -room <= exact - said <= (best.tree.n_leaves + 1) * room, seed
        near = odt.solve(problem, "dpdt", generator="all")
        assert near.cost_bound is None or near.cost_bound <= best.cost <= near.cost, seed
        if near.cost_bound is not None and not best.problem.needs & {Measure.DEPTH}:
            assert near.cost - best.cost <= problem.costs.prices.errors * 2000, seed


def test_what_only_classes_have_is_refused() -> None:
    """Errors of classes, limits on them, classification solvers, proofs, several targets."""
    X, y = [[0.0], [1.0], [2.0]], [0.5, 1.5, 4.0]
    data = odt.Dataset(X, y, task="regression")
    with pytest.raises(odt.ProblemError, match="'squared_error'"):
        odt.Problem(data)
    with pytest.raises(odt.ProblemError, match="task='regression'"):
        odt.Problem(odt.Dataset(X, [0, 1, 0]), "squared_error")
    for limit in ({"max_error": 0.5}, {"max_class_error": {None: 0.5}}):
        with pytest.raises(odt.ProblemError, match=next(iter(limit))):
            odt.Problem(data, "squared_error", odt.Shape(**limit))
    problem = odt.Problem(data, "squared_error", odt.Shape(max_depth=1))
    for name in ("cart", "bnb", "cp-sat", "min-size", "flow-oct"):
        with pytest.raises(odt.UnsupportedProblemError, match=r"squared_error.*auto.*dp.*dpdt"):
            odt.solve(problem, name)
    with pytest.raises(odt.UnsupportedProblemError, match="top"):
        odt.solve(odt.Problem(data, "squared_error", odt.Shape(max_depth=2)), "dpdt",
                  generator="top(3)")  # fmt: skip
    result = odt.solve(problem, "dp")
    with pytest.raises(odt.ProofError, match="squared_error"):
        result.proof()
    with pytest.raises(odt.UnsupportedProblemError, match="squared_error"):
        odt.mdp.TreeMDP(problem).to_networkx()
    with pytest.raises(odt.DataError, match="shares"):
        result.tree.predict_proba(X)
    with pytest.raises(odt.DataError, match="MultiOutputRegressor"):
        odt.Dataset(X, [[1, 2], [3, 4], [5, 6]], task="regression")
    with pytest.raises(odt.DataError, match="'task'"):
        odt.Dataset(X, y, task="ranking")
    for strange in (["a", "b", "c"], [1.0, np.nan, 2.0]):
        with pytest.raises(odt.DataError, match="y "):
            odt.Dataset(X, strange, task="regression")


@dataclass(frozen=True)
class Liar(odt.Solver):
    """Claims a lone leaf is optimal, with its own cost as the bound."""

    name: ClassVar[str] = "liar"
    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset] = frozenset({Measure.SQUARED_ERROR})

    def solve(self, problem, run):
        """Return the lie."""
        leaf = odt.Tree.leaf(0)
        return odt.Solution(odt.Status.OPTIMAL, leaf, problem.cost(leaf))


def test_false_claims_are_refused() -> None:
    """A leaf that one test would improve is no optimum, and a result changed later is none."""
    data = odt.Dataset([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0], task="regression")
    problem = odt.Problem(data, "squared_error", odt.Shape(max_depth=1))
    with pytest.raises(odt.InconsistentSolutionError, match="another tree"):
        odt.solve(problem, Liar())
    result = odt.solve(problem, "dp")
    tree = replace(result.tree, values=result.tree.values + 0.25)
    with pytest.raises(odt.InconsistentSolutionError, match="does not hold"):
        replace(result, tree=tree).certificate()


def test_the_unit_does_not_depend_on_the_scale() -> None:
    """Huge, tiny, offset and one-valued targets have the same best trees as plain ones."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], np.array([0.0, 1.0, 5.0, 7.0])
    for targets in (y * 1e300, y * 1e-300, y + 2.0**40, -y, y / 3):
        data = odt.Dataset(X, targets, task="regression")
        result = odt.solve(odt.Problem(data, "squared_error", odt.Shape(max_depth=1)), "auto")
        near = odt.solve(result.problem, "dpdt")
        assert (result.tree.tests[0].threshold, near.cost) == (1.5, result.cost)
    flat = odt.Dataset(X, [1.5] * 4, task="regression")
    result = odt.solve(odt.Problem(flat, "squared_error, size", odt.Shape(max_depth=2)))
    assert (result.objective, result.tree.values.tolist()) == ((0.0, 1.0), [1.5])


def test_parts_of_a_dataset_have_targets_of_their_own() -> None:
    """The rows that are taken keep their targets; rows of no weight are left out."""
    data = odt.Dataset([[0.0], [1.0], [2.0]], [1.0, 9.0, 3.0], [1, 0, 1], task="regression")
    assert data.targets.values.tolist() == [1.0, 3.0]
    assert data.take([1]).targets.values.tolist() == [3.0]
    assert "real targets" in repr(data)


def test_a_regression_tree_reads_back_and_converts() -> None:
    """JSON, Python, SQL, rules and scikit-learn predict the same numbers; ONNX says no."""
    import sqlite3

    from sklearn.datasets import load_diabetes

    from odt.convert.code import to_python, to_rules, to_sql
    from odt.convert.onnx import to_onnx
    from odt.convert.sklearn import from_sklearn, to_sklearn, to_sklearn_json

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    data = odt.Dataset(X, y, task="regression")
    result = odt.solve(odt.Problem(data, "squared_error", odt.Shape(max_depth=3)), "dpdt")
    tree, said = result.tree, result.tree.predict(X)
    assert np.mean((said - y) ** 2) == pytest.approx(result.objective)
    again = odt.Tree.from_json(tree.to_json())
    assert (again.predict(X) == said).all()
    code: dict = {}
    exec(to_python(tree), code)
    assert [code["predict"](row) for row in X.to_dict("records")] == said.tolist()
    base = sqlite3.connect(":memory:")
    X.to_sql("rows", base, index=False)
    assert [v for (v,) in base.execute(f"SELECT {to_sql(tree)} FROM rows")] == said.tolist()
    assert len(to_rules(tree)) == tree.n_leaves
    other = to_sklearn(tree, allow_rounding=True)
    assert np.mean(np.isclose(other.predict(X), said)) > 0.99
    back = from_sklearn(other, data)
    assert (back.n_nodes, back.depth) == (tree.n_nodes, tree.depth)
    plain = odt.Dataset([[1.0], [2.0], [3.0]], [1, 5, 9], task="regression")
    stump = odt.solve(odt.Problem(plain, "squared_error", odt.Shape(max_depth=1)), "dp").tree
    assert "classes" not in to_sklearn_json(stump)
    with pytest.raises(odt.DataError, match="ONNX"):
        to_onnx(tree)
    with pytest.raises(odt.DataError, match="for classification"):
        from_sklearn(other, odt.Dataset(X, y > 100))
    with pytest.raises(odt.DataError, match="'values'"):
        odt.Tree.from_json(replace(tree, values=tree.values[1:]).to_json())


def test_words_and_pictures_of_a_regression_tree() -> None:
    """Text, explanation, picture and front speak of values, not of classes."""
    from odt.draw.files import draw_tree

    data = odt.Dataset([[1.0], [2.0], [3.0]], [1, 5, 9.5], task="regression")
    problem = odt.Problem(data, "squared_error", odt.Shape(max_depth=1))
    result = odt.solve(problem, "dp")
    assert "if x0 <= 2.5: value 3 (of 2)\nif x0 > 2.5: value 9.5 (of 1)" in str(result)
    assert result.tree.explain([2.0]) == ("x0 <= 2.5", "value 3")
    picture = draw_tree(result.tree, ".svg", "class")
    assert ">9.5<" in str(picture)
    front = odt.pareto(problem, "squared_error,size", generator="all", full=True)
    assert "squared_error against size" in repr(front)
    assert [p.tree.n_nodes for p in front.points] == [3, 1]
    assert front.points[0].values["squared_error"] == pytest.approx(2 * 2.0**2 / 3)
    assert odt.plot_front(front).get_ylabel() == "squared error"
