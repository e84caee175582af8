"""Trees as ONNX models, through scikit-learn's converter."""

from __future__ import annotations

from odt.convert.sklearn import to_sklearn
from odt.errors import MissingDependencyError
from odt.model.tree import Tree


def to_onnx(tree: Tree) -> bytes:
    """Return an ONNX model with one input ``X``, float32 of shape (n, p), labels and shares.

    Parameters
    ----------
    tree : Tree
        Fitted, without categorical tests. Its labels must be of one type.

    Raises
    ------
    DataError
        As for `to_sklearn`.
    MissingDependencyError
        If skl2onnx is not installed.
    """
    model = to_sklearn(tree)
    try:
        from skl2onnx import convert_sklearn
        from skl2onnx.common.data_types import FloatTensorType
    except ImportError:
        raise MissingDependencyError(
            "ONNX models are written by skl2onnx, which is not installed: pip install skl2onnx."
        ) from None
    inputs = [("X", FloatTensorType([None, model.n_features_in_]))]
    converted = convert_sklearn(model, initial_types=inputs, options={"zipmap": False})
    content: bytes = converted.SerializeToString()
    return content
