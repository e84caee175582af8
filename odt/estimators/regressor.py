"""Regression trees of least squared error."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _check_sample_weight

from odt.core.solver import Solver
from odt.data.dataset import Dataset, Missing
from odt.data.targets import check_one_target
from odt.estimators.base import TreeEstimator
from odt.model.objective import Objective
from odt.model.shape import Charge
from odt.model.testset import Test


class OptimalTreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A regression tree that minimises an objective of the squared error.

    Parameters
    ----------
    solver : str or Solver, default "dpdt"
        ``"dpdt"`` is quick, and best among the trees whose tests CARTs propose. ``"auto"`` starts
        with it and goes on with ``"dp"``, which proves the optimum of small data: a few hundred
        rows at depth 2.
    objective : str or Objective, default "squared_error"
        What to minimise, such as ``"squared_error + 0.01*expected_tests"``.
    max_depth, max_nodes, max_leaf_nodes, min_samples_leaf, min_weight_leaf, \
    min_weight_fraction_leaf, max_features, forced, forbidden, feature_budget, feature_charges, \
    categorical_features, test_costs, missing, time_limit, n_jobs, random_state, solver_options
        As for `odt.OptimalTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        Its leaves predict their `odt.Tree.values`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if ``X`` had column names.
    result_ : Result
        All that is known: runtime, trace, certificate.
    status_ : str
        ``"optimal"`` if no better tree exists, to within the unit of `odt.SquaredError`; otherwise
        ``"feasible"``.
    objective_, bound_ : float or tuple of float
        Value of the tree, and lower bound (None if there is none).

    Examples
    --------
    >>> from odt import OptimalTreeRegressor
    >>> model = OptimalTreeRegressor(max_depth=1)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 3.0]).predict([[5.0]])
    array([3.])
    """

    def __init__(
        self,
        solver: str | Solver = "dpdt",
        *,
        objective: str | Objective = "squared_error",
        max_depth: int | None = 3,
        max_nodes: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_leaf: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | None = None,
        forced: Mapping[str, Test | int] | None = None,
        forbidden: Mapping[str, Collection[Test | int]] | None = None,
        feature_budget: float | None = None,
        feature_charges: tuple[Charge, ...] | None = None,
        categorical_features: Sequence[str | int] | None = None,
        test_costs: ArrayLike | Mapping[str, float] | None = None,
        missing: Missing = "error",
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
        self.max_features = max_features
        self.forced = forced
        self.forbidden = forbidden
        self.feature_budget = feature_budget
        self.feature_charges = feature_charges
        self.categorical_features = categorical_features
        self.test_costs = test_costs
        self.missing = missing
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.solver_options = solver_options

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted targets, shape (n,)."""
        matrix, values = self._matrix(X), self.tree_.values
        assert values is not None
        return values[self.tree_.apply(matrix)]

    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        check_one_target(np.asarray(y).shape)  # scikit-learn's message names no way out
        X, y = self._checked_training(X, y, y_numeric=True)
        return Dataset(
            X,
            y,
            None if sample_weight is None else _check_sample_weight(sample_weight, X),
            categorical=self.categorical_features or (),
            test_costs=self.test_costs,
            missing=self.missing,
            task="regression",
        )

    def _node_impurity(self) -> NDArray[np.float64]:
        """Return the squared error of each node around its own mean."""
        data, tree = self.result_.problem.dataset, self.tree_
        assert data.targets is not None
        assert tree.values is not None
        reached = tree.decision_path(data.X).T * data.sample_weight
        error = (data.targets.values - tree.values[:, None]) ** 2
        return np.asarray((reached * error).sum(axis=1))
