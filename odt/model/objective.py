"""What to minimise: measures of a tree, weighted sums of them, and lexicographic lists of sums."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

from odt.data.dataset import Dataset
from odt.data.numerals import shortest
from odt.data.units import as_fraction
from odt.errors import ProblemError
from odt.model.measure import MEASURES, Measure

Terms = tuple[tuple[Measure, Fraction], ...]
_ORDER = tuple(Measure)
_LARGEST = sys.float_info.max
_TERM = re.compile(r"^(?:([0-9.eE+-]+|\d+/\d+)\s*\*\s*)?([A-Za-z_]+)$")


@dataclass(frozen=True, eq=False)
class Objective:
    """A weighted sum of measures to minimise, or several in order of importance.

    Combine the measures `Error` or `SquaredError`, `Size`, `Depth`, `ExpectedTests` and
    `ExplanationSize`::

        Error() + 0.01 * ExpectedTests()
        lexicographic(Error(), Size())

    Attributes
    ----------
    levels : tuple of terms
        Each level holds pairs (measure, positive coefficient); the first level matters most.
    """

    levels: tuple[Terms, ...]

    @classmethod
    def parse(cls, text: str) -> Objective:
        """Read an objective from text such as ``"error + 0.01*expected_tests"``.

        A comma separates the levels of a lexicographic objective: ``"error, size"``.

        Parameters
        ----------
        text : str
            Measures: error, squared_error, size, depth, expected_tests, explanation_size,
            worst_explanation_size.

        Raises
        ------
        ProblemError
            If the text does not follow this form.
        """
        return lexicographic(*(_parse_level(level, text) for level in text.split(",")))

    @property
    def measures(self) -> frozenset[Measure]:
        """The measures that occur."""
        return frozenset(measure for terms in self.levels for measure, _ in terms)

    def __add__(self, other: object) -> Objective:
        if not isinstance(other, Objective):
            return NotImplemented
        coefficients = dict(self._single())
        for measure, coefficient in other._single():
            coefficients[measure] = coefficients.get(measure, Fraction(0)) + coefficient
        return Objective((tuple(sorted(coefficients.items(), key=lambda t: _ORDER.index(t[0]))),))

    def __mul__(self, factor: Any) -> Objective:
        if not isinstance(factor, Real | Fraction):
            return NotImplemented
        if not 0 < factor <= _LARGEST:  # type: ignore[operator]
            raise ProblemError(
                f"A coefficient must be positive and finite. Got {factor!r} instead."
            )
        exact = as_fraction(factor if isinstance(factor, Fraction) else float(factor))
        return Objective((tuple((measure, c * exact) for measure, c in self._single()),))

    __rmul__ = __mul__

    def _single(self) -> Terms:
        if len(self.levels) != 1:
            raise ProblemError(
                f"A lexicographic objective ({self}) cannot be part of a sum: build the sums "
                "first, then lexicographic(sum, sum)."
            )
        return self.levels[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Objective) and self.levels == other.levels

    def __hash__(self) -> int:
        return hash(self.levels)

    def __str__(self) -> str:
        return ", ".join(" + ".join(_term_text(*term) for term in level) for level in self.levels)


class Error(Objective):
    """Weight of the misclassified examples over the total weight; a fraction."""

    def __init__(self) -> None:
        super().__init__(_one(Measure.ERROR))


class SquaredError(Objective):
    """Weighted mean of the squared errors of a regression tree whose leaves predict means.

    A leaf counts as the exact mean of its examples, rounded or not. The sum is rounded down in
    each leaf to whole units of about ``2**-44`` of the squared error of a single leaf
    (`odt.data.targets.Targets.unit`); everything else about it is exact.
    """

    def __init__(self) -> None:
        super().__init__(_one(Measure.SQUARED_ERROR))


class Size(Objective):
    """Number of nodes, branches plus leaves, as scikit-learn's ``node_count``."""

    def __init__(self) -> None:
        super().__init__(_one(Measure.SIZE))


class Depth(Objective):
    """Most tests on a path from the root to a leaf; a lone leaf has 0."""

    def __init__(self) -> None:
        super().__init__(_one(Measure.DEPTH))


class ExpectedTests(Objective):
    """Weighted mean number of tests of an example; with test costs, mean cost of its tests.

    A feature tested twice on a path is paid twice.
    """

    def __init__(self) -> None:
        super().__init__(_one(Measure.EXPECTED_TESTS))


class ExplanationSize(Objective):
    """Number of distinct features on the path of an example.

    Parameters
    ----------
    worst : bool, default False
        Take the maximum over examples instead of the weighted mean.
    """

    def __init__(self, worst: bool = False) -> None:
        super().__init__(_one(Measure.WORST_EXPLANATION if worst else Measure.EXPLANATION_SIZE))


def lexicographic(*objectives: Objective) -> Objective:
    """Return the objective that minimises the first, then among its optima the second, and so on.

    Parameters
    ----------
    *objectives : Objective
        At least one, each a weighted sum of measures.
    """
    if not objectives:
        raise ProblemError("lexicographic() needs at least one objective.")
    return Objective(tuple(objective._single() for objective in objectives))


def usual_objective(dataset: Dataset) -> Objective:
    """Return what is minimised unless something is said: the error, or the squared error."""
    return Error() if dataset.targets is None else SquaredError()


def _one(measure: Measure) -> tuple[Terms, ...]:
    return (((measure, Fraction(1)),),)


def _parse_level(level: str, text: str) -> Objective:
    total: Objective | None = None
    # a sign in an exponent ("1e+2") does not separate terms
    for part in re.split(r"(?<![0-9.][eE])\+", level):
        match = _TERM.match(part.strip())
        measure = MEASURES.get(match[2]) if match else None
        try:
            coefficient = _coefficient(match[1] or "1") if match else Fraction(0)
        except (ValueError, ZeroDivisionError):
            measure = None
        if measure is None:
            raise ProblemError(
                f"Cannot read {part.strip()!r} in the objective {text!r}. Expected sums such as "
                f"'error + 0.01*expected_tests', levels separated by commas; measures: "
                f"{', '.join(MEASURES)}."
            )
        term = coefficient * Objective(_one(measure))
        total = term if total is None else total + term
    assert total is not None
    return total


def _coefficient(text: str) -> float | Fraction:
    return Fraction(text) if "/" in text else float(text)


def _term_text(measure: Measure, coefficient: Fraction) -> str:
    """Return a term that reads back to the same coefficient: as a fraction if it is no decimal."""
    if coefficient == 1:
        return str(measure.value)
    is_decimal = as_fraction(float(coefficient)) == coefficient
    text = shortest(float(coefficient)) if is_decimal else str(coefficient)
    return f"{text}*{measure.value}"
