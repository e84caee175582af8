"""Tests that are forced or forbidden at a position of the tree.

A test is meant by what it does to the training rows: any other test of its feature that answers
alike on all of them is the same one, such as another threshold between the same two values. What
is forbidden is so with its sides swapped too; what is forced is not, since the positions below it
depend on the sides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.shape import Shape
from odt.model.testset import Test, TestSet
from odt.model.tree import Tree


@dataclass(frozen=True, eq=False)
class Positions:
    """The positional limits of a shape. A position is a string of L (yes) and R (no).

    Attributes
    ----------
    forced, forbidden : mapping
        As in `odt.Shape`.
    dataset : Dataset
        Its rows say which tests are the same.
    """

    forced: Mapping[str, Test | int]
    forbidden: Mapping[str, Collection[Test | int]]
    dataset: Dataset
    _answers: dict[Test, bytes] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, shape: Shape, dataset: Dataset) -> Self | None:
        """Return the positional limits of a shape; None if it has none."""
        found = cls(shape.forced or {}, shape.forbidden or {}, dataset)
        return found if found.forced or found.forbidden else None

    def concerns(self, position: str) -> bool:
        """Say whether something is demanded at or below a position."""
        demands = (*self.forced, *self.forbidden)
        return any(demand.startswith(position) for demand in demands)

    def allows_leaf(self, position: str) -> bool:
        """Say whether the path may end here: no test is forced at or below the position."""
        return not any(demand.startswith(position) for demand in self.forced)

    def allows(self, position: str, test: Test) -> bool:
        """Say whether a test may be asked at a position."""
        forced = self.forced.get(position)
        return (forced is None or self._is(test, forced)) and not any(
            self._is(test, demand) or self._is_reverse(test, demand)
            for demand in self.forbidden.get(position, ())
        )

    def answers(self, test: Test) -> bytes:
        """Return the answers of a test to all distinct rows; equal ones mean the same test."""
        if test not in self._answers:
            yes = test.holds(self.dataset.merged.X)
            self._answers[test] = np.packbits(yes).tobytes()
        return self._answers[test]

    def violations(self, tree: Tree) -> Iterator[str]:
        """Yield what a tree does wrong, in words."""
        for position, test in _positions(tree):
            name = f"position {position!r}" if position else "the root"
            if test is None and not self.allows_leaf(position):
                yield f"a leaf at {name}, where a test is forced at or below"
            elif test is not None and not self.allows(position, test):
                text = test.describe(self.dataset.schema)
                yield f"the test '{text}' at {name} is not allowed there"

    def check(self, tests: TestSet) -> None:
        """Refuse tests that are not candidates: to force or forbid them would mean nothing.

        Raises
        ------
        ProblemError
            Names the test and the closest candidate.
        """
        forbidden = (demand for many in self.forbidden.values() for demand in many)
        demands = [*((d, False) for d in self.forced.values()), *((d, True) for d in forbidden)]
        for demand, swapped_too in demands:
            if not isinstance(demand, Test):
                self._check_feature(demand)
            elif not any(
                self._is(test, demand) or (swapped_too and self._is_reverse(test, demand))
                for test in tests
            ):
                raise ProblemError(
                    f"The test '{demand.describe()}' is forced or forbidden but no candidate "
                    f"answers like it. {_closest(demand, tests)}"
                )

    def _check_feature(self, feature: int) -> None:
        if not 0 <= int(feature) < self.dataset.n_features:
            raise ProblemError(
                f"The feature number {feature!r} is forced or forbidden; there are "
                f"{self.dataset.n_features} features, numbered from 0."
            )

    def _is(self, test: Test, demand: Test | int) -> bool:
        """Say whether a test is of the feature, or answers as the test, that a demand names."""
        if not isinstance(demand, Test):
            return test.feature == int(demand)
        same = test.feature == demand.feature and self.answers(test) == self.answers(demand)
        return test == demand or same

    def _is_reverse(self, test: Test, demand: Test | int) -> bool:
        """Say whether a test splits the rows as the demanded one does, with the sides swapped."""
        if not isinstance(demand, Test) or test.feature != demand.feature:
            return False
        X = self.dataset.merged.X
        return bool((test.holds(X) != demand.holds(X)).all())


def _positions(tree: Tree) -> list[tuple[str, Test | None]]:
    names = [""] * tree.n_nodes
    for node, test in enumerate(tree.tests):
        if test is not None:
            names[int(tree.left[node])] = names[node] + "L"
            names[int(tree.right[node])] = names[node] + "R"
    return list(zip(names, tree.tests, strict=True))


def _closest(demand: Test, tests: TestSet) -> str:
    same = [t for t in tests if t.feature == demand.feature and t.threshold is not None]
    if demand.threshold is None or not same:
        return "Take one of problem.candidate_tests."
    wanted = demand.threshold
    best = min(same, key=lambda t: abs((t.threshold or 0.0) - wanted))
    return f"The closest one is Test({best.feature}, threshold={best.threshold!r})."
