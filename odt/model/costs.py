"""Any objective as one exact integer cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, prod
from operator import mul

from odt.data.dataset import Dataset
from odt.model.measure import Amounts
from odt.model.objective import Objective, Terms


@dataclass(frozen=True)
class Level:
    """One weighted sum in integers: ``value = step * (coefficients . amounts)``.

    Attributes
    ----------
    coefficients : Amounts
        Integer price of one unit of each amount (0 for those that do not count).
    step : Fraction
        What one unit of cost is worth in the objective's own terms.
    upper : int
        No tree within the limits costs more.
    """

    coefficients: Amounts
    step: Fraction
    upper: int

    def of(self, amounts: Amounts) -> int:
        """Return the integer cost of a tree with these amounts."""
        return amounts.cost(self.coefficients)


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
    prices : Amounts
        Price of one unit of each amount.
    """

    levels: tuple[Level, ...]
    radices: tuple[int, ...]
    prices: Amounts

    @classmethod
    def build(cls, objective: Objective, dataset: Dataset, largest: Amounts) -> Costs:
        """Return the costs of ``objective`` on ``dataset``.

        Parameters
        ----------
        objective : Objective
        dataset : Dataset
        largest : Amounts
            Upper limits of the amounts of any feasible tree.
        """
        levels = tuple(_level(terms, dataset, largest) for terms in objective.levels)
        radices = tuple(prod(x.upper + 1 for x in levels[i + 1 :]) for i in range(len(levels)))
        columns = zip(*(level.coefficients for level in levels), strict=True)
        prices = Amounts(*(sum(map(mul, radices, column)) for column in columns))
        return cls(levels, radices, prices)

    @property
    def additive(self) -> bool:
        """Whether the cost is a sum over nodes and examples (no depth, no worst explanation)."""
        return self.prices.additive

    @property
    def uses_explanation(self) -> bool:
        """Whether the features already asked on a path matter."""
        return self.prices.explanation > 0 or self.prices.worst > 0

    @property
    def upper(self) -> int:
        """No feasible tree costs more than this."""
        return self.radices[0] * (self.levels[0].upper + 1) - 1

    def of(self, amounts: Amounts) -> int:
        """Return the cost of a tree with these amounts."""
        return amounts.cost(self.prices)

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


def _level(terms: Terms, dataset: Dataset, largest: Amounts) -> Level:
    worth = {measure.amount: factor * measure.worth(dataset) for measure, factor in terms}
    denominator = lcm(*(price.denominator for price in worth.values()))
    numerators = {amount: int(price * denominator) for amount, price in worth.items()}
    divisor = gcd(*numerators.values())
    coefficients = Amounts(**{amount: n // divisor for amount, n in numerators.items()})
    return Level(coefficients, Fraction(divisor, denominator), largest.cost(coefficients))
