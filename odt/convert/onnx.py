"""Trees as ONNX models, through scikit-learn's form and its converter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.convert.sklearn import rounded_down, to_sklearn
from odt.errors import DataError, MissingDependencyError
from odt.model.tree import Tree


def to_onnx(tree: Tree, *, allow_rounding: bool = False) -> Any:
    """Return the tree as an ONNX model with one ``TreeEnsembleClassifier``.

    The model has the input ``X``, float32 of shape (n, p) with NaN for missing values, and the
    outputs ``label`` and ``probabilities``. ONNX compares float32 numbers: thresholds are moved
    as for `to_sklearn`, so that every training row, rounded to float32, is predicted as before.

    Parameters
    ----------
    tree : Tree
        Fitted, without categorical tests, with labels that are text or integers.
    allow_rounding : bool, default False
        As for `to_sklearn`.

    Returns
    -------
    onnx.ModelProto
        ``model.SerializeToString()`` gives the bytes of a file.

    Raises
    ------
    DataError
        For other labels, a regression tree, and as `to_sklearn` does.
    MissingDependencyError
        If skl2onnx is not installed.
    """
    if tree.values is not None:
        raise DataError(
            "Regression trees are not written as ONNX: take 'sql', 'python' or 'sklearn-json', or "
            "convert the model of to_sklearn(tree) with skl2onnx."
        )
    model = to_sklearn(tree, allow_rounding=allow_rounding)
    if model.classes_.dtype.kind not in "iU":
        raise DataError(
            f"ONNX has labels of text or integers only. Got {model.classes_.tolist()}: make text "
            "of them before the dataset is built."
        )
    try:
        from skl2onnx import convert_sklearn
        from skl2onnx.common.data_types import FloatTensorType
    except ImportError:
        raise MissingDependencyError(
            "Writing ONNX needs skl2onnx, which is not installed: pip install odt[onnx]."
        ) from None
    rows = FloatTensorType([None, model.n_features_in_])
    with np.errstate(over="ignore", invalid="ignore"):  # its thresholds are replaced
        found = convert_sklearn(model, initial_types=[("X", rows)], options={"zipmap": False})
    _write_tests(found, tree, model.tree_.threshold)
    return found


def _write_tests(found: Any, tree: Tree, thresholds: NDArray[np.float64]) -> None:
    """Write the thresholds, rounded down to float32, and which tests gaps pass.

    The converter moves thresholds by guess, and some versions send all gaps one way.
    """
    attributes = {a.name: a for a in found.graph.node[0].attribute}
    passes = [int(test is not None and test.missing_left) for test in tree.tests]
    attributes["nodes_missing_value_tracks_true"].ints[:] = passes
    branches = [test is not None for test in tree.tests]
    values = np.where(branches, rounded_down(thresholds), np.float32(0))
    attributes["nodes_values"].floats[:] = values.tolist()
