"""Tests that are forced or forbidden at a position of the tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.shape import Shape
from odt.model.testset import Test, TestSet
from odt.model.tree import Tree


@dataclass(frozen=True)
class Positions:
    """The positional limits of a shape. A position is a string of L (yes) and R (no).

    Attributes
    ----------
    forced, forbidden : mapping
        As in `odt.Shape`.
    """

    forced: Mapping[str, Test | int]
    forbidden: Mapping[str, Collection[Test | int]]

    @classmethod
    def of(cls, shape: Shape) -> Self | None:
        """Return the positional limits of a shape; None if it has none."""
        found = cls(shape.forced or {}, shape.forbidden or {})
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
        return (forced is None or _is(test, forced)) and not any(
            _is(test, demand) for demand in self.forbidden.get(position, ())
        )

    def violations(self, tree: Tree, dataset: Dataset) -> Iterator[str]:
        """Yield what a tree does wrong, in words."""
        for position, test in _positions(tree):
            name = f"position {position!r}" if position else "the root"
            if test is None and not self.allows_leaf(position):
                yield f"a leaf at {name}, where a test is forced at or below"
            elif test is not None and not self.allows(position, test):
                yield f"the test '{test.describe(dataset.schema)}' at {name} is not allowed there"

    def check(self, tests: TestSet, dataset: Dataset) -> None:
        """Refuse tests that are not candidates: to force or forbid them would mean nothing.

        Raises
        ------
        ProblemError
            Names the test and the closest candidate.
        """
        demands = list(self.forced.values())
        demands += [demand for many in self.forbidden.values() for demand in many]
        candidates = set(tests)
        for demand in demands:
            if isinstance(demand, Test) and demand not in candidates:
                raise ProblemError(
                    f"The test '{demand.describe()}' is forced or forbidden but no candidate. "
                    f"{_closest(demand, tests)}"
                )
            if not isinstance(demand, Test) and not 0 <= int(demand) < dataset.n_features:
                raise ProblemError(
                    f"The feature number {demand!r} is forced or forbidden; there are "
                    f"{dataset.n_features} features, numbered from 0."
                )


def _is(test: Test, demand: Test | int) -> bool:
    return test == demand if isinstance(demand, Test) else test.feature == int(demand)


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
