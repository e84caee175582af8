"""The measures of a tree: one table from which parsing, pricing, printing and support follow."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from odt.data.dataset import Dataset


class Amounts(NamedTuple):
    """What a tree adds up to on a dataset, or the price of one unit of each; exact integers.

    Attributes
    ----------
    errors : int
        Weight units of the misclassified examples (`Dataset.weight_unit`); for regression, the
        units of squared error (`Targets.unit`), rounded down in each leaf.
    nodes : int
        Branches plus leaves.
    depth : int
        Most tests on a path.
    tests : int
        Sum over examples of weight times the cost units of the tests on its path.
    explanation : int
        Sum over examples of weight times the number of distinct features on its path.
    worst : int
        Most distinct features on the path of an example.
    """

    errors: int = 0
    nodes: int = 0
    depth: int = 0
    tests: int = 0
    explanation: int = 0
    worst: int = 0

    def cost(self, prices: Amounts) -> int:
        """Return the sum of all amounts times their prices."""
        return sum(amount * price for amount, price in zip(self, prices, strict=True))

    @property
    def additive(self) -> bool:
        """Whether only sums over nodes and examples occur, no maximum."""
        return not any(getattr(self, measure.amount) for measure in MAXIMA)


class Measure(Enum):
    """What an objective may combine; ``value`` is its name there.

    Attributes
    ----------
    amount : str
        The field of `Amounts` that it counts.
    short : str
        Its name in narrow tables.
    unit : str
        What one unit of its public value is.
    is_mean : bool
        Whether it is a mean over the weight of the examples.
    is_maximum : bool
        Whether it is a maximum over paths, so that no sum over nodes and examples gives it.
    """

    ERROR = ("error", "errors", "err", "share of the weight", True, False)
    SQUARED_ERROR = ("squared_error", "errors", "sqe", "square of the target's", True, False)
    SIZE = ("size", "nodes", "siz", "nodes", False, False)
    DEPTH = ("depth", "depth", "dep", "tests", False, True)
    EXPECTED_TESTS = ("expected_tests", "tests", "tst", "tests, or their costs", True, False)
    EXPLANATION_SIZE = ("explanation_size", "explanation", "exp", "features", True, False)
    WORST_EXPLANATION = ("worst_explanation_size", "worst", "wex", "features", False, True)

    amount: str
    short: str
    unit: str
    is_mean: bool
    is_maximum: bool

    def __new__(
        cls, value: str, amount: str, short: str, unit: str, is_mean: bool, is_maximum: bool
    ) -> Measure:
        """Take a row of the table."""
        member = object.__new__(cls)
        member._value_ = value
        member.amount, member.short, member.unit = amount, short, unit
        member.is_mean, member.is_maximum = is_mean, is_maximum
        return member

    def worth(self, dataset: Dataset) -> Fraction:
        """Return what one unit of the amount is worth in the public unit."""
        one = Fraction(1)
        if self is Measure.EXPECTED_TESTS:
            one = dataset.cost_unit
        if self is Measure.SQUARED_ERROR and dataset.targets is not None:
            one = dataset.targets.unit
        return one / dataset.total_weight if self.is_mean else one

    def of(self, amounts: Amounts, dataset: Dataset) -> float:
        """Return the measure in its public unit."""
        value = getattr(amounts, self.amount) * self.worth(dataset)
        return float(value) if self.is_mean else int(value)

    def suits(self, dataset: Dataset) -> bool:
        """Say whether the measure is defined: errors for classes, squared errors for targets."""
        other = Measure.SQUARED_ERROR if dataset.targets is None else Measure.ERROR
        return self is not other

    def priced(self, price: int = 1) -> Amounts:
        """Return the prices that charge this measure alone."""
        return Amounts(**{self.amount: price})


MEASURES = {measure.value: measure for measure in Measure}
"""The measures by name."""

ADDITIVE = frozenset(
    {Measure.ERROR, Measure.SIZE, Measure.EXPECTED_TESTS, Measure.EXPLANATION_SIZE}
)
"""Sums over the nodes and the examples of a classification tree."""

MAXIMA = frozenset({Measure.DEPTH, Measure.WORST_EXPLANATION})
"""Maxima over the paths of a tree."""
