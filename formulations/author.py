"""Everything that a new formulation imports: ``from formulations.author import ...``.

`formulations/TEMPLATE.py` and docs/extend.md show what each is for.
"""

from formulations.base import Formulation
from formulations.linear.base import LinearFormulation
from formulations.model import Goal, Model
from formulations.program.base import Expression, Ints, Values
from formulations.program.clauses import ClauseIR
from formulations.program.linear import LinearProgram
from formulations.tree.measures import TreeMeasures, TreeVariables
from formulations.tree.positions import (
    HeapTree,
    Placement,
    by_position,
    model_depth,
    model_features,
)
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.errors import Stopped, UnsupportedProblemError
from odt.model.capability import COMBINATIONS, ERROR_LIMITS, LEAF_LIMITS, TESTS, Capability, Need
from odt.model.measure import ADDITIVE, MAXIMA, Measure
from odt.model.problem import Problem
from odt.model.testset import Test
from odt.model.tree import Tree

__all__ = [
    "ADDITIVE",
    "COMBINATIONS",
    "ERROR_LIMITS",
    "LEAF_LIMITS",
    "MAXIMA",
    "TESTS",
    "Capability",
    "ClauseIR",
    "Expression",
    "Formulation",
    "Goal",
    "HeapTree",
    "Ints",
    "LinearFormulation",
    "LinearProgram",
    "Measure",
    "Model",
    "Need",
    "Placement",
    "Problem",
    "Run",
    "Solution",
    "Solver",
    "Status",
    "Stopped",
    "Test",
    "Tree",
    "TreeMeasures",
    "TreeVariables",
    "UnsupportedProblemError",
    "Values",
    "by_position",
    "model_depth",
    "model_features",
]
