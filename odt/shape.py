"""Which trees are allowed."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from odt.errors import ProblemError


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

    def __post_init__(self) -> None:
        lowest = {"max_depth": 0, "max_nodes": 1, "max_leaf_nodes": 1, "max_features": 0}
        for name, least in lowest.items():
            value = getattr(self, name)
            if value is not None and not _is_int(value, least):
                raise ProblemError(
                    f"'{name}' must be an int >= {least} or None. Got {value!r} instead."
                )
        if not _is_int(self.min_samples_leaf, 1):
            raise ProblemError(
                f"'min_samples_leaf' must be an int >= 1. Got {self.min_samples_leaf!r} instead."
            )
        if not (_is_real(self.min_weight_leaf) and 0 <= self.min_weight_leaf < float("inf")):
            raise ProblemError(
                f"'min_weight_leaf' must be a number >= 0. Got {self.min_weight_leaf!r} instead."
            )
        if self.max_error is not None and not (
            _is_real(self.max_error) and 0 <= self.max_error <= 1
        ):
            raise ProblemError(
                f"'max_error' must be a fraction in [0, 1] or None. Got {self.max_error!r} instead."
            )


def _is_int(value: object, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
