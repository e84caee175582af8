"""scikit-learn's interface: fit, predict, predict_proba, clone, grid search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from odt.core.solver import Solver
from odt.data.dataset import Dataset, Missing
from odt.estimators.base import TreeEstimator
from odt.estimators.weighting import class_weights
from odt.model.objective import Objective
from odt.model.shape import Charge
from odt.model.testset import Test


class OptimalTreeClassifier(ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """A decision tree classifier that minimises an objective with any of odt's solvers.

    Parameters
    ----------
    solver : str or Solver, default "auto"
        A registered name (``odt.solver_names()``) or a solver object. ``"auto"`` starts with the
        tree of ``"dpdt"``, which by itself is quick and proves nothing.
    objective : str or Objective, default "error"
        What to minimise, such as ``"error + 0.01*expected_tests"``.
    max_depth : int or None, default 3
    max_nodes, max_leaf_nodes : int, optional
    min_samples_leaf : int, default 1
    min_weight_leaf : float, default 0.0
    min_weight_fraction_leaf : float, default 0.0
        Least weight of a leaf as a share of the total weight; the stricter of the two holds.
    max_error : float, optional
    max_features : int, optional
        Most distinct features in the tree.
    forced, forbidden, max_class_error, feature_budget, feature_charges : optional
        Structural constraints. These and all limits are those of `odt.Shape`.
    categorical_features : sequence of str or int, optional
        Columns to read as categories although they hold numbers; text columns of a DataFrame are
        read so in any case.
    test_costs : array-like or mapping, optional
        Cost of asking for each feature; see `odt.Dataset`.
    missing : {"error", "learned", "category"}, default "error"
        What missing values mean; see `odt.Dataset`. Unless it is ``"error"``, a value missing at
        prediction where training had none fails every test of its column, with a
        `odt.DataWarning`: cross-validation meets such rows.
    class_weight : dict or "balanced", optional
        Weight of each class, 1 if not named; ``"balanced"`` gives all classes the same total.
        Multiplied with ``sample_weight``.
    cost_matrix : array-like of shape (K, K), optional
        Cost of predicting class j (column) for an example of class i (row), in the order of the
        sorted labels. The diagonal is 0; within a row all other costs must be equal, as they
        are with two classes: the cost is then a weight of the true class.
    time_limit : float or None, default 60
        Seconds; then the best tree so far is kept, and `fit` warns that the proof was cut short.
        A grid search fits many times, and an exact search may take hours, so there is a limit
        unless None says to wait for the proof.
    n_jobs : int, optional
        Threads of the solver, 1 by default; -1 for all processors, as joblib counts them.
    random_state : int, optional
        Seed of everything random, 0 by default.
    solver_options : mapping, optional
        Options of the solver, when it is given by name.

    Attributes
    ----------
    tree_ : Tree
    classes_ : ndarray of shape (K,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if ``X`` had column names.
    result_ : Result
        All that is known: runtime, trace, certificate.
    status_ : str
        ``"optimal"`` if no better tree exists, otherwise ``"feasible"``.
    objective_, bound_ : float or tuple of float
        Value of the tree, and lower bound (None if there is none).

    Examples
    --------
    >>> from odt import OptimalTreeClassifier
    >>> model = OptimalTreeClassifier(solver="dp", max_depth=1)
    >>> model.fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"]).predict([[1.5]])
    array(['yes'], dtype='<U3')
    """

    def __init__(
        self,
        solver: str | Solver = "auto",
        *,
        objective: str | Objective = "error",
        max_depth: int | None = 3,
        max_nodes: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_leaf: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        max_error: float | None = None,
        max_features: int | None = None,
        forced: Mapping[str, Test | int] | None = None,
        forbidden: Mapping[str, Collection[Test | int]] | None = None,
        max_class_error: Mapping[Any, float] | None = None,
        feature_budget: float | None = None,
        feature_charges: tuple[Charge, ...] | None = None,
        categorical_features: Sequence[str | int] | None = None,
        test_costs: ArrayLike | Mapping[str, float] | None = None,
        missing: Missing = "error",
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: ArrayLike | None = None,
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.solver = solver
        self.objective = objective
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_leaf = min_weight_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_error = max_error
        self.max_features = max_features
        self.forced = forced
        self.forbidden = forbidden
        self.max_class_error = max_class_error
        self.feature_budget = feature_budget
        self.feature_charges = feature_charges
        self.categorical_features = categorical_features
        self.test_costs = test_costs
        self.missing = missing
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.solver_options = solver_options

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, shape (K,)."""
        schema = self._fitted_tree().schema
        assert schema is not None
        return schema.class_array

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        matrix = self._matrix(X)
        return np.asarray(self.classes_[self.tree_.predict_codes(matrix)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class shares of the training weight in each row's leaf, shape (n, K)."""
        matrix = self._matrix(X)
        return self.tree_.class_shares[self.tree_.apply(matrix)]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`, minus infinity for a share of zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        X, y = self._checked_training(X, y)
        check_classification_targets(y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        return Dataset(
            X,
            y,
            class_weights(y, weight, self.class_weight, self.cost_matrix),
            categorical=self.categorical_features or (),
            test_costs=self.test_costs,
            missing=self.missing,
        )

    def _node_impurity(self) -> NDArray[np.float64]:
        tree = self.tree_
        assert tree.counts is not None
        gini = 1.0 - (tree.class_shares**2).sum(axis=1)
        return np.asarray(tree.counts.sum(axis=1) * gini)
