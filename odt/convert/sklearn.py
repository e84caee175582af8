"""Trees to and from scikit-learn, for plot_tree, export_text, SHAP and the like."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.data.numerals import shortest
from odt.data.schema import Schema
from odt.errors import DataError
from odt.model.testset import Test
from odt.model.text import storable
from odt.model.tree import Tree

LEAD = 2.0**-20
"""By how much the share of a leaf's label exceeds that of a class that would win a tie."""
_ARRAYS = (
    "children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples",
    "weighted_n_node_samples",
)  # fmt: skip


def to_sklearn(tree: Tree, *, allow_rounding: bool = False) -> Any:
    """Return a fitted ``DecisionTreeClassifier`` or ``Regressor`` that predicts as ``tree`` does.

    scikit-learn's trees round their input to float32. Thresholds are moved where that is needed
    to send all training rows the same way; another row goes the other way only if float32 cannot
    tell it from the threshold.

    Parameters
    ----------
    tree : Tree
        Fitted, without categorical tests.
    allow_rounding : bool, default False
        Go on where a test tells apart training values that are one number in float32; these
        examples then all go left.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or DecisionTreeRegressor
        Where a leaf's label is not its most frequent class, its share is set above that class's
        by ``2**-20``, which survives float32.

    Raises
    ------
    DataError
        If the tree is not fitted or has categorical tests (one-hot columns work), or if it tells
        apart training values that float32 does not.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.tree._tree import Tree as Arrays

    schema, counts, gaps = tree.schema, tree.counts, tree.gaps
    if schema is None or counts is None or gaps is None:
        raise DataError("This tree has no class counts yet: call tree.fitted(dataset) first.")
    if any(test is not None and test.threshold is None for test in tree.tests):
        raise DataError(
            "scikit-learn's trees have no categorical tests: solve with one-hot columns instead."
        )
    if not allow_rounding:
        _check_float32_splits(tree, schema, gaps)
    n_features, n_classes = len(schema.feature_names), len(schema.classes)
    depth = max(tree.depth, 1)
    if tree.values is None:
        model, values = DecisionTreeClassifier(max_depth=depth), _class_shares(tree)
        model.classes_, model.n_classes_ = schema.class_array, n_classes
    else:
        model, values = DecisionTreeRegressor(max_depth=depth), tree.values[:, None]
    model.n_outputs_, model.n_features_in_ = 1, n_features
    model.max_features_ = n_features
    model.feature_names_in_ = np.array(schema.feature_names, dtype=object)
    model.tree_ = Arrays(n_features, np.array([n_classes], dtype=np.intp), 1)
    state = model.tree_.__getstate__()
    model.tree_.__setstate__(
        {
            **state,
            "max_depth": tree.depth,
            "node_count": tree.n_nodes,
            "nodes": _node_records(tree, counts, gaps, state["nodes"].dtype),
            "values": values[:, None, :],
        }
    )
    return model


def to_sklearn_json(tree: Tree) -> str:
    """Return the arrays of the scikit-learn tree (`to_sklearn`) as JSON text.

    The keys are those of ``DecisionTreeClassifier.tree_``, with ``classes`` and ``feature_names``;
    the class of a leaf is that of its largest value. A regression tree has no ``classes``.

    Raises
    ------
    DataError
        As for `to_sklearn`, and for labels that are no text, number, boolean or None.
    """
    model = to_sklearn(tree)
    arrays = model.tree_
    record = {
        "feature_names": model.feature_names_in_.tolist(),
        **({"classes": storable(model.classes_.tolist())} if tree.values is None else {}),
        **{name: getattr(arrays, name).tolist() for name in _ARRAYS},
        "missing_go_to_left": arrays.missing_go_to_left.astype(bool).tolist(),
        "value": arrays.value[:, 0].tolist(),
    }
    return json.dumps(record)


def from_sklearn(model: Any, dataset: Dataset) -> Tree:
    """Return the tree of a fitted scikit-learn tree, with the counts or means of ``dataset``.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        For a regressor the dataset has real targets, and leaves predict their means there.
    dataset : Dataset
        Same features in the same order, all numeric, and the same classes; with gaps it needs
        ``missing="learned"``, since scikit-learn's trees send them either way.

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
    codes = _class_codes(model, dataset)

    def build(node: int) -> Tree:
        left, right = int(arrays.children_left[node]), int(arrays.children_right[node])
        if left < 0:
            return Tree.leaf(codes[int(np.argmax(arrays.value[node, 0]))])
        threshold = _before_rounding(float(arrays.threshold[node]))
        feature = int(arrays.feature[node])
        gaps_pass = dataset.learns_gaps(feature) and bool(arrays.missing_go_to_left[node])
        test = Test(feature, threshold=threshold, missing_left=gaps_pass)
        return Tree.branch(test, build(left), build(right))

    return build(0).fitted(dataset)


def _class_codes(model: Any, dataset: Dataset) -> list[int]:
    """Return the class code of each value of the model; for a regressor one for its only value."""
    if (dataset.targets is None) != hasattr(model, "classes_"):
        task = "classification" if dataset.targets is None else "regression"
        raise DataError(f"The dataset is for {task}; the model is a {type(model).__name__}.")
    if dataset.targets is not None:
        return [0]
    unknown = [label for label in model.classes_.tolist() if label not in dataset.classes]
    if unknown:
        raise DataError(f"The dataset lacks the model's classes {', '.join(map(str, unknown))}.")
    return [dataset.classes.index(label) for label in model.classes_.tolist()]


def rounded_down(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the largest finite float32 up to each number."""
    largest = np.finfo(np.float32).max
    below = np.minimum(numbers, largest).astype(np.float32)
    return np.where(below > numbers, np.nextafter(below, np.float32(-np.inf)), below)


def _before_rounding(threshold: float) -> float:
    """Return the largest float64 that rounds to a float32 of at most ``threshold``."""
    below = rounded_down(np.array(threshold))[()]
    with np.errstate(over="ignore"):  # beyond the largest float32
        above = np.nextafter(below, np.float32(np.inf))
    middle = float(below) / 2 + float(above) / 2  # exact; it rounds to the even neighbour
    return middle if np.float32(middle) == below else float(np.nextafter(middle, -np.inf))


def _check_float32_splits(tree: Tree, schema: Schema, gaps: NDArray[np.float64]) -> None:
    merged = [
        f"{schema.feature_names[test.feature]!r}: {shortest(low)} and {shortest(high)}"
        for test, (low, high) in zip(tree.tests, gaps.tolist(), strict=True)
        if test is not None and _in_float32(low) == _in_float32(high)
    ]
    if merged:
        raise DataError(
            "scikit-learn rounds its input to float32, in which values that this tree tells apart "
            f"are the same number ({'; '.join(merged)}). Subtract an offset from such a column "
            "before you solve, or accept other predictions: to_sklearn(tree, allow_rounding=True)."
        )


def _for_float32(threshold: float, low: float, high: float) -> float:
    """Return a threshold that separates two neighbours rounded to float32, the given one if it can.

    Parameters
    ----------
    threshold : float
    low, high : float
        Nearest training values on both sides; NaN if there is none.
    """
    below, above = _in_float32(low), _in_float32(high)
    if threshold < below:
        return below
    if threshold >= above and below != above:
        return float(np.nextafter(above, -np.inf))
    return threshold


def _in_float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _node_records(
    tree: Tree, counts: NDArray[np.float64], gaps: NDArray[np.float64], dtype: Any
) -> NDArray[Any]:
    weight = counts.sum(axis=1)
    records = np.zeros(tree.n_nodes, dtype=dtype)
    records["left_child"], records["right_child"] = tree.left, tree.right
    for node, test in enumerate(tree.tests):
        records["feature"][node] = -2 if test is None else test.feature
        threshold = None if test is None else test.threshold
        records["threshold"][node] = (
            -2.0 if threshold is None else _for_float32(threshold, *gaps[node].tolist())
        )
        records["missing_go_to_left"][node] = test is not None and test.missing_left
    if tree.values is None:  # a regression tree does not keep its squared errors
        records["impurity"] = 1 - (tree.class_shares**2).sum(axis=1)
    records["n_node_samples"] = np.rint(weight)
    records["weighted_n_node_samples"] = weight
    return records


def _class_shares(tree: Tree) -> NDArray[np.float64]:
    """Return the shares, changed where the largest, the first of equals, is not of the label."""
    share = tree.class_shares.copy()
    for node, test in enumerate(tree.tests):
        label = int(tree.label[node])
        if test is None:
            rivals = np.delete(share[node], label)
            rivals[:label] += LEAD
            share[node, label] = max(share[node, label], rivals.max(initial=0.0))
    return share
