"""Trees to and from scikit-learn, for plot_tree, export_text, SHAP and the like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.errors import DataError
from odt.model.testset import Test
from odt.model.tree import Tree


def to_sklearn(tree: Tree) -> Any:
    """Return a fitted ``DecisionTreeClassifier`` that predicts as ``tree`` does.

    Parameters
    ----------
    tree : Tree
        Fitted, without categorical tests.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier
        It rounds its input to float32, so a row within that rounding of a threshold may go the
        other way. Where a leaf's label is not its most frequent class, that class share is set
        just below the label's.

    Raises
    ------
    DataError
        If the tree is not fitted or has categorical tests; one-hot columns work.
    """
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.tree._tree import Tree as Arrays

    schema, counts = tree.schema, tree.counts
    if schema is None or counts is None:
        raise DataError("This tree has no class counts yet: call tree.fitted(dataset) first.")
    if any(test is not None and test.threshold is None for test in tree.tests):
        raise DataError(
            "scikit-learn's trees have no categorical tests: solve with one-hot columns instead."
        )
    n_features, n_classes = len(schema.feature_names), len(schema.classes)
    model = DecisionTreeClassifier(max_depth=max(tree.depth, 1))
    model.classes_ = schema.class_array
    model.n_classes_, model.n_outputs_, model.n_features_in_ = n_classes, 1, n_features
    model.max_features_ = n_features
    model.feature_names_in_ = np.array(schema.feature_names, dtype=object)
    model.tree_ = Arrays(n_features, np.array([n_classes], dtype=np.intp), 1)
    state = model.tree_.__getstate__()
    model.tree_.__setstate__(
        {
            **state,
            "max_depth": tree.depth,
            "node_count": tree.n_nodes,
            "nodes": _node_records(tree, counts, state["nodes"].dtype),
            "values": _class_shares(tree)[:, None, :],
        }
    )
    return model


def from_sklearn(model: Any, dataset: Dataset) -> Tree:
    """Return the tree of a fitted ``DecisionTreeClassifier``, with the counts of ``dataset``.

    Parameters
    ----------
    model : DecisionTreeClassifier
    dataset : Dataset
        Same features in the same order, all numeric, and the same classes.

    Returns
    -------
    Tree
        Predicts exactly as the model does on float64 input: the thresholds take scikit-learn's
        rounding to float32 into account.

    Raises
    ------
    DataError
        If features or classes do not fit.
    """
    arrays = model.tree_
    if arrays.n_features != dataset.n_features or "categorical" in dataset.kinds:
        raise DataError(
            f"The model has {arrays.n_features} numeric features; the dataset has "
            f"{dataset.n_features} ({', '.join(sorted(set(dataset.kinds)))})."
        )
    unknown = [label for label in model.classes_.tolist() if label not in dataset.classes]
    if unknown:
        raise DataError(f"The dataset lacks the model's classes {', '.join(map(str, unknown))}.")
    codes = [dataset.classes.index(label) for label in model.classes_.tolist()]

    def build(node: int) -> Tree:
        left, right = int(arrays.children_left[node]), int(arrays.children_right[node])
        if left < 0:
            return Tree.leaf(codes[int(np.argmax(arrays.value[node, 0]))])
        threshold = _before_rounding(float(arrays.threshold[node]))
        test = Test(int(arrays.feature[node]), threshold=threshold)
        return Tree.branch(test, build(left), build(right))

    return build(0).fitted(dataset)


def _before_rounding(threshold: float) -> float:
    """Return the largest float64 that rounds to a float32 of at most ``threshold``."""
    below = np.float32(threshold)
    if float(below) > threshold:
        below = np.nextafter(below, np.float32(-np.inf))
    above = np.nextafter(below, np.float32(np.inf))
    middle = float(below) / 2 + float(above) / 2  # exact; it rounds to the even neighbour
    return middle if np.float32(middle) == below else float(np.nextafter(middle, -np.inf))


def _node_records(tree: Tree, counts: NDArray[np.float64], dtype: Any) -> NDArray[Any]:
    weight = counts.sum(axis=1)
    records = np.zeros(tree.n_nodes, dtype=dtype)
    records["left_child"], records["right_child"] = tree.left, tree.right
    for node, test in enumerate(tree.tests):
        records["feature"][node] = -2 if test is None else test.feature
        records["threshold"][node] = -2.0 if test is None else test.threshold
    records["impurity"] = 1 - (tree.class_shares**2).sum(axis=1)
    records["n_node_samples"] = np.rint(weight)
    records["weighted_n_node_samples"] = weight
    return records


def _class_shares(tree: Tree) -> NDArray[np.float64]:
    share = tree.class_shares.copy()
    for node, test in enumerate(tree.tests):
        label = int(tree.label[node])
        if test is None and share[node].argmax() != label:
            share[node, label] = np.nextafter(share[node].max(), np.inf)
    return share
