"""SER-DT: a greedy tree of few distinct attributes on every path, with a guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from heuristics.balanced import BalancedTests
from heuristics.greedy import Greedy, most_leaves
from heuristics.growth import Rows, grow
from heuristics.ser_dt_reference import reference_tree
from odt.core.run import Run
from odt.core.solver import Solution, Status
from odt.data.units import as_fraction
from odt.engine.front.cart import Grown
from odt.engine.front.columns import Columns
from odt.errors import ProblemError
from odt.model.capability import Capability
from odt.model.checks import check_number
from odt.model.problem import Problem
from odt.model.shape import Shape

PAPER = (
    "Souza, Cicalese, Laber, Molinaro, Decision Trees with Short Explainable Rules, NeurIPS 2022"
)
_MOST_PARTS = 1000


@dataclass(frozen=True)
class SerDt(Greedy):
    """Grow balanced tests, cheaper where their attribute is on the path already (Souza et al.).

    A test is admissible if neither side keeps more than the share ``gamma`` of the pairs of
    different class times weight. Of the admissible tests that lower the impurity the one of least
    ``impurity * (factor_expl if its attribute is on the path)`` is taken; where there is none,
    two tests of one attribute cut out the value that holds most. The grown tree is then pruned
    for the objective. Where a tree without errors is asked for, tests need not lower the impurity.

    Parameters
    ----------
    factor_expl : float, default 0.97
        In (0, 1]; lower factors give shorter explanations and more errors.
    gamma : float, default 0.5
        In (0, 1], rounded to a fraction with a denominator of at most 1000.
    impurity : {"gini", "entropy"}, default "gini"
        What the best admissible test lowers most.
    weighted_gini : bool, default True
        Whether impurity and pairs go by weight, so that a doubled weight is a duplicated row.
        False counts examples there, and weights enter the last factor alone, as in the paper.
    guarantee : bool, default False
        Without depth limit, without impurity condition, pairs counted by examples: on numeric
        data without contradictions, depth and explanation size, worst and average, are all within
        a factor O(log n) of their optima.
    reference : bool, default False
        The exact behaviour of the authors' code, unweighted, with its asymmetries, unpruned.
    prune : bool, default True
        False returns the grown tree, with only those leaves merged whose classes agree.

    Raises
    ------
    ProblemError
        For an option out of range; when solving, for limits that an option excludes.
    """

    factor_expl: float = 0.97
    gamma: float = 0.5
    impurity: str = "gini"
    weighted_gini: bool = True
    guarantee: bool = False
    reference: bool = False  # type: ignore[assignment, misc]  # see below

    name: ClassVar[str] = "ser-dt"

    def __post_init__(self) -> None:
        for name in ("factor_expl", "gamma"):
            check_number(name, getattr(self, name), most=1, zero=False)
        if self.impurity not in ("gini", "entropy"):
            raise ProblemError(
                f"'impurity' must be 'gini' or 'entropy'. Got {self.impurity!r} instead."
            )
        if self.guarantee and self.reference:
            raise ProblemError("'guarantee' and 'reference' exclude each other: choose one.")

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Grow a tree and prune it; with ``reference`` return it as it is."""
        if self.guarantee and problem.shape != Shape(max_error=problem.shape.max_error):
            raise ProblemError(
                "guarantee=True holds without limits on the tree, except 'max_error'. Got "
                f"{problem.shape!r}. Remove the limits, or guarantee=False."
            )
        if not self.reference:
            return super().solve(problem, run)
        tree = reference_tree(problem, self.factor_expl, self.gamma, run.should_stop)
        return Solution(Status.FEASIBLE, tree)

    def grow(self, columns: Columns, run: Run) -> Grown:
        """Grow the tree that is then pruned."""
        rows = Rows(columns, self.impurity, self.guarantee or not self.weighted_gini)
        free = self.guarantee or Capability.CONSISTENT in columns.problem.needs
        rule = BalancedTests(
            as_fraction(float(self.factor_expl)),
            Fraction(float(self.gamma)).limit_denominator(_MOST_PARTS),
            free,
        )
        return grow(rows, rule, most_leaves(columns.problem), run.should_stop)


SerDt.reference = PAPER  # type: ignore[assignment]  # what an object's option hides
