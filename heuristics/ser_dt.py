"""SER-DT: a greedy tree of few distinct attributes on every path, with a guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from heuristics.greedy import Greedy, most_leaves
from heuristics.growth import Ints, Part, Rows, Step, decrease, decrease_of, grow
from heuristics.ser_dt_reference import reference_tree
from odt.checks import check_number
from odt.engine.columns import Columns
from odt.engine.greedy import Grown
from odt.engine.kernels.balance import (
    AFTER,
    BEFORE,
    CODES,
    HEAVIEST,
    HEAVY,
    HIGH,
    LOGS,
    LOW,
    MASS,
    Balance,
    scan_values,
)
from odt.engine.kernels.layout import ENTROPY, GINI
from odt.errors import ProblemError
from odt.features import Feature
from odt.problem import Problem
from odt.run import Run
from odt.shape import Shape
from odt.solver import Solution, Status
from odt.weights import as_fraction

Floats = NDArray[np.float64]
_NEAR = 1e-9
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
    weighted_gini : bool, default True
        Whether impurity and pairs go by weight, so that a doubled weight is a duplicated row.
        False counts examples there, and weights enter the last factor alone, as in the paper.
    guarantee : bool, default False
        Without depth limit, without impurity condition, pairs counted by examples: on numeric
        data without contradictions, depth and explanation size, worst and average, are all within
        a factor O(log n) of their optima.
    reference : bool, default False
        The exact behaviour of the authors' code, unweighted, with its asymmetries, unpruned.

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
    reference: bool = False  # type: ignore[misc]  # the class itself names its paper, see below

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
        free = self.guarantee or Feature.CONSISTENT in columns.problem.needs
        rule = _Rule(
            as_fraction(float(self.factor_expl)),
            Fraction(float(self.gamma)).limit_denominator(_MOST_PARTS),
            free,
        )
        return grow(rows, rule, most_leaves(columns.problem), run.should_stop)


SerDt.reference = (  # type: ignore[assignment]
    "Souza, Cicalese, Laber, Molinaro, Decision Trees with Short Explainable Rules, NeurIPS 2022"
)


@dataclass(frozen=True)
class _Rule:
    """An admissible test of least adjusted impurity, or the step that cuts out a heavy value."""

    factor: Fraction
    gamma: Fraction
    free: bool

    def __call__(self, rows: Rows, part: Part) -> Step | None:
        balance = rows.balance(part, self.gamma)
        cuts, sums = rows.scan(part, balance, rows.criterion)
        if self.free:
            permissible = cuts[:, LOW] >= 0
        else:
            permissible = lowers_gini(cuts, sums, part.counts)
        if permissible.any():
            column = self._best(rows, part, cuts, sums, np.flatnonzero(permissible))
            gain = decrease_of(sums[column], int(cuts[column, MASS]), part.counts)
            return rows.step(column, int(cuts[column, LOW]), int(cuts[column, HIGH]), gain)
        if not self.free:
            cuts, sums = rows.scan(part, rows.balance(part), GINI)
            if not lowers_gini(cuts, sums, part.counts).any():
                return None
        return self._ternary(rows, part, balance)

    def _best(self, rows: Rows, part: Part, cuts: Ints, sums: Floats, among: Ints) -> int:
        """Return the column of least adjusted impurity, compared exactly where floats are near."""
        total, factor = int(part.counts.sum()), float(self.factor)
        on_path = np.isin(rows.features, list(part.path))
        if rows.criterion == ENTROPY:
            impurity = -cuts[among, LOGS] / rows.data.xlogx_scale
        else:
            mass = cuts[among, MASS]
            impurity = total - sums[among, 0] / mass - sums[among, 1] / (total - mass)
        adjusted = impurity * np.where(on_path[among], factor, 1.0)
        near = among[adjusted <= adjusted.min() + _NEAR * total]
        if len(near) == 1:
            return int(near[0])

        def key(column: int) -> tuple[Fraction, bool, int, int, int]:
            mass, used = int(cuts[column, MASS]), bool(on_path[column])
            if rows.criterion == ENTROPY:
                exact = Fraction(-int(cuts[column, LOGS]))
            else:
                left, right = map(int, sums[column, :2])
                exact = total - Fraction(left, mass) - Fraction(right, total - mass)
            exact *= self.factor if used else 1
            return exact, not used, -min(mass, total - mass), int(cuts[column, CODES]), column

        return min(near.tolist(), key=key)

    def _ternary(self, rows: Rows, part: Part, balance: Balance) -> Step | None:
        """Return the step of the attribute whose heaviest value is lightest, if it may be taken."""
        values, importance = scan_values(balance, rows.keys, part.start, part.stop)

        def key(column: int) -> tuple[int, bool, int]:
            heaviest = int(values[column, HEAVIEST]) * int(importance[column])
            return heaviest, int(rows.features[column]) not in part.path, column

        for column in sorted(np.flatnonzero(values[:, HEAVY] >= 0).tolist(), key=key):
            step = self._cut_out(rows, part, column, values[column])
            if step is not None:
                return step
        return None

    def _cut_out(self, rows: Rows, part: Part, column: int, values: Ints) -> Step | None:
        """Split into less than, equal to, and more than the heavy value of a column."""
        before, heavy, after = (int(values[i]) for i in (BEFORE, HEAVY, AFTER))
        codes, order = rows.codes_of(part, column), rows.rows_of(part, column)
        ends = np.searchsorted(codes, [before, heavy], side="right")
        less, equal, more = np.split(order, ends)
        low = (before, heavy, [less, np.concatenate([equal, more])])
        high = (heavy, after, [np.concatenate([less, equal]), more])
        sides = [x for x, outer in ((low, less), (high, more)) if len(outer)]
        if len(sides) == 2 and min(part.levels, part.leaves) >= 2:
            if all(map(rows.may_be_leaf, (less, equal, more))):
                cuts = [rows.columns.centred(column, *x[:2]) for x in sides]
                gain = decrease(rows, part, [less, equal, more])
                if rows.importance[more].sum() > rows.importance[less].sum():
                    cuts.reverse()  # the heavier outer part gets the short path
                return Step(column, cuts[0], cuts[1], float(gain))
        must_lower = not self.free and (len(sides) == 2 or part.levels == 1)
        steps = []
        for low_code, high_code, split in sides:
            gain = decrease(rows, part, split)
            if all(map(rows.may_be_leaf, split)) and (gain > 0 or not must_lower):
                steps.append((gain, rows.step(column, low_code, high_code, float(gain))))
        return max(steps, key=lambda s: s[0], default=(0, None))[1]


def lowers_gini(cuts: Ints, sums: Floats, counts: Ints) -> NDArray[np.bool_]:
    """Say of each column's cut whether the class shares differ on its sides, exactly.

    Only then any strictly concave impurity falls.
    """
    total, squares = int(counts.sum()), sum(c * c for c in counts.tolist())
    mass = np.where(cuts[:, LOW] >= 0, cuts[:, MASS], 1)
    score = sums[:, 0] / mass + sums[:, 1] / np.maximum(1, total - mass)
    base = squares / total
    lower = (cuts[:, LOW] >= 0) & (score > base * (1 + _NEAR))
    for f in np.flatnonzero((cuts[:, LOW] >= 0) & (abs(score - base) <= base * _NEAR)):
        m, left, right = int(mass[f]), int(sums[f, 0]), int(sums[f, 1])
        lower[f] = (left * (total - m) + right * m) * total > squares * m * (total - m)
    return lower
