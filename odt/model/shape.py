"""Which trees are allowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from odt.errors import ProblemError
from odt.model.checks import check_int, check_number, is_int
from odt.model.testset import Test


@dataclass(frozen=True)
class Charge:
    """A price paid once if the tree asks any of some features, such as those of one instrument.

    Parameters
    ----------
    features : frozenset of int
        Feature numbers.
    price : float
        Non-negative.
    """

    features: frozenset[int]
    price: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", frozenset(self.features))
        check_number("price", self.price)


@dataclass(frozen=True)
class Shape:
    """Limits of a tree; None means no limit.

    Parameters
    ----------
    max_depth : int, optional
        Most tests on a path, >= 0.
    max_nodes : int, optional
        Most nodes, branches plus leaves, >= 1.
    max_leaf_nodes : int, optional
        Most leaves, >= 1.
    min_samples_leaf : int, default 1
        Fewest training examples in a leaf.
    min_weight_leaf : float, default 0.0
        Least training weight in a leaf.
    max_error : float, optional
        Largest error allowed, a fraction in [0, 1]; 0 asks for a consistent tree.
    max_features : int, optional
        Most distinct features in the whole tree, >= 0.
    forced : mapping of position to Test or int, optional
        What the tree must ask at a position: this test, or some test of this feature (by its
        number). A position is the way from the root in letters, ``""`` the root, ``"L"`` after
        yes, ``"LR"`` after yes and no.
    forbidden : mapping of position to collection of Test or int, optional
        What the tree must not ask at a position. A test here and in ``forced`` stands for all of
        its feature that split the training rows alike (`odt.model.positions`).
    max_class_error : mapping of label to float, optional
        For a class, the largest share of its weight that may be misclassified.
    feature_budget : float, optional
        Most that the distinct features of the tree may cost together.
    feature_charges : tuple of Charge, optional
        What they cost; each feature 1 by default.

    Raises
    ------
    ProblemError
        For a value out of its range.
    """

    max_depth: int | None = None
    max_nodes: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_error: float | None = None
    max_features: int | None = None
    forced: Mapping[str, Test | int] | None = None
    forbidden: Mapping[str, Collection[Test | int]] | None = None
    max_class_error: Mapping[Any, float] | None = None
    feature_budget: float | None = None
    feature_charges: tuple[Charge, ...] | None = None

    def __post_init__(self) -> None:
        lowest = {"max_depth": 0, "max_nodes": 1, "max_leaf_nodes": 1, "max_features": 0}
        for name, least in lowest.items():
            check_int(name, getattr(self, name), least, optional=True)
        check_int("min_samples_leaf", self.min_samples_leaf, 1)
        check_number("min_weight_leaf", self.min_weight_leaf)
        check_number("max_error", self.max_error, most=1, optional=True)
        check_number("feature_budget", self.feature_budget, optional=True)
        for label, share in (self.max_class_error or {}).items():
            check_number(f"max_class_error of {label}", share, most=1)
        self._check_positions()

    def _check_positions(self) -> None:
        for position in (*(self.forced or ()), *(self.forbidden or ())):
            if not isinstance(position, str) or set(position) - {"L", "R"}:
                raise ProblemError(
                    f"A position is a string of L and R, '' for the root. Got {position!r} instead."
                )
        for demand in (*(self.forced or {}).values(), *_members(self.forbidden)):
            if not isinstance(demand, Test) and not is_int(demand, 0):
                raise ProblemError(
                    f"What is forced or forbidden is a Test or the number of a feature. Got "
                    f"{demand!r} instead."
                )


def _members(forbidden: Mapping[str, Collection[Test | int]] | None) -> list[Test | int]:
    """Everything that is forbidden somewhere."""
    if not all(isinstance(demands, Collection) for demands in (forbidden or {}).values()):
        raise ProblemError(f"'forbidden' maps positions to collections. Got {forbidden!r} instead.")
    return [demand for demands in (forbidden or {}).values() for demand in demands]
