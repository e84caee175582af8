"""Weights of classes, and costs of mistaking them, as weights of examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_sample_weight

from odt.data.encode import encode_labels, finite_numbers
from odt.errors import ProblemError


def class_weights(
    y: Any,
    sample_weight: NDArray[np.float64] | None,
    class_weight: Mapping[Any, float] | str | None,
    cost_matrix: ArrayLike | None,
) -> NDArray[np.float64] | None:
    """Return the weights of the examples; None if all are 1.

    Parameters
    ----------
    y : array-like of shape (n,)
    sample_weight : ndarray of float64, shape (n,), or None
    class_weight, cost_matrix
        As for `odt.OptimalTreeClassifier`.

    Raises
    ------
    ProblemError
        For a class weight of an unknown class, and a cost matrix that is no weight of classes.
    """
    parts = [] if sample_weight is None else [sample_weight]
    if class_weight is not None:
        parts.append(_of_classes(y, class_weight))
    if cost_matrix is not None:
        codes, classes = encode_labels(y)
        parts.append(_row_costs(cost_matrix, len(classes))[codes])
    return np.prod(parts, axis=0) if parts else None


def _of_classes(y: Any, class_weight: Mapping[Any, float] | str) -> NDArray[np.float64]:
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ProblemError(
                f"'class_weight' must be a dict or 'balanced'. Got {class_weight!r} instead."
            )
        return np.asarray(compute_sample_weight("balanced", y), dtype=np.float64)
    codes, classes = encode_labels(y)
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise ProblemError(
            f"'class_weight' names {', '.join(map(repr, unknown))}, which is no class. Classes: "
            f"{', '.join(map(repr, classes))}."
        )
    return np.array([class_weight.get(label, 1.0) for label in classes], dtype=np.float64)[codes]


def _row_costs(cost_matrix: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return the cost of any mistake on each class."""
    costs = finite_numbers(cost_matrix, "cost_matrix")
    if costs.shape != (n_classes, n_classes):
        raise ProblemError(
            f"'cost_matrix' must have shape ({n_classes}, {n_classes}). Got {costs.shape} instead."
        )
    if np.diagonal(costs).any() or (costs < 0).any():
        raise ProblemError("'cost_matrix' must have a diagonal of 0 and no negative cost.")
    rows = costs.max(axis=1, initial=0.0)
    wrong = costs + np.diag(rows) != rows[:, None]
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        raise ProblemError(
            "No solver here prices a mistake by the class that is predicted: all costs of a row of "
            f"'cost_matrix' but the diagonal must be equal. Got {costs[row].tolist()} in row {row}."
        )
    return np.asarray(rows)
