"""Any objective as one exact integer cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, prod

from odt.data.dataset import Dataset
from odt.model.capability import Feature
from odt.model.objective import Objective, Terms
from odt.model.tree import Totals


@dataclass(frozen=True)
class Level:
    """One weighted sum in integers: ``value = step * (coefficients . totals)``.

    Attributes
    ----------
    coefficients : Totals
        Integer price of one unit of each total (0 for those that do not count).
    step : Fraction
        What one unit of cost is worth in the objective's own terms.
    upper : int
        No tree within the limits costs more.
    """

    coefficients: Totals
    step: Fraction
    upper: int

    def of(self, totals: Totals) -> int:
        """Return the integer cost of a tree with these totals."""
        return _dot(self.coefficients, totals)


@dataclass(frozen=True)
class Costs:
    """The objective of a problem as a single integer to minimise.

    A weighted sum becomes integer by its common denominator. The levels of a lexicographic
    objective are the digits of one number: the cost of a level is multiplied by a number larger
    than anything the levels after it can add up to. So every solver minimises one integer, for
    every objective, and two values are equal exactly when the integers are.

    Attributes
    ----------
    levels : tuple of Level
    radices : tuple of int
        Multiplier of each level.
    error, node, depth, test, explanation, worst : int
        Price of one weight unit misclassified; of one node; of one level of depth; of one weight
        unit times one cost unit of tests; of one weight unit times one distinct feature; of one
        distinct feature on the longest explanation.
    """

    levels: tuple[Level, ...]
    radices: tuple[int, ...]
    error: int
    node: int
    depth: int
    test: int
    explanation: int
    worst: int

    @classmethod
    def build(cls, objective: Objective, dataset: Dataset, largest: Totals) -> Costs:
        """Return the costs of ``objective`` on ``dataset``.

        Parameters
        ----------
        objective : Objective
        dataset : Dataset
        largest : Totals
            Upper limits of the totals of any feasible tree.
        """
        levels = tuple(_level(terms, dataset, largest) for terms in objective.levels)
        radices = tuple(prod(x.upper + 1 for x in levels[i + 1 :]) for i in range(len(levels)))
        combined = [
            sum(r * x.coefficients[i] for r, x in zip(radices, levels, strict=True))
            for i in range(len(largest))
        ]
        return cls(levels, radices, *combined[1:])

    @property
    def additive(self) -> bool:
        """Whether the cost is a sum over nodes and examples (no depth, no worst explanation)."""
        return self.depth == 0 and self.worst == 0

    @property
    def uses_explanation(self) -> bool:
        """Whether the features already asked on a path matter."""
        return self.explanation > 0 or self.worst > 0

    @property
    def upper(self) -> int:
        """No feasible tree costs more than this."""
        return self.radices[0] * (self.levels[0].upper + 1) - 1

    def of(self, totals: Totals) -> int:
        """Return the cost of a tree with these totals."""
        prices = Totals(
            0, self.error, self.node, self.depth, self.test, self.explanation, self.worst
        )
        return _dot(prices, totals)

    def level_costs(self, cost: int) -> tuple[int, ...]:
        """Split a cost into the integer costs of the levels."""
        digits = []
        for radix in self.radices:
            digit, cost = divmod(cost, radix)
            digits.append(digit)
        return tuple(digits)

    def values(self, cost: int) -> float | tuple[float, ...]:
        """Return a cost in the objective's own terms: a float, or one a level if several."""
        values = tuple(
            float(digit * level.step)
            for digit, level in zip(self.level_costs(cost), self.levels, strict=True)
        )
        return values[0] if len(values) == 1 else values


def _level(terms: Terms, dataset: Dataset, largest: Totals) -> Level:
    weight = Fraction(1, dataset.total_weight)
    worth = {
        Feature.ERROR: weight,
        Feature.SIZE: Fraction(1),
        Feature.DEPTH: Fraction(1),
        Feature.EXPECTED_TESTS: weight * dataset.cost_unit,
        Feature.EXPLANATION_SIZE: weight,
        Feature.WORST_EXPLANATION: Fraction(1),
    }
    coefficient = dict.fromkeys(worth, Fraction(0))
    coefficient.update({feature: c * worth[feature] for feature, c in terms})
    denominator = lcm(*(c.denominator for c in coefficient.values()))
    numerators = [int(c * denominator) for c in coefficient.values()]
    divisor = gcd(*numerators)
    coefficients = Totals(0, *(n // divisor for n in numerators))
    return Level(coefficients, Fraction(divisor, denominator), _dot(coefficients, largest))


def _dot(prices: Totals, totals: Totals) -> int:
    return sum(price * total for price, total in zip(prices, totals, strict=True))
