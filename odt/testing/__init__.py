"""Instances with known optima, random problems and the conformance suite for solvers."""

from odt.testing.conformance import SolverConformance
from odt.testing.instances import INSTANCES, KnownOptimum
from odt.testing.random_problems import (
    OBJECTIVES,
    random_dataset,
    random_problem,
    with_every_objective,
)

__all__ = [
    "INSTANCES",
    "OBJECTIVES",
    "KnownOptimum",
    "SolverConformance",
    "random_dataset",
    "random_problem",
    "with_every_objective",
]
