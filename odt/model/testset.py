"""Candidate tests of a tree: ``x[f] <= t`` for numbers, ``x[f] in C`` for categories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from odt.data.numerals import shortest
from odt.data.schema import Schema
from odt.errors import ProblemError, Stopped
from odt.model.checks import check_int

if TYPE_CHECKING:
    from odt.data.dataset import Dataset
    from odt.model.tree import Tree


_CHUNK = 2**23
"""Answers that are worked out at once, one a byte."""


def packed_bytes(n_rows: int) -> int:
    """Return the bytes that the answers of some rows to one test take."""
    return -(-n_rows // 8)


@dataclass(frozen=True, order=True)
class Test:
    """One yes/no question about one feature; examples that answer yes go left.

    Parameters
    ----------
    feature : int
        Column number, >= 0.
    threshold : float, optional
        The test ``x[feature] <= threshold``.
    categories : collection of int, optional
        The test ``x[feature] in categories``, given as category codes; kept as a sorted tuple.

    Raises
    ------
    ProblemError
        Unless exactly one of ``threshold`` and ``categories`` is given; for a feature that is no
        column number or a threshold that is not a number.
    """

    __test__: ClassVar[bool] = False  # pytest must not collect this class

    feature: int
    threshold: float | None = None
    categories: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if (self.threshold is None) == (self.categories is None):
            raise ProblemError(
                "A Test needs either a threshold or categories. Got "
                f"threshold={self.threshold!r} and categories={self.categories!r}."
            )
        check_int("feature", self.feature, 0)
        object.__setattr__(self, "feature", int(self.feature))
        if self.threshold is not None:
            object.__setattr__(self, "threshold", float(self.threshold))
            if isnan(self.threshold):
                raise ProblemError("The threshold of a Test must be a number. Got NaN instead.")
        else:
            codes = tuple(sorted({int(code) for code in self.categories or ()}))
            object.__setattr__(self, "categories", codes)

    @property
    def is_numeric(self) -> bool:
        """Whether it compares with a threshold."""
        return self.threshold is not None

    def holds(
        self, X: NDArray[np.float64], rows: NDArray[np.intp] | None = None
    ) -> NDArray[np.bool_]:
        """Return for each row of ``X``, shape (n, p), whether the answer is yes.

        Parameters
        ----------
        X : ndarray of float64, shape (n, p)
            Encoded rows, as in `Dataset.X`.
        rows : ndarray of int, shape (m,), optional
            Ask these rows only.
        """
        return self.accepts(X[:, self.feature] if rows is None else X[rows, self.feature])

    def accepts(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each value of the feature, shape (n,), whether the answer is yes."""
        if self.threshold is not None:
            return values <= self.threshold
        if self.categories and len(self.categories) == 1:
            return np.asarray(values == self.categories[0])
        return np.isin(values, self.categories or ())

    def describe(self, schema: Schema | None = None, *, negated: bool = False) -> str:
        """Return the test as text with the original names, such as ``petal width <= 0.8``.

        Parameters
        ----------
        schema : Schema, optional
            Names; without it ``x0``, ``x1``, ... and category codes are used.
        negated : bool, default False
            Describe the answer no instead.
        """
        name = schema.feature_names[self.feature] if schema else f"x{self.feature}"
        if self.threshold is not None:
            return f"{name} {'>' if negated else '<='} {shortest(self.threshold)}"
        assert self.categories is not None
        known = schema.categories[self.feature] if schema else ()
        values = [str(known[c]) if c < len(known) else str(c) for c in self.categories]
        if len(values) == 1:
            return f"{name} {'!=' if negated else '=='} {values[0]}"
        return f"{name} {'not in' if negated else 'in'} {{{', '.join(values)}}}"


def midpoints(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a threshold between each two consecutive distinct values.

    The threshold is the midpoint, or the lower value where the midpoint rounds onto the upper
    one, so that ``x <= t`` separates them exactly for any two floats.

    Parameters
    ----------
    values : ndarray of float64
        Distinct values in ascending order.
    """
    low, high = values[:-1], values[1:]
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


@dataclass(frozen=True)
class TestSet:
    """The tests a tree may use.

    Attributes
    ----------
    tests : tuple of Test
        Distinct tests.
    complete : bool
        Whether every way to split the training rows at a threshold, or at one category against
        the others, is among them; an optimum is then one over all such trees.
    """

    __test__: ClassVar[bool] = False

    tests: tuple[Test, ...]
    complete: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "tests", tuple(dict.fromkeys(self.tests)))

    @classmethod
    def all(cls, dataset: Dataset, stop: Callable[[], bool] = lambda: False) -> Self:
        """Return every threshold between two values, and every category against the others.

        Thresholds between two values of one class are kept: leaving them out, as several
        published codes do, loses the optimum from depth 2 on.

        Parameters
        ----------
        dataset : Dataset
        stop : callable, optional
            Polled; `odt.errors.Stopped` is raised when it says True.
        """
        tests: list[Test] = []
        for feature in range(dataset.n_features):
            Stopped.poll(stop)
            tests += _tests(dataset, feature)
        return cls(tuple(tests), True)

    @staticmethod
    def count_all(dataset: Dataset) -> int:
        """Return how many tests `all` gives, without making them."""
        return sum(_n_tests(dataset, feature) for feature in range(dataset.n_features))

    @classmethod
    def quantiles(cls, dataset: Dataset, q: int) -> Self:
        """Return at most ``q`` thresholds a feature, at quantiles of its distinct values.

        Parameters
        ----------
        dataset : Dataset
        q : int
            At least 1. Categorical tests are all kept.

        Raises
        ------
        ProblemError
            If ``q`` is less than 1.
        """
        if q < 1:
            raise ProblemError(f"q must be an int >= 1. Got {q!r} instead.")
        chosen: list[Test] = []
        for f in range(dataset.n_features):
            tests = _tests(dataset, f)
            if dataset.kinds[f] != "categorical" and len(tests) > q:
                positions = np.unique(np.linspace(0, len(tests) - 1, q + 2)[1:-1].round())
                tests = [tests[int(i)] for i in positions]
            chosen += tests
        return cls(tuple(chosen))

    @classmethod
    def of_trees(cls, trees: Iterable[Tree]) -> Self:
        """Return the tests that occur in the given trees, for example in a forest of CARTs."""
        return cls(tuple(t for tree in trees for t in tree.tests if t is not None))

    def __len__(self) -> int:
        return len(self.tests)

    def __iter__(self) -> Iterator[Test]:
        return iter(self.tests)

    def __contains__(self, test: Any) -> bool:
        return test in self._members

    @cached_property
    def _members(self) -> frozenset[Test]:
        return frozenset(self.tests)

    def outcomes(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the answers, shape (n, number of tests), True meaning yes (left)."""
        answers = np.zeros((len(X), len(self.tests)), dtype=bool)
        for t, test in enumerate(self.tests):
            answers[:, t] = test.holds(X)
        return answers

    def packed(
        self, X: NDArray[np.float64], stop: Callable[[], bool] = lambda: False
    ) -> NDArray[np.uint8]:
        """Return the answers as bits, shape (number of tests, ceil(n / 8)), little end first.

        Parameters
        ----------
        X : ndarray of float64, shape (n, p)
        stop : callable, optional
            Polled; `odt.errors.Stopped` is raised when it says True.
        """
        bits = np.zeros((len(self.tests), packed_bytes(len(X))), dtype=np.uint8)
        step, first = max(1, _CHUNK // max(len(X), 1)), 0
        for (feature, numeric), run in groupby(self.tests, lambda t: (t.feature, t.is_numeric)):
            tests = list(run)
            column = np.ascontiguousarray(X[:, feature])
            for start in range(0, len(tests), step if numeric else 1):
                Stopped.poll(stop)
                part = tests[start : start + (step if numeric else 1)]
                if numeric:
                    holds = column <= np.array([[test.threshold] for test in part])
                else:
                    holds = np.isin(column, part[0].categories or ())[None]
                own = slice(first + start, first + start + len(part))
                bits[own] = np.packbits(holds, axis=1, bitorder="little")
            first += len(tests)
        return bits


def _tests(dataset: Dataset, feature: int) -> list[Test]:
    values = np.unique(dataset.X[:, feature])
    if dataset.kinds[feature] != "categorical":
        return [Test(feature, threshold=t) for t in midpoints(values).tolist()]
    if len(values) < 2:
        return []
    codes = values[:1] if len(values) == 2 else values
    return [Test(feature, categories=(int(code),)) for code in codes]


def _n_tests(dataset: Dataset, feature: int) -> int:
    n_values = len(np.unique(dataset.X[:, feature]))
    if dataset.kinds[feature] == "categorical":
        return n_values if n_values > 2 else n_values - 1
    return n_values - 1
