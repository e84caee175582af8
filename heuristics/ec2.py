"""EC2: greedily remove the pairs of different class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from heuristics.greedy import Greedy, most_leaves
from heuristics.growth import Part, Rows, Step, decrease_of, grow
from odt.core.run import Run
from odt.engine.front.cart import Grown
from odt.engine.front.columns import Columns
from odt.engine.front.kernels.balance import HIGH, LOW, MASS, PAIRS, SCORE


@dataclass(frozen=True)
class Ec2(Greedy):
    """Ask the test after which the fewest pairs of different class are expected to remain.

    With ``P`` the pairs of different class and ``w`` the weight of a set, a test scores the pairs
    that it removes, ``w_L (P - P_L) + w_R (P - P_R)`` (Golovin, Krause, Ray); ties go to the lowest
    feature and threshold. Growth stops at one class. The tree is then pruned for the objective.

    Parameters
    ----------
    prune : bool, default True
        False returns the grown tree, with only those leaves merged whose classes agree.
    """

    name: ClassVar[str] = "ec2"
    reference: ClassVar[str] = (
        "Golovin, Krause, Ray, Near-Optimal Bayesian Active Learning with Noisy Observations, "
        "NIPS 2010"
    )

    def grow(self, columns: Columns, run: Run) -> Grown:
        """Grow the tree that is then pruned."""
        return grow(Rows(columns), _fewest_pairs, most_leaves(columns.problem), run.should_stop)


def _fewest_pairs(rows: Rows, part: Part) -> Step | None:
    cuts, sums = rows.scan(part, rows.balance(part), PAIRS)
    if (cuts[:, LOW] < 0).all():
        return None
    best = int(sums[:, SCORE].argmax())  # the first of equals; any cut removes some pair
    gain = decrease_of(sums[best], int(cuts[best, MASS]), part.counts)
    return rows.step(best, int(cuts[best, LOW]), int(cuts[best, HIGH]), gain)
