"""Optimal decision trees: state a problem once, solve it in many ways, check every proof."""

from typing import TYPE_CHECKING, Any

from odt import datasets
from odt.compare import compare
from odt.dataset import Dataset
from odt.errors import (
    DataError,
    DataWarning,
    InconsistentSolutionError,
    MissingDependencyError,
    OdtError,
    ProblemError,
    UnknownSolverError,
    UnsupportedProblemError,
)
from odt.features import Feature
from odt.objective import (
    Depth,
    Error,
    ExpectedTests,
    ExplanationSize,
    Objective,
    Size,
    lexicographic,
)
from odt.pareto import ParetoFront, ParetoPoint, pareto
from odt.problem import Problem
from odt.registry import solver_class, solver_names
from odt.result import Certificate, Result
from odt.run import Budget, Run
from odt.shape import Charge, Shape
from odt.solve import solve
from odt.solver import Solution, Solver, Status
from odt.testset import Test, TestSet
from odt.tree import Tree

if TYPE_CHECKING:
    from odt.estimator import OptimalTreeClassifier

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "Certificate",
    "Charge",
    "DataError",
    "DataWarning",
    "Dataset",
    "Depth",
    "Error",
    "ExpectedTests",
    "ExplanationSize",
    "Feature",
    "InconsistentSolutionError",
    "MissingDependencyError",
    "Objective",
    "OdtError",
    "OptimalTreeClassifier",
    "ParetoFront",
    "ParetoPoint",
    "Problem",
    "ProblemError",
    "Result",
    "Run",
    "Shape",
    "Size",
    "Solution",
    "Solver",
    "Status",
    "Test",
    "TestSet",
    "Tree",
    "UnknownSolverError",
    "UnsupportedProblemError",
    "compare",
    "datasets",
    "lexicographic",
    "pareto",
    "solve",
    "solver_class",
    "solver_names",
]


def __getattr__(name: str) -> Any:
    if name == "OptimalTreeClassifier":  # the only name that needs scikit-learn
        from odt.estimator import OptimalTreeClassifier

        return OptimalTreeClassifier
    raise AttributeError(f"module 'odt' has no attribute {name!r}")
