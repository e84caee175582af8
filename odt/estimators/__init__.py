"""scikit-learn's interface to the solvers."""

from odt.estimators.classifier import OptimalTreeClassifier
from odt.estimators.named import (
    CARTClassifier,
    DPDTClassifier,
    DPDTRegressor,
    SERDTClassifier,
)
from odt.estimators.regressor import OptimalTreeRegressor

__all__ = [
    "CARTClassifier",
    "DPDTClassifier",
    "DPDTRegressor",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "SERDTClassifier",
]
