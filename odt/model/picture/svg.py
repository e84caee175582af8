"""Trees as SVG, without any library: for web pages, notebooks and reports."""

from __future__ import annotations

from html import escape
from unicodedata import east_asian_width

from odt.model.picture.boxes import BAR, DARK, FONT, LINE, SMALL, Box, Link, picture_of
from odt.model.tree import Tree

_FAMILY = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_THIN, _THICK = frozenset("iljtfrI.,:;|'!()[]{} "), frozenset("mwMW@%")
_SCALE = 4 / 3
"""Pixels of a point."""

_MOST_NODES = 401
"""Nodes of a tree beyond which it is text."""


def tree_svg(tree: Tree, *, colour: str = "class", direction: str = "auto") -> str:
    """Return a tree as an ``<svg>`` element; parameters as for `odt.plot_tree`.

    It has a size of its own and needs nothing else, so it stands in a file or in a page.
    """
    picture = picture_of(tree, _width, colour=colour, direction=direction)
    width, height = picture.width, picture.height
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}" '
        f'width="{width * _SCALE:.0f}" height="{height * _SCALE:.0f}" '
        f'font-family="{_FAMILY}" text-anchor="middle" role="img">'
    )
    title = f"<title>Decision tree of {tree.n_leaves} leaves, depth {tree.depth}</title>"
    parts = [*map(_link, picture.links), *map(_box, picture.boxes)]
    return "\n".join([head, title, *parts, "</svg>"])


def _width(text: str, size: float) -> float:
    """Estimate a width generously: the font of the reader is not known."""
    return size * sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if character in _THIN:
        return 0.4
    if character in _THICK:
        return 1.0
    if not character.isascii():
        return 1.1 if east_asian_width(character) in "WF" else 0.8
    return 0.75 if character.isupper() else 0.66


def _link(link: Link) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in link.points)
    width = 2.5 if link.strong else 1
    line = (
        f'<polyline points="{points}" fill="none" stroke="{link.colour}" stroke-width="{width}"/>'
    )
    x, y = link.at
    half = _width(link.text, SMALL) / 2
    behind = (
        f'<rect x="{x - half:.1f}" y="{y - SMALL * 0.6:.1f}" width="{2 * half:.1f}" '
        f'height="{SMALL * 1.2:.1f}" fill="#ffffff"/>'
    )
    return line + behind + _text(x, y + 0.35 * SMALL, link.text, SMALL, DARK)


def _box(box: Box) -> str:
    bar = BAR if box.shares else 0.0
    parts = [_rectangle(box, box.face, "none")]
    start, top = box.x, box.y + box.height - bar
    for share, colour in box.shares:
        width = share * box.width
        parts.append(
            f'<rect x="{start:.2f}" y="{top:.1f}" width="{width:.2f}" height="{bar:g}" '
            f'fill="{colour}"/>'
        )
        start += width
    parts.append(_rectangle(box, "none", box.edge))
    middle = box.y + (box.height - bar) / 2
    first = middle - (len(box.lines) - 1) / 2 * FONT * LINE + 0.35 * FONT
    parts += [
        _text(box.x + box.width / 2, first + i * FONT * LINE, line, FONT, "#000000")
        for i, line in enumerate(box.lines)
    ]
    return "".join(parts)


def _rectangle(box: Box, face: str, edge: str) -> str:
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="2" fill="{face}" stroke="{edge}"/>'
    )


def _text(x: float, y: float, text: str, size: float, colour: str) -> str:
    safe = escape("".join(c if c.isprintable() else "\ufffd" for c in text))
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}">{safe}</text>'


def tree_html(tree: Tree) -> str:
    """Return a tree as an ``<svg>`` that scrolls where it is too wide; a huge one as text."""
    if tree.n_nodes > _MOST_NODES:
        return f"<pre>{escape(tree.to_text())}</pre>"
    return f'<div style="overflow-x:auto">{tree_svg(tree)}</div>'
