"""Optimal decision trees: state a problem once, solve it in many ways, check every proof."""

from typing import TYPE_CHECKING, Any

from odt import datasets
from odt.compare import compare
from odt.core.registry import solver_class, solver_names
from odt.core.result import Certificate, Result
from odt.core.run import Budget, Run
from odt.core.solver import Solution, Solver, Status
from odt.data.dataset import Dataset
from odt.draw.fronts import plot_front
from odt.draw.progress import plot_gaps, plot_trace
from odt.draw.trees import plot_tree
from odt.errors import (
    DataError,
    DataWarning,
    InconsistentSolutionError,
    MissingDependencyError,
    OdtError,
    ProblemError,
    ProofError,
    UnknownSolverError,
    UnsupportedProblemError,
)
from odt.experiments import Grid, Report, experiment, report
from odt.mdp.drawing import plot_process
from odt.model.capability import Capability
from odt.model.measure import Measure
from odt.model.objective import (
    Depth,
    Error,
    ExpectedTests,
    ExplanationSize,
    Objective,
    Size,
    SquaredError,
    lexicographic,
)
from odt.model.problem import Problem
from odt.model.shape import Charge, Shape
from odt.model.testset import Test, TestSet
from odt.model.tree import Tree
from odt.pareto import FrontChoice, ParetoFront, ParetoPoint, choose, pareto
from odt.proof import certify
from odt.solve import solve

if TYPE_CHECKING:
    from odt.estimators import (
        CARTClassifier,
        DPDTClassifier,
        DPDTRegressor,
        OptimalTreeClassifier,
        OptimalTreeRegressor,
        SERDTClassifier,
    )

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "CARTClassifier",
    "Capability",
    "Certificate",
    "Charge",
    "DPDTClassifier",
    "DPDTRegressor",
    "DataError",
    "DataWarning",
    "Dataset",
    "Depth",
    "Error",
    "ExpectedTests",
    "ExplanationSize",
    "FrontChoice",
    "Grid",
    "InconsistentSolutionError",
    "Measure",
    "MissingDependencyError",
    "Objective",
    "OdtError",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "ParetoFront",
    "ParetoPoint",
    "Problem",
    "ProblemError",
    "ProofError",
    "Report",
    "Result",
    "Run",
    "SERDTClassifier",
    "Shape",
    "Size",
    "Solution",
    "Solver",
    "SquaredError",
    "Status",
    "Test",
    "TestSet",
    "Tree",
    "UnknownSolverError",
    "UnsupportedProblemError",
    "certify",
    "choose",
    "compare",
    "datasets",
    "experiment",
    "lexicographic",
    "pareto",
    "plot_front",
    "plot_gaps",
    "plot_process",
    "plot_trace",
    "plot_tree",
    "report",
    "solve",
    "solver_class",
    "solver_names",
]


def __getattr__(name: str) -> Any:
    if name.endswith(("Classifier", "Regressor")) and name in __all__:  # these need scikit-learn
        from odt import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'odt' has no attribute {name!r}")
