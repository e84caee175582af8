"""A tree as boxes, lines and texts in points, before anything is painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odt.errors import ProblemError
from odt.model.picture.captions import caption
from odt.model.picture.layout import Places, tidy
from odt.model.tree import Tree

FONT, SMALL = 9.0, 7.0
"""Sizes of the texts in boxes and of yes and no, in points."""
LINE = 1.3
"""Distance of two lines in sizes of the font."""
BAR = 4.0
"""Height of the bar of class shares."""
_PAD, _GAP, _MARGIN = 5.0, 8.0, 4.0
_LEVEL_GAP = {"down": 28.0, "right": 34.0}
_WIDEST = 860.0
"""Points beyond which a tree grows to the right unless told otherwise."""

COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#b279a2", "#9d755d", "#72b7b2", "#eeca3b",
           "#ff9da6", "#79706e")  # fmt: skip
"""Of classes, features and solvers, in their order, over and over."""
GREY, DARK = "#999999", "#555555"

Measure = Callable[[str, float], float]
"""Width of a text in a size of the font."""
Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A node: its left upper corner, size, lines, colours and class shares (with colours)."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    face: str
    edge: str
    shares: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Link:
    """The way to a child: a line through points, and the answer, written around a point."""

    points: tuple[Point, ...]
    text: str
    at: Point
    colour: str
    strong: bool


@dataclass(frozen=True)
class Picture:
    """All boxes and links; y grows downwards from 0."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    width: float
    height: float


def picture_of(tree: Tree, measure: Measure, *, colour: str, direction: str) -> Picture:
    """Lay out a tree in points.

    Parameters
    ----------
    tree : Tree
    measure : callable
        Says how wide a text is.
    colour : {"class", "feature"}
        Leaves by their class, or in a darker shade for a larger value; or nodes by what they ask.
    direction : {"auto", "down", "right"}
        Where it grows to; ``"auto"`` is down unless it would be very wide.

    Raises
    ------
    ProblemError
        For another ``colour`` or ``direction``.
    """
    _check("colour", colour, ("class", "feature"))
    _check("direction", direction, ("auto", *_LEVEL_GAP))
    lines = [caption(tree, node) for node in range(tree.n_nodes)]
    shares = [_shares(tree, node) if colour == "class" else () for node in range(tree.n_nodes)]
    sizes = [_size(own, measure, bool(bar)) for own, bar in zip(lines, shares, strict=True)]
    chosen = "down" if direction == "auto" else direction
    places = _places(tree, sizes, chosen)
    if direction == "auto" and places.width > _WIDEST:
        chosen = "right"
        places = _places(tree, sizes, chosen)
    boxes = []
    for node, (width, height) in enumerate(sizes):
        across, along = places.across[node] + _MARGIN, places.along[node] + _MARGIN
        x, y = (across - width / 2, along) if chosen == "down" else (along, across - height / 2)
        face, edge = _colours(tree, node, colour)
        boxes.append(Box(x, y, width, height, lines[node], face, edge, shares[node]))
    total = (places.width + 2 * _MARGIN, places.height + 2 * _MARGIN)
    width, height = total if chosen == "down" else total[::-1]
    return Picture(tuple(boxes), _links(tree, boxes, places, chosen, colour), width, height)


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        choices = " or ".join(map(repr, known))
        raise ProblemError(f"'{name}' must be {choices}. Got {value!r} instead.")


def _size(lines: tuple[str, ...], measure: Measure, with_bar: bool) -> tuple[float, float]:
    width = max(max(measure(line, FONT) for line in lines), 3 * SMALL) + 2 * _PAD
    return width, len(lines) * FONT * LINE + _PAD + with_bar * BAR


def _places(tree: Tree, sizes: list[tuple[float, float]], direction: str) -> Places:
    turned = sizes if direction == "down" else [(height, width) for width, height in sizes]
    return tidy(tree, turned, _GAP, _LEVEL_GAP[direction])


def _links(
    tree: Tree, boxes: list[Box], places: Places, direction: str, colour: str
) -> tuple[Link, ...]:
    """Ways from a box straight to the end of its level, then to the child."""
    links = []
    reach = _LEVEL_GAP[direction] / 3
    for node, test in enumerate(tree.tests):
        if test is None:
            continue
        own = _of_feature(test.feature) if colour == "feature" else GREY
        here, box, end = places.across[node] + _MARGIN, boxes[node], places.ends[node] + _MARGIN
        for text, child in (("yes", int(tree.left[node])), ("no", int(tree.right[node]))):
            there, start = places.across[child] + _MARGIN, places.along[child] + _MARGIN
            leave = box.y + box.height if direction == "down" else box.x + box.width
            way = [(here, leave), (here, end), (there, start)]
            at = (there, start - reach)
            if direction == "right":
                way, at = [(y, x) for x, y in way], (at[1], at[0])
            links.append(Link(tuple(way), text, at, own, colour == "feature"))
    return tuple(links)


def _colours(tree: Tree, node: int, colour: str) -> tuple[str, str]:
    test = tree.tests[node]
    if colour == "feature":
        return "#ffffff", GREY if test is None else _of_feature(test.feature)
    if test is not None:
        return "#ffffff", GREY
    if tree.values is not None:
        return blended(COLOURS[0], 0.1 + 0.6 * _height(tree.values, node)), COLOURS[0]
    code = int(tree.label[node])
    total = 0.0 if tree.counts is None else float(tree.counts[node].sum())
    share = float(tree.counts[node, code]) / total if tree.counts is not None and total else 1.0
    own = COLOURS[code % len(COLOURS)]
    return blended(own, 0.1 + 0.4 * share), own


def _height(values: NDArray[np.float64], node: int) -> float:
    """Return where the mean of a node lies between the least and the largest."""
    span = float(values.max() - values.min())
    return float(values[node] - values.min()) / span if span > 0 else 0.0


def _of_feature(feature: int) -> str:
    return COLOURS[feature % len(COLOURS)]


def _shares(tree: Tree, node: int) -> tuple[tuple[float, str], ...]:
    if tree.counts is None or tree.values is not None:
        return ()
    counts = tree.counts[node]
    total = counts.sum()
    return tuple(
        (float(count / total), COLOURS[code % len(COLOURS)])
        for code, count in enumerate(counts.tolist())
        if count > 0
    )


def blended(colour: str, share: float) -> str:
    """Return a colour mixed with white."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 + share * (part - 255)):02x}" for part in parts)
