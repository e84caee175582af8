"""scikit-learn's interface: fit, predict, predict_proba, clone, grid search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from odt.core.result import Value
from odt.core.run import Budget
from odt.core.solver import Solver
from odt.data.dataset import Dataset, Missing
from odt.errors import ProblemError
from odt.estimators.base import TreeEstimator, warn_if_cut_short
from odt.estimators.weighting import class_weights
from odt.model.checks import check_number
from odt.model.measure import Measure
from odt.model.objective import Objective
from odt.model.problem import Problem
from odt.model.shape import Charge, Shape
from odt.model.testset import Test
from odt.pareto import ParetoFront, pareto
from odt.solve import solve


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

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, p)
        y : array-like of shape (n,)
            Labels of any type.
        sample_weight : array-like of shape (n,), optional

        Warns
        -----
        ConvergenceWarning
            scikit-learn's, if time or memory ended the search before a proof.

        Raises
        ------
        ProblemError
            If no tree keeps the limits, or none was found in time.
        """
        problem = self._problem(X, y, sample_weight)
        self.result_ = solve(
            problem,
            self.solver,
            budget=Budget(self.time_limit, n_threads=effective_n_jobs(self.n_jobs)),
            seed=self.random_state or 0,
            **(self.solver_options or {}),
        )
        if self.result_.tree is None:
            raise ProblemError(
                f"The solver {self.result_.solver!r} returned no tree: {self.result_.status.value}"
                f", stopped by {self.result_.stopped_by}. Relax the limits or give it more time."
            )
        warn_if_cut_short(self.result_.stopped_by, self.bound_)
        self.tree_ = self.result_.tree
        self.classes_ = problem.dataset.schema.class_array
        return self

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

    def trade_off_path(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        measures: str | Sequence[str | Measure] = "error,expected_tests",
        solver: str | Solver = "dpdt",
        full: bool | None = None,
        **options: Any,
    ) -> ParetoFront:
        """Return all trees that no other beats in all of two or three measures.

        Like ``cost_complexity_pruning_path`` of scikit-learn, with the best trees instead of
        pruned ones. The estimator is not fitted by it; its limits, ``time_limit``, ``n_jobs`` and
        ``random_state`` hold for the whole front.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        measures, solver, full, **options
            As for `odt.pareto`.
        """
        return pareto(
            self._problem(X, y, sample_weight),
            measures,
            solver=solver,
            full=full,
            budget=Budget(self.time_limit, n_threads=effective_n_jobs(self.n_jobs)),
            seed=self.random_state or 0,
            **options,
        )

    @property
    def status_(self) -> str:
        """What is known about the tree: ``"optimal"`` or ``"feasible"``."""
        return str(self.result_.status.value)

    @property
    def objective_(self) -> Value | None:
        """Value of the tree; one number a level for a lexicographic objective."""
        return self.result_.objective

    @property
    def bound_(self) -> Value | None:
        """Lower bound on the objective of any tree; None if none was proved."""
        return self.result_.bound

    def _problem(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Problem:
        X, y = self._checked_training(X, y)
        check_classification_targets(y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        dataset = Dataset(
            X,
            y,
            class_weights(y, weight, self.class_weight, self.cost_matrix),
            categorical=self.categorical_features or (),
            test_costs=self.test_costs,
            missing=self.missing,
        )
        limits = {f.name: getattr(self, f.name) for f in fields(Shape)}
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf)
        share = self.min_weight_fraction_leaf * float(dataset.sample_weight.sum())
        shape = Shape(**{**limits, "min_weight_leaf": max(self.min_weight_leaf, share)})
        return Problem(dataset, self.objective, shape)  # type: ignore[arg-type]  # text is read

    def _node_impurity(self) -> NDArray[np.float64]:
        tree = self.tree_
        assert tree.counts is not None
        gini = 1.0 - (tree.class_shares**2).sum(axis=1)
        return np.asarray(tree.counts.sum(axis=1) * gini)
