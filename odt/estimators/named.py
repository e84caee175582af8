"""Estimators of one method each, with the parameters that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odt.data.dataset import Missing
from odt.estimators.classifier import OptimalTreeClassifier
from odt.estimators.regressor import OptimalTreeRegressor
from odt.model.objective import Objective


class _OneSolver(OptimalTreeClassifier):
    """A classifier whose solver is fixed; parameters that it lacks have their default values."""

    _SOLVER: str

    def __init__(
        self,
        *,
        max_depth: int | None = 3,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        categorical_features: Sequence[str | int] | None = None,
        missing: Missing = "error",
        class_weight: Mapping[Any, float] | str | None = None,
        time_limit: float | None = None,
        random_state: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            self._SOLVER,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            categorical_features=categorical_features,
            missing=missing,
            class_weight=class_weight,
            time_limit=time_limit,
            random_state=random_state,
            solver_options=solver_options,
        )


class DPDTClassifier(_OneSolver):
    """Dynamic programming decision tree: the best tree over tests that CART proposes.

    Parameters, attributes and methods are those of `odt.OptimalTreeClassifier` with
    ``solver="dpdt"``; ``solver_options={"generator": "cart_leaves(16)"}`` sets the proposals.
    """

    _SOLVER = "dpdt"


class SERDTClassifier(_OneSolver):
    """Greedy tree of short explanations (SER-DT).

    Parameters, attributes and methods are those of `odt.OptimalTreeClassifier` with
    ``solver="ser-dt"``.
    """

    _SOLVER = "ser-dt"


class CARTClassifier(_OneSolver):
    """CART with exact arithmetic on float64 columns.

    Parameters, attributes and methods are those of `odt.OptimalTreeClassifier` with
    ``solver="cart"``.
    """

    _SOLVER = "cart"


class DPDTRegressor(OptimalTreeRegressor):
    """Dynamic programming regression tree: the best tree over tests that CART proposes.

    Parameters, attributes and methods are those of `odt.OptimalTreeRegressor` with
    ``solver="dpdt"``; ``solver_options={"generator": "cart_leaves(16)"}`` sets the proposals.
    """

    def __init__(
        self,
        *,
        objective: str | Objective = "squared_error",
        max_depth: int | None = 3,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        categorical_features: Sequence[str | int] | None = None,
        missing: Missing = "error",
        time_limit: float | None = None,
        random_state: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            "dpdt",
            objective=objective,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            categorical_features=categorical_features,
            missing=missing,
            time_limit=time_limit,
            random_state=random_state,
            solver_options=solver_options,
        )
