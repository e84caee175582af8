"""C4.5's choice of tests: gain ratio among the tests of at least average gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from heuristics.greedy import Greedy, most_leaves
from heuristics.growth import Part, Rows, Step, decrease_of, grow, lowers_gini
from odt.core.run import Run
from odt.engine.front.cart import Grown
from odt.engine.front.columns import Columns
from odt.engine.front.kernels.balance import HIGH, LOGS, LOW, MASS
from odt.engine.front.kernels.layout import ENTROPY

_NEAR = 1e-12


@dataclass(frozen=True)
class C45(Greedy):
    """Ask the test of largest gain ratio among those of at least average gain (Quinlan).

    Each feature offers its cut of largest information gain. Of the cuts that gain at least the
    mean of all, the one with the largest gain per bit of its own split is taken; ties go to the
    lowest feature. A categorical feature offers one category against the others. The tree is then
    pruned for the objective, not by C4.5's estimate of the error.

    Parameters
    ----------
    prune : bool, default True
        False returns the grown tree, with only those leaves merged whose classes agree.
    """

    name: ClassVar[str] = "c45"
    reference: ClassVar[str] = "Quinlan, C4.5: Programs for Machine Learning, 1993"

    def grow(self, columns: Columns, run: Run) -> Grown:
        """Grow the tree that is then pruned."""
        rows = Rows(columns, "entropy")
        return grow(rows, _largest_ratio, most_leaves(columns.problem), run.should_stop)


def _largest_ratio(rows: Rows, part: Part) -> Step | None:
    cuts, sums = rows.scan(part, rows.balance(part), ENTROPY)
    offered = np.flatnonzero(lowers_gini(cuts, sums, part.counts))
    if not len(offered):
        return None
    total = int(part.counts.sum())
    share = part.counts[part.counts > 0] / total
    remaining = -cuts[offered, LOGS] / (rows.data.xlogx_scale * total)
    gain = -(share * np.log2(share)).sum() - remaining
    left = cuts[offered, MASS] / total
    bits = -(left * np.log2(left) + (1 - left) * np.log2(1 - left))
    ratio = np.where(gain >= gain.mean() * (1 - _NEAR), gain / bits, -np.inf)
    best = int(offered[np.argmax(ratio >= ratio.max() - _NEAR * abs(ratio.max()))])
    decrease = decrease_of(sums[best], int(cuts[best, MASS]), part.counts)
    return rows.step(best, int(cuts[best, LOW]), int(cuts[best, HIGH]), decrease)
