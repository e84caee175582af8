"""What a fitted tree answers besides its predictions, and reading its input."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from odt.data.dataset import Missing
from odt.data.tables import is_table
from odt.model.tree import Tree


def warn_if_cut_short(stopped_by: str | None, bound: object) -> None:
    """Warn if time, memory or the user ended a search; the best tree so far is then used."""
    if stopped_by in ("time", "memory", "interrupt"):
        warnings.warn(
            f"The search was ended by {stopped_by} before it was complete: the tree is the best "
            f"that was found, a better one may exist (lower bound: {bound}). Give a larger "
            "time_limit, None to wait for the proof, or a smaller max_depth.",
            ConvergenceWarning,
            stacklevel=3,
        )


class TreeEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: everything that follows from ``tree_``."""

    tree_: Tree
    missing: Missing
    categorical_features: Sequence[str | int] | None

    def get_depth(self) -> int:
        """Return the most tests on a path of the tree."""
        return self._fitted_tree().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._fitted_tree().n_leaves

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the node number of the leaf that each row ends in, shape (n,)."""
        return self._fitted_tree().apply(self._matrix(X))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return which nodes each row visits, a sparse matrix of shape (n, n_nodes)."""
        return csr_matrix(self._fitted_tree().decision_path(self._matrix(X)))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the fall of impurity, shape (p,); all zero for a lone leaf.

        A test lowers the impurity of its node, times the weight there, to the sum of the same over
        its children. Classifiers count Gini's impurity, regressors the squared error. As with
        scikit-learn, a feature with many values gets more than it deserves.
        """
        tree = self._fitted_tree()
        impurity, importance = self._node_impurity(), np.zeros(self.n_features_in_)
        for node, test in enumerate(tree.tests):
            if test is not None:
                children = impurity[tree.left[node]] + impurity[tree.right[node]]
                importance[test.feature] += impurity[node] - children
        total = importance.sum()
        return importance / total if total > 0 else importance

    def _node_impurity(self) -> NDArray[np.float64]:
        """Return the impurity of each node times its weight, shape (n_nodes,)."""
        raise NotImplementedError

    def _fitted_tree(self) -> Tree:
        check_is_fitted(self, "tree_")
        return self.tree_

    def _checked_training(self, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
        """Check ``X`` and ``y`` as scikit-learn does; tables are left to `odt.Dataset`."""
        if is_table(X):
            validate_data(self, X, skip_check_array=True)  # Dataset reads text and categories
            return X, y
        finite: Any = True if self.missing == "error" else "allow-nan"
        checked = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=finite, **options)
        return checked[0], checked[1]

    def _matrix(self, X: Any) -> NDArray[np.float64]:
        tree = self._fitted_tree()
        if is_table(X):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            finite: Any = True if self.missing == "error" else "allow-nan"
            X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite=finite)
        assert tree.schema is not None
        return tree.schema.matrix(X, new_gaps=self.missing != "error")

    def __sklearn_tags__(self) -> Any:
        """Say that missing values are allowed once a policy is chosen."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags
