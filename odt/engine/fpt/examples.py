"""A classification instance as the paper has it: examples, features over ordered domains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from odt.errors import Stopped
from odt.model.problem import Problem
from odt.model.testset import Test

Rows = tuple[int, ...]
"""A set of examples, by ascending row number."""


@dataclass(frozen=True)
class Examples:
    """Examples with values from ordered domains, and the tests between the values.

    Attributes
    ----------
    values : tuple of tuple of int
        ``values[f][row]``: the rank of the example's value of feature ``f``.
    labels : tuple of int
        Class code of each row.
    tests : tuple of tuple of Test
        ``tests[f][v]`` holds for the examples with values of at most ``v``.
    """

    values: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]
    tests: tuple[tuple[Test, ...], ...]

    @classmethod
    def of(cls, problem: Problem, stop: Callable[[], bool] = lambda: False) -> Examples:
        """Read the distinct rows of a problem; raises `Stopped` when ``stop`` says True.

        The thresholds of one numeric feature make one feature with a value between each two of
        them. Each categorical test makes a feature of two values of its own.
        """
        merged = problem.dataset.merged
        groups: dict[tuple[int, object], list[Test]] = {}
        for test in problem.candidate_tests:
            groups.setdefault((test.feature, test.categories), []).append(test)
        tests = tuple(
            tuple(sorted(group, key=lambda t: t.threshold or 0.0)) for group in groups.values()
        )
        values = np.zeros((len(tests), len(merged.X)), dtype=np.int64)
        for own, group in zip(values, tests, strict=True):
            for test in group:
                Stopped.poll(stop)
                own += ~test.holds(merged.X)
        return cls(
            tuple(map(tuple, values.tolist())), tuple(merged.weights.argmax(axis=1).tolist()), tests
        )

    @property
    def rows(self) -> Rows:
        """All examples."""
        return tuple(range(len(self.labels)))

    def is_pure(self, rows: Rows) -> bool:
        """Whether all of some examples have one class."""
        return len({self.labels[row] for row in rows}) <= 1

    def domain(self, feature: int, rows: Rows) -> list[int]:
        """Return the distinct values of a feature that occur in some examples, ascending."""
        return sorted({self.values[feature][row] for row in rows})

    def up_to(self, feature: int, value: int, rows: Rows) -> Rows:
        """Return the examples with values of at most ``value``."""
        return tuple(row for row in rows if self.values[feature][row] <= value)

    def above(self, feature: int, value: int, rows: Rows) -> Rows:
        """Return the examples with values of more than ``value``."""
        return tuple(row for row in rows if self.values[feature][row] > value)
