"""The part of the space of values that is still to be searched, as a union of boxes.

A box is a tuple of strict upper bounds, one for each measure; infinity where there is none. After
each tree every box that holds its values is split, and boxes inside others are dropped (Klamroth,
Lacour, Vanderpooten 2015, EJOR 245:767-778; with two measures a list of intervals). A tree that is
not as good as a known one in everything lies in some box.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

Box = tuple[float, ...]
"""Strict upper bounds: integers, or infinity."""
Values = tuple[int, ...]
"""What a tree amounts to in each measure."""


def everything(n_measures: int) -> Box:
    """Return the box without bounds."""
    return (inf,) * n_measures


def holds(box: Box, values: Values) -> bool:
    """Say whether values are below each bound of a box."""
    return all(value < most for value, most in zip(values, box, strict=True))


def split(boxes: Iterable[Box], values: Values) -> list[Box]:
    """Return boxes of all values but those that some of ``values`` are no better than.

    Parameters
    ----------
    boxes : iterable of Box
    values : Values
        Those of a tree.
    """
    kept: list[Box] = []
    hit: list[Box] = []
    for box in boxes:
        (hit if holds(box, values) else kept).append(box)
    parts = {
        (*box[:i], value, *box[i + 1 :]) for box in hit for i, value in enumerate(values)
    }  # a better tree is better in some measure
    return kept + [
        part
        for part in parts
        if not any(_inside(part, box) for box in kept)
        and not any(_inside(part, other) for other in parts if other != part)
    ]


def _inside(box: Box, other: Box) -> bool:
    return all(most <= wider for most, wider in zip(box, other, strict=True))
