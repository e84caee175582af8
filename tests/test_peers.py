"""Trees of pystreed, pycontree, pydl8.5 and GOSDT: same predictions, evaluated, and a start."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import odt
from odt import Dataset, Problem, Shape, Test, TestSet, Tree
from odt.convert.peers import from_gosdt, from_mapping, from_pycontree, from_pydl85, from_pystreed

GOSDT = """[{"feature": 1, "true": {"prediction": 1, "loss": 0.0, "name": "class"},
  "false": {"feature": 0, "true": {"prediction": 0, "loss": 0.0},
            "false": {"prediction": 1, "loss": 0.1}}}]"""
DL85 = {"feat": 1, "left": {"value": 1, "error": 0.0}, "error": 0.0, "right": {
    "feat": 0, "left": {"value": 0, "error": 0}, "right": {"value": 1, "error": 0}}}  # fmt: skip


def binary_rows(seed: int, n: int = 60, p: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of 0 and 1 and labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, p))
    return X, (X[:, 0] ^ X[:, 1] ^ (rng.random(n) < 0.1)).astype(int)


def start_from(tree: Tree, dataset: Dataset, depth: int, tests: TestSet | None = None) -> None:
    """Check that a tree keeps the limits, is evaluated, and is never left for a worse one."""
    problem = Problem(dataset, "error", Shape(max_depth=depth), tests)
    assert problem.violations(tree) == []
    result = odt.solve(problem, "dp", initial=tree)
    assert result.status is odt.Status.OPTIMAL
    assert result.cost <= problem.cost(tree)


@pytest.mark.parametrize("read", [lambda d: from_gosdt(GOSDT, d), lambda d: from_pydl85(DL85, d)])
def test_stored_trees_of_binary_columns(read) -> None:
    """Column 1 is on: b. Else column 0 on: a, off: b. Both formats send "on" to the first child."""
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    for rows in (np.array(X), pd.DataFrame(X, columns=["u", "v"]).astype(bool)):
        labels = [1, 1, 0, 1]
        tree = read(Dataset(rows, labels))
        assert tree.predict(rows).tolist() == [1, 1, 0, 1]
        start_from(tree, Dataset(rows, labels), 2)


def test_binary_columns_may_stand_for_tests_of_raw_ones() -> None:
    """The two columns are x0 <= 3 and x1 == red; the labels are named."""
    frame = pd.DataFrame({"x": [1.0, 9.0, 1.0, 9.0], "c": ["red", "red", "blue", "blue"]})
    data = Dataset(frame, ["b", "b", "a", "b"])
    tests = [Test(0, threshold=5.0), Test(1, categories=(1,))]
    one = from_gosdt(GOSDT, data, columns=tests)
    two = from_pydl85(DL85, data, columns=tests, classes=data.classes)
    assert one == two
    assert one.predict(frame).tolist() == ["b", "b", "a", "b"]
    start_from(one, data, 2)


def test_what_does_not_fit_is_refused() -> None:
    """Raw columns without a meaning, unknown labels and columns, and texts that are no trees."""
    raw, binary = Dataset([[1.0, 3.0], [2.0, 0.0]], [0, 1]), Dataset([[0, 1], [1, 0]], ["a", "b"])
    with pytest.raises(odt.DataError, match="not of 0 and 1"):
        from_gosdt(GOSDT, raw)
    with pytest.raises(odt.DataError, match="which labels"):
        from_pydl85(DL85, binary)
    with pytest.raises(odt.DataError, match="binary column 1; 1 are known"):
        from_pydl85(DL85, raw, columns=[Test(0, threshold=1.5)])
    with pytest.raises(odt.DataError, match="class number 1"):
        from_pydl85(DL85, binary, classes=["a"])
    for text in ("", "[]", "{}", "3", "[" * 10**5, '[{"feature": 0, "true": {"prediction": 0}}]',
                 '[{"feature": 0, "true": 3, "false": null}]', '[[]]', '[{"prediction": "x"}]',
                 '[{"prediction": 7}]', '[{"prediction": [0]}]'):  # fmt: skip
        with pytest.raises(odt.DataError):
            from_gosdt(text, binary)


def leaf(label: int) -> SimpleNamespace:
    """Return a leaf with the attributes that both packages of nodes have."""
    return SimpleNamespace(is_leaf_node=lambda: True, get_label=lambda: label, label=label)


def test_nodes_are_read_as_documented() -> None:
    """ConTree sends x <= t left; STreeD sends what does not hold left."""
    data = Dataset([[1.0], [2.0]], [4, 7])
    split = SimpleNamespace(
        is_leaf_node=lambda: False, get_split_feature=lambda: 0, get_split_threshold=lambda: 1.5,
        get_left=lambda: leaf(4), get_right=lambda: leaf(7),
        feature=0, left_child=leaf(7), right_child=leaf(4),
    )  # fmt: skip
    cuts = SimpleNamespace(thresholds_=[[1.5]])
    binarizer = SimpleNamespace(
        binary_columns=[], categorical_columns=[], continuous_columns=[0],
        continuous_binarizer=cuts, categorical_binarizer=None, binary_feature_limiter=None,
    )  # fmt: skip
    model = SimpleNamespace(get_tree=lambda: split, binarizer_=binarizer)
    for read in (from_pycontree, from_pystreed):
        assert read(model, data).predict([[1.0], [2.0]]).tolist() == [4, 7]
    binarizer.binary_feature_limiter = object()
    with pytest.raises(odt.DataError, match="max_num_binary_features"):
        from_pystreed(model, data)


def test_pycontree_models() -> None:
    """Random floats: equal predictions also on the thresholds and their neighbours."""
    pycontree = pytest.importorskip("pycontree")
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 9, (40, 3)) / 3 * rng.choice([1, 1e-9, 1e9])
        y = rng.integers(0, 3, 40)
        model = pycontree.ConTree(max_depth=2).fit(X, y)
        data = Dataset(X, y)
        tree = from_pycontree(model, data)
        cuts = [t.threshold for t in tree.tests if t is not None]
        near = [[v] * 3 for t in cuts for v in (t, np.nextafter(t, 1e99), np.nextafter(t, -1e99))]
        rows = np.vstack([X, np.reshape(near, (-1, 3))])
        assert (tree.predict(rows) == model.predict(rows)).all(), seed
        start_from(tree, data, 2)


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "tree"])
def test_pystreed_models(strategy: str) -> None:
    """Arrays and frames of numbers, 0 and 1, and text: equal predictions."""
    pystreed = pytest.importorskip("pystreed")
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"u": rng.normal(size=50), "b": rng.integers(0, 2, 50),
                              "v": rng.integers(0, 4, 50) / 7})  # fmt: skip
        y = rng.integers(0, 2, 50)
        options = {"max_depth": 3, "continuous_binarize_strategy": strategy}
        for X in (frame, frame.to_numpy(), frame.assign(c=rng.choice(list("rgb"), 50))):
            model = pystreed.STreeDClassifier(**options).fit(X, y)
            data = Dataset(X, y)
            tree = from_pystreed(model, data)
            assert (tree.predict(X) == model.predict(X)).all(), seed
            start_from(tree, data, 3)


def test_pydl85_models() -> None:
    """Random binary rows."""
    pydl85 = pytest.importorskip("pydl85")
    for seed in range(20):
        X, y = binary_rows(seed)
        model = pydl85.DL85Classifier(max_depth=2).fit(X, y)
        data = Dataset(X, y)
        tree = from_pydl85(model, data)
        assert tree.predict(X).tolist() == np.asarray(model.predict(X)).tolist(), seed
        assert json.loads(tree.to_json())
        start_from(tree, data, 2)


def test_gosdt_models() -> None:
    """Random binary rows, with labels that are text."""
    gosdt = pytest.importorskip("gosdt")
    for seed in range(20):
        X, y = binary_rows(seed)
        labels = np.array(["no", "yes"])[y]
        model = gosdt.GOSDTClassifier(regularization=0.02, depth_budget=4, verbose=False)
        model.fit(pd.DataFrame(X, columns=list("abcd")).astype(bool), labels)
        data = Dataset(X, labels, feature_names=list("abcd"))
        tree = from_gosdt(model, data)
        theirs = model.trees_[0].predict(X.astype(bool))  # the model's fails on recent scikit-learn
        assert (tree.predict(X) == theirs).all(), seed
        start_from(tree, data, 3)


def test_trees_written_as_mappings() -> None:
    """x0 <= 1.5: a, else binary column 0 (x1 is v): b, off: a; thresholds and columns mix."""
    frame = pd.DataFrame({"x": [1.0, 2.0, 2.0], "c": ["u", "u", "v"]})
    data = Dataset(frame, ["a", "a", "b"])
    inner = {"feature": 0, "yes": {"label": 1}, "no": {"label": 0}}
    tree = {"feature": 0, "threshold": 1.5, "yes": {"label": 0}, "no": inner}
    columns = [Test(1, categories=(1,))]
    found = from_mapping(tree, data, columns=columns, classes=data.classes)
    assert found.predict(frame).tolist() == ["a", "a", "b"]
    for wrong, message in (
        ({"feature": 0, "yes": tree}, "lacks no"),
        ({"feature": 1, "threshold": 0.5, "yes": tree, "no": tree}, "not as a number"),
        ({**inner, "feature": 5}, "binary column 5"),
        ({"leaf": 1}, "'label' or 'feature'"),
        ({"label": 7}, "class number 7"),
    ):
        with pytest.raises(odt.DataError, match=message):
            from_mapping(wrong, data, columns=columns, classes=data.classes)
