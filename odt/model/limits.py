"""The limits of a problem in the integer units of its data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Self

from odt.data.dataset import Dataset
from odt.data.units import as_fraction
from odt.model.positions import Positions
from odt.model.shape import Shape


@dataclass(frozen=True)
class FeatureBudget:
    """The prices of groups of features, each paid once if the tree asks any of the group.

    Attributes
    ----------
    groups : tuple of frozenset of int
        Feature numbers.
    prices : tuple of int
        What each group costs.
    at_most : int
        Most that a tree may pay.
    """

    groups: tuple[frozenset[int], ...]
    prices: tuple[int, ...]
    at_most: int

    def allows(self, features: frozenset[int]) -> bool:
        """Say whether a tree may ask all of these features."""
        priced = zip(self.groups, self.prices, strict=True)
        return sum(price for group, price in priced if group & features) <= self.at_most


@dataclass(frozen=True)
class Limits:
    """What a `Shape` allows on a dataset. Amounts are counted as in `Amounts`.

    Attributes
    ----------
    depth : int or None
        Most tests on a path; None without limit.
    nodes : int or None
        Most nodes allowed, from ``max_nodes`` and ``max_leaf_nodes``; None without limit.
    errors : int or None
        Most misclassified weight units; None without limit.
    class_errors : tuple of int or None
        The same for each class.
    leaf_rows : int
        Fewest examples in a leaf.
    leaf_weight : int
        Fewest weight units in a leaf.
    budgets : tuple of FeatureBudget
        Limits on the features of a tree: their number, their charges.
    positions : Positions or None
        Tests forced or forbidden at positions; None without any.
    useful_depth : int
        No tree needs more depth: the limit, or what it takes to isolate every distinct row.
    useful_branches : int
        No tree needs more branches.
    """

    depth: int | None
    nodes: int | None
    errors: int | None
    class_errors: tuple[int, ...] | None
    leaf_rows: int
    leaf_weight: int
    budgets: tuple[FeatureBudget, ...]
    positions: Positions | None
    useful_depth: int
    useful_branches: int

    @classmethod
    def of(cls, shape: Shape, dataset: Dataset) -> Self:
        """Return the limits of a shape on a dataset."""
        nodes = _nodes(shape)
        isolating = len(dataset.merged.X) - 1
        useful = isolating if nodes is None else min(isolating, (nodes - 1) // 2)
        asked = None if shape.max_depth is None else int(shape.max_depth)
        depth = useful if asked is None else min(useful, asked)
        return cls(
            depth=asked,
            nodes=nodes,
            errors=_most(shape.max_error, dataset.total_weight),
            class_errors=_class_errors(shape, dataset),
            leaf_rows=int(shape.min_samples_leaf),
            leaf_weight=_units(shape.min_weight_leaf, dataset.weight_unit),
            budgets=tuple(_budgets(shape, dataset.n_features)),
            positions=Positions.of(shape, dataset),
            useful_depth=depth,
            useful_branches=min(useful, (1 << min(depth, 62)) - 1),
        )

    def allows_features(self, features: frozenset[int]) -> bool:
        """Say whether a tree may ask all of these features."""
        return all(budget.allows(features) for budget in self.budgets)

    def allows_leaf(self, rows: int, weight: int) -> bool:
        """Say whether a leaf may have so few examples, so few weight units."""
        return rows >= self.leaf_rows and weight >= self.leaf_weight


def _nodes(shape: Shape) -> int | None:
    """Most nodes; a tree has an odd number of them."""
    limits = [] if shape.max_nodes is None else [(int(shape.max_nodes) - 1) // 2 * 2 + 1]
    limits += [] if shape.max_leaf_nodes is None else [2 * int(shape.max_leaf_nodes) - 1]
    return min(limits, default=None)


def _most(share: float | None, weight: int) -> int | None:
    return None if share is None else floor(as_fraction(float(share)) * weight)


def _units(weight: float, unit: Fraction) -> int:
    return ceil(as_fraction(float(weight)) / unit)


def _class_errors(shape: Shape, dataset: Dataset) -> tuple[int, ...] | None:
    if not shape.max_class_error:
        return None
    by_class = dataset.merged.weights.sum(axis=0).tolist()
    share = dict.fromkeys(dataset.classes, 1.0) | dict(shape.max_class_error)
    return tuple(
        floor(as_fraction(float(share[label])) * weight)
        for label, weight in zip(dataset.classes, by_class, strict=True)
    )


def _budgets(shape: Shape, n_features: int) -> list[FeatureBudget]:
    each = tuple(frozenset({feature}) for feature in range(n_features))
    budgets = []
    if shape.max_features is not None:
        budgets.append(FeatureBudget(each, (1,) * n_features, int(shape.max_features)))
    if shape.feature_budget is not None:
        most = as_fraction(float(shape.feature_budget))
        groups, prices = each, [Fraction(1)] * n_features
        if shape.feature_charges is not None:
            groups = tuple(charge.features for charge in shape.feature_charges)
            prices = [as_fraction(float(charge.price)) for charge in shape.feature_charges]
        unit = lcm(*(price.denominator for price in prices))
        whole = tuple(int(price * unit) for price in prices)
        budgets.append(FeatureBudget(groups, whole, floor(most * unit)))
    return budgets
