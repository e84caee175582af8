"""A state as its chains sort it, and what is known of the sides of each test before any search."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from odt.proof.instance import Instance
from odt.proof.kernel import ALONE, FROM_BOTH, FROM_SUBSETS, Sorted

Array = NDArray[Any]


class Sides(NamedTuple):
    """The left and the right side of each position of each chain; position i ends the left one.

    Attributes
    ----------
    known, mass : ndarray, shape (2, G, m - 1)
        What they cost at least, and their weights.
    below : ndarray, shape (G, G)
        For a first test of each chain, what the tests of each cost below for a unit of weight.
    """

    known: Array
    mass: Array
    below: Array


class View:
    """The groups of a state, sorted along each chain.

    Parameters
    ----------
    instance : Instance
    numbers : ndarray of int32, shape (m,)
        The groups of the state, ascending.
    depth, used, new : int
        Tests left, features used, new features allowed.

    Attributes
    ----------
    groups : Sorted
    own : ndarray, shape (G,)
        Coefficients of the tests; see `Instance.coefficients`.
    prices : ndarray, shape (G,)
        What a test of each chain costs.
    floor, leaf : int
        What every tree costs, and what a leaf does (infinite where none is allowed).
    rules : ndarray, shape (2,)
        How far a bound reaches along a chain, and what a unit of weight costs at most.
    """

    def __init__(self, instance: Instance, numbers: Array, depth: int, used: int, new: int) -> None:
        self.instance, self.numbers, self.m = instance, numbers, len(numbers)
        self.depth, self.used, self.new = depth, used, new
        place = np.full(instance.codes.shape[1], -1)
        place[numbers] = np.arange(self.m)
        order = place[instance.order]
        order = order[order >= 0].reshape(len(order), self.m)
        self.sorted = np.take_along_axis(instance.codes[:, numbers], order, axis=1)
        self.groups = Sorted(
            order, self.sorted[:, 1:] != self.sorted[:, :-1], instance.weights[numbers],
            instance.counts[numbers], instance.prices,
        )  # fmt: skip
        self._parts = instance.weights[numbers].T, instance.base[numbers], instance.counts[numbers]
        self._whole = [x.sum(axis=-1, keepdims=True) for x in self._parts]
        weights, base, count = self._whole
        self.weight = int(weights.sum())
        self.own = instance.coefficients(used, new)
        self.prices = instance.node + self.own * self.weight
        cheapest = instance.cheapest(used, new)
        self.leaf = int(instance.leaves(weights, count)[0])
        self.floor = int(
            instance.floors((weights, base, count), np.array([self.m]), depth, cheapest)[0]
        )
        reach = ALONE if instance.limited else FROM_SUBSETS if instance.pure else FROM_BOTH
        dearest = instance.error + instance.dearest * (depth - 1)
        self.rules = np.array([reach, dearest], dtype=instance.type)

    @cached_property
    def sides(self) -> Sides:
        """What is known of the sides of each position."""
        instance, below = self.instance, [self.after(g) for g in range(len(self.own))]
        cheapest = np.array([[instance.cheapest(*b)] for b in below], dtype=instance.type)
        left = self._left_sums
        right = tuple(whole[..., None] - x for whole, x in zip(self._whole, left, strict=True))
        sizes = np.arange(1, self.m)
        known = np.array(
            [
                instance.floors(left, sizes, self.depth - 1, cheapest),
                instance.floors(right, self.m - sizes, self.depth - 1, cheapest),
            ]
        )
        if not instance.limited:
            known[0] = np.maximum.accumulate(known[0], axis=1)
            known[1] = np.maximum.accumulate(known[1, :, ::-1], axis=1)[:, ::-1]
        mass = np.array([left[0].sum(axis=0), right[0].sum(axis=0)])
        return Sides(known, mass, np.array([instance.coefficients(*b) for b in below]))

    @cached_property
    def _left_sums(self) -> tuple[Array, ...]:
        """Class weights, contradictory weight and examples left of each position."""
        order = self.groups.order[:, :-1]
        return tuple(np.cumsum(x[..., order], axis=-1) for x in self._parts)

    def after(self, chain: int) -> tuple[int, int]:
        """Return the features used, and the new ones allowed, below a test of a chain."""
        return self.instance.below(self.used, self.new, chain)

    def promising(self) -> Array:
        """Return the chains that may be asked and split, those of few errors first."""
        instance, groups, left = self.instance, self.groups, self._left_sums[0]
        right = self._whole[0][..., None] - left
        errors = self.weight - left.max(axis=0) - right.max(axis=0)
        least = np.where(groups.is_split, errors, self.weight + 1).min(axis=1, initial=self.weight)
        chains = np.flatnonzero((self.own >= 0) & groups.is_split.any(axis=1))
        return chains[np.argsort((instance.error * least + self.prices)[chains], kind="stable")]

    def members(self, chain: int, position: int, side: int) -> Array:
        """Return the members of a side, as positions in the state."""
        order = self.groups.order[chain]
        return np.asarray(order[position + 1 :] if side else order[: position + 1])
