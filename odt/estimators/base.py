"""What all estimators share: from parameters to a problem, its result, and questions to a tree."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from odt.core.result import Result, Value
from odt.core.run import Budget
from odt.core.solver import Solver
from odt.data.dataset import Dataset, Missing
from odt.data.tables import is_table
from odt.errors import ProblemError
from odt.model.checks import check_number
from odt.model.measure import Measure
from odt.model.objective import Objective
from odt.model.problem import Problem
from odt.model.shape import Shape
from odt.model.tree import Tree
from odt.pareto import ParetoFront, pareto
from odt.solve import solve


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


class TreeEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the estimators: the problem that the parameters state, and what follows from it."""

    solver: str | Solver
    objective: str | Objective
    missing: Missing
    categorical_features: Sequence[str | int] | None
    min_weight_leaf: float
    min_weight_fraction_leaf: float
    time_limit: float | None
    n_jobs: int | None
    random_state: int | None
    solver_options: Mapping[str, Any] | None
    result_: Result
    tree_: Tree

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, p)
        y : array-like of shape (n,)
            Labels of any type; for regressors, finite numbers, one target.
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
        self.result_ = solve(
            self._problem(self._dataset(X, y, sample_weight)),
            self.solver,
            budget=self._budget,
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
        return self

    def trade_off_path(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        measures: str | Sequence[str | Measure] | None = None,
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
            self._problem(self._dataset(X, y, sample_weight)),
            measures,
            solver=solver,
            full=full,
            budget=self._budget,
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

    @abstractmethod
    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        """Return the checked training data."""

    def _problem(self, dataset: Dataset) -> Problem:
        limits = {f.name: getattr(self, f.name, None) for f in fields(Shape)}
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf)
        share = self.min_weight_fraction_leaf * float(dataset.sample_weight.sum())
        shape = Shape(**{**limits, "min_weight_leaf": max(self.min_weight_leaf, share)})  # type: ignore[arg-type]
        return Problem(dataset, self.objective, shape)  # type: ignore[arg-type]  # text is read

    @property
    def _budget(self) -> Budget:
        return Budget(self.time_limit, n_threads=effective_n_jobs(self.n_jobs))

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

    @abstractmethod
    def _node_impurity(self) -> NDArray[np.float64]:
        """Return the impurity of each node times its weight, shape (n_nodes,)."""

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
