"""Trees as ONNX models predict as the tree does, on the floats that float32 can hold."""

from __future__ import annotations

import numpy as np
import pytest

import odt
from odt import Dataset, Problem, Shape, Test, Tree
from odt.convert.onnx import to_onnx


def outputs(tree: Tree, X: np.ndarray, **options: bool) -> tuple[list, np.ndarray]:
    """Return the labels and probabilities that onnxruntime gives."""
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    content = to_onnx(tree, **options).SerializeToString()
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    label, shares = session.run(None, {"X": X.astype(np.float32)})
    return label.tolist(), shares


def around(tree: Tree) -> np.ndarray:
    """Return the float32 numbers around the thresholds of a tree, as rows of equal values."""
    cuts = [t.threshold for t in tree.tests if t is not None and t.threshold < 1e38]
    cuts = np.array(cuts, dtype=np.float32)
    down, up = np.nextafter(cuts, np.float32(-np.inf)), np.nextafter(cuts, np.float32(np.inf))
    return np.repeat(np.concatenate([cuts, down, up]).astype(float)[:, None], 2, axis=1)


def test_onnx_predicts_as_the_tree() -> None:
    """Random columns, gaps, labels and weights; rows on both sides of each threshold."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = (rng.integers(0, 9, (30, 2)) / 3 * rng.choice([1.0, 1e-9, 1e9])).astype(np.float32)
        X[rng.random(X.shape) < 0.2 * (seed % 2)] = np.nan
        y = rng.choice(["no", "yes", "ü"] if seed % 3 else [3, 1, 7], 30)
        data = Dataset(X, y, rng.integers(1, 4, 30), missing="learned")
        tree = odt.solve(Problem(data, shape=Shape(max_depth=4)), "cart").tree
        label, shares = outputs(tree, X)
        assert label == tree.predict(X).tolist(), seed
        assert np.allclose(shares, tree.predict_proba(X), atol=1e-6), seed
        rows = around(tree)
        between = np.abs(tree.gaps[[t is not None for t in tree.tests]])
        if not len(rows) or np.isnan(between).any():
            continue
        assert outputs(tree, rows)[0] == tree.predict(rows).tolist(), seed


def test_ties_keep_the_label() -> None:
    """A leaf of one a and one b that says b; and shares that differ beyond float32."""
    data = Dataset([[0.0], [0.0]], ["a", "b"])
    assert outputs(Tree.leaf(1).fitted(data), data.X)[0] == ["b", "b"]
    close = Dataset([[0.0], [0.0]], ["a", "b"], [10**9, 10**9 + 1])
    assert outputs(Tree.leaf(1).fitted(close), close.X)[0] == ["b", "b"]


def test_what_has_no_onnx_is_refused() -> None:
    """Values that float32 cannot tell apart, categories, and labels of other types."""
    times = Dataset([[1.7e9], [1.7e9 + 1]], ["a", "b"])
    tree = Tree.branch(Test(0, threshold=1.7e9), Tree.leaf(0), Tree.leaf(1)).fitted(times)
    with pytest.raises(odt.DataError, match="float32"):
        to_onnx(tree)
    for labels in ([True, False], [0.5, 1.5]):
        with pytest.raises(odt.DataError, match="text or integers"):
            to_onnx(Tree.leaf(0).fitted(Dataset([[0.0], [1.0]], labels)))


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without skl2onnx the error says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "skl2onnx", None)
    with pytest.raises(odt.MissingDependencyError, match=r"odt\[onnx\]"):
        to_onnx(Tree.leaf(0).fitted(Dataset([[0.0]], ["a"])))
