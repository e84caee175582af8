"""Optimal decision trees: state a problem once, solve it in many ways, check every proof."""

from odt import datasets
from odt.compare import compare
from odt.dataset import Dataset
from odt.errors import (
    DataError,
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
from odt.problem import Problem
from odt.registry import solver_class, solver_names
from odt.result import Certificate, Result
from odt.run import Budget, Run
from odt.shape import Shape
from odt.solve import solve
from odt.solver import Solution, Solver, Status
from odt.testset import Test, TestSet
from odt.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "Certificate",
    "DataError",
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
    "solve",
    "solver_class",
    "solver_names",
]
