"""Instances with known optima, random problems and the conformance suite for solvers."""

from odt.testing.conformance import SolverConformance
from odt.testing.enumeration import enumerated_optimum
from odt.testing.instances import INSTANCES, KnownOptimum
from odt.testing.random_problems import (
    OBJECTIVES,
    random_dataset,
    random_problem,
    with_every_objective,
)
from odt.testing.varied_data import varied_dataset
from odt.testing.varied_limits import varied_shape, varied_tests
from odt.testing.varied_problems import varied_problem

__all__ = [
    "INSTANCES",
    "OBJECTIVES",
    "KnownOptimum",
    "SolverConformance",
    "enumerated_optimum",
    "random_dataset",
    "random_problem",
    "varied_dataset",
    "varied_problem",
    "varied_shape",
    "varied_tests",
    "with_every_objective",
]
