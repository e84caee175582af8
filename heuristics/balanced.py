"""The rule of SER-DT: which test to ask where pairs of different class must be balanced."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from heuristics.growth import Ints, Part, Rows, Step, decrease, decrease_of, lowers_gini
from odt.engine.front.kernels.balance import (
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
from odt.engine.front.kernels.layout import ENTROPY, GINI

Floats = NDArray[np.float64]
_NEAR = 1e-9


@dataclass(frozen=True)
class BalancedTests:
    """An admissible test of least adjusted impurity, or the step that cuts out a heavy value.

    Of the admissible tests those that lower the impurity come first. Where no test at all does,
    the node is a leaf.

    Parameters
    ----------
    factor : Fraction
        Multiplies the impurity of a test whose attribute is on the path.
    gamma : Fraction
        Share of pairs times importance that a side may keep.
    free : bool
        Whether a test need not lower the impurity.
    """

    factor: Fraction
    gamma: Fraction
    free: bool

    def __call__(self, rows: Rows, part: Part) -> Step | None:
        """Return the next step, or None for a leaf."""
        balance = rows.balance(part, self.gamma)
        cuts, sums = rows.scan(part, balance, rows.criterion)
        among = cuts[:, LOW] >= 0
        if not self.free:
            lower = lowers_gini(cuts, sums, part.counts)
            if lower.any():
                among = lower
            elif not lowers_gini(*rows.scan(part, rows.balance(part), GINI), part.counts).any():
                return None
        if not among.any():
            return self._ternary(rows, part, balance)
        column = self._best(rows, part, cuts, sums, np.flatnonzero(among))
        gain = decrease_of(sums[column], int(cuts[column, MASS]), part.counts)
        return rows.step(column, int(cuts[column, LOW]), int(cuts[column, HIGH]), gain)

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

        standing = rows.standing

        def key(column: int) -> tuple[Fraction, bool, int, int, int]:
            mass, used = int(cuts[column, MASS]), bool(on_path[column])
            if rows.criterion == ENTROPY:
                exact = Fraction(-int(cuts[column, LOGS]))
            else:
                left, right = map(int, sums[column, :2])
                exact = total - Fraction(left, mass) - Fraction(right, total - mass)
            exact *= self.factor if used else 1
            return (
                exact,
                not used,
                -min(mass, total - mass),
                int(cuts[column, CODES]),
                standing[column],
            )

        return int(min(near.tolist(), key=key))

    def _ternary(self, rows: Rows, part: Part, balance: Balance) -> Step | None:
        """Return the step of the attribute whose heaviest value is lightest, if it may be taken."""
        values, importance = scan_values(balance, rows.keys, part.start, part.stop)

        def key(column: int) -> tuple[int, bool, int]:
            heaviest = int(values[column, HEAVIEST]) * int(importance[column])
            return heaviest, int(rows.features[column]) not in part.path, rows.standing[column]

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
        three, has_room = [less, equal, more], min(part.levels, part.leaves) >= 2
        if len(sides) == 2 and has_room and all(map(rows.may_be_leaf, three)):
            cuts = [rows.columns.centred(column, *x[:2]) for x in sides]
            heavier = int(rows.importance[less].sum() - rows.importance[more].sum())
            if heavier < 0 or (heavier == 0 and not rows.upright[column]):
                cuts.reverse()  # the heavier outer part gets the short path
            return Step(column, cuts[0], cuts[1], float(decrease(rows, part, three)))
        must_lower = not self.free and (len(sides) == 2 or part.levels == 1)
        steps = []
        for low_code, high_code, split in sides:
            gain = decrease(rows, part, split)
            if all(map(rows.may_be_leaf, split)) and (gain > 0 or not must_lower):
                steps.append((gain, rows.step(column, low_code, high_code, float(gain))))
        if not rows.upright[column]:
            steps.reverse()
        return max(steps, key=lambda step: step[0], default=(0, None))[1]
