"""Regression trees of least squared error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _check_sample_weight

from odt.core.run import Budget
from odt.data.dataset import Dataset, Missing
from odt.data.encode import finite_numbers
from odt.errors import ProblemError
from odt.estimators.base import TreeEstimator, warn_if_cut_short

if TYPE_CHECKING:
    from heuristics.regression import RegressionFront


class OptimalTreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A regression tree that minimises ``mse + alpha * complexity``.

    Parameters
    ----------
    alpha : float, default 0.0
        Price of complexity in units of squared error.
    complexity : {"expected_tests", "size"}, default "expected_tests"
    max_depth : int, default 3
    min_samples_leaf : int, default 1
    generator : str, default "cart_leaves(16)"
        Which tests a state offers; ``"all"`` is exact, and for small data only.
    categorical_features : sequence of str or int, optional
        Columns to read as categories although they hold numbers.
    missing : {"error", "learned", "category"}, default "error"
        What missing values mean; see `odt.Dataset`. Unless it is ``"error"``, a value missing at
        prediction where training had none fails every test of its column, with a
        `odt.DataWarning`: cross-validation meets such rows.
    time_limit : float, optional
        Seconds; then the best tree so far is kept.

    Attributes
    ----------
    tree_ : Tree
        Its leaf labels are positions in ``values_``.
    values_ : ndarray of float64
        Prediction of each leaf.
    error_ : float
        Weighted mean of the squared errors in training, recomputed from the tree.
    objective_ : float
        ``error_ + alpha * complexity`` of the tree.
    status_ : str
        ``"optimal"`` if no tree at all is better, to within ``front_.tolerance``, which only
        ``generator="all"`` can prove; otherwise ``"feasible"``.
    bound_ : float or None
        No tree has a lower objective; None if nothing is proved.
    stopped_by_ : str or None
        ``"time"`` or ``"memory"`` if the search was cut short, which is warned of too.
    front_ : RegressionFront
        All trees that some price makes best.

    Examples
    --------
    >>> from odt import OptimalTreeRegressor
    >>> model = OptimalTreeRegressor(max_depth=1)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 3.0]).predict([[5.0]])
    array([3.])
    """

    def __init__(
        self,
        *,
        alpha: float = 0.0,
        complexity: str = "expected_tests",
        max_depth: int = 3,
        min_samples_leaf: int = 1,
        generator: str = "cart_leaves(16)",
        categorical_features: Sequence[str | int] | None = None,
        missing: Missing = "error",
        time_limit: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.complexity = complexity
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.generator = generator
        self.categorical_features = categorical_features
        self.missing = missing
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, p)
        y : array-like of shape (n,)
            One target; several are refused.
        sample_weight : array-like of shape (n,), optional

        Warns
        -----
        ConvergenceWarning
            scikit-learn's, if time or memory ended the search.

        Raises
        ------
        ProblemError
            For several targets, or if no tree keeps the limits.
        """
        dataset, targets, weight = self._training(X, y, sample_weight)
        self.front_ = self._front(dataset, targets, weight)
        if not self.front_.points:
            raise ProblemError("No tree keeps the limits. Relax them or give it more time.")
        best = self.front_.best(self.alpha)
        self.tree_ = best.tree.fitted(dataset)
        self.values_, self.error_, self.stopped_by_ = (
            best.values,
            best.error,
            self.front_.stopped_by,
        )
        used = targets if weight is None else targets[weight > 0]
        self.objective_ = best.error + self.alpha * best.complexity
        warn_if_cut_short(self.stopped_by_, self.bound_)
        self._impurity = self._squared_errors(dataset, used)
        return self

    @property
    def status_(self) -> str:
        """What is known about the tree: ``"optimal"`` or ``"feasible"``."""
        return "feasible" if self.front_.tolerance is None else "optimal"

    @property
    def bound_(self) -> float | None:
        """Lower bound on the objective of any tree; None if none was proved."""
        tolerance = self.front_.tolerance
        return None if tolerance is None else max(self.objective_ - tolerance, 0.0)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted targets, shape (n,)."""
        matrix = self._matrix(X)
        return self.values_[self.tree_.predict_codes(matrix)]

    def trade_off_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> RegressionFront:
        """Return all trees that some price of complexity makes best; nothing is fitted."""
        return self._front(*self._training(X, y, sample_weight))

    def _training(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Dataset, NDArray[np.float64], NDArray[np.float64] | None]:
        shape = np.asarray(y).shape
        if len(shape) > 1 and shape[1] > 1:
            raise ProblemError(
                f"One target is expected. Got y of shape {shape}: fit one tree for each "
                "column, for example with sklearn.multioutput.MultiOutputRegressor."
            )
        X, y = self._checked_training(X, y, y_numeric=True)
        targets = finite_numbers(y, "y")
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        dataset = Dataset(
            X,
            np.zeros(len(targets), dtype=np.int64),
            weight,
            categorical=self.categorical_features or (),
            missing=self.missing,
        )
        return dataset, targets, weight

    def _front(
        self, dataset: Dataset, targets: NDArray[np.float64], weight: NDArray[np.float64] | None
    ) -> RegressionFront:
        from heuristics.regression import regression_front

        return regression_front(
            dataset,
            targets,
            max_depth=self.max_depth,
            complexity=self.complexity,
            generator=self.generator,
            sample_weight=weight,
            min_samples_leaf=self.min_samples_leaf,
            budget=Budget(self.time_limit),
        )

    def _squared_errors(
        self, dataset: Dataset, targets: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the squared error of each node around its own mean."""
        weight = dataset.sample_weight
        reached = self.tree_.decision_path(dataset.X).T * weight
        total = reached.sum(axis=1)
        mean = (reached @ targets) / np.where(total > 0, total, 1.0)
        return np.asarray((reached * (targets - mean[:, None]) ** 2).sum(axis=1))

    def _node_impurity(self) -> NDArray[np.float64]:
        return self._impurity


class DPDTRegressor(OptimalTreeRegressor):
    """The same estimator under the name of its method, dynamic programming over CART's tests."""
