"""Pictures as the content of a file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from odt.draw.axes import bare_figure, text_width
from odt.draw.fronts import plot_front
from odt.draw.trees import plot_tree
from odt.errors import ProblemError
from odt.model.picture.boxes import picture_of
from odt.model.picture.svg import tree_svg
from odt.model.tree import Tree

if TYPE_CHECKING:
    from odt.pareto import ParetoFront

FORMATS = (".svg", ".png", ".pdf")


def draw_tree(tree: Tree, suffix: str, colour: str = "class") -> str | bytes:
    """Return a picture of a tree; SVG needs no library.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed and needed.
    ProblemError
        For a suffix that is none of `FORMATS`.
    """
    check_suffix(suffix)
    if suffix == ".svg":
        return tree_svg(tree, colour=colour)
    size = picture_of(tree, text_width(), colour=colour, direction="auto")
    figure = bare_figure(size.width / 72, size.height / 72)
    plot_tree(tree, figure.add_axes((0, 0, 1, 1)), colour=colour)
    return picture_bytes(figure, suffix)


def draw_front(front: ParetoFront, suffix: str) -> bytes:
    """Return a picture of a front.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ProblemError
        For a suffix that is none of `FORMATS`.
    """
    check_suffix(suffix)
    figure = bare_figure(6.4, 4.2)
    plot_front(front, figure.add_subplot())
    return picture_bytes(figure, suffix)


def picture_bytes(figure: Any, suffix: str) -> bytes:
    """Return a matplotlib figure as the content of a file."""
    check_suffix(suffix)
    content = io.BytesIO()
    figure.savefig(content, format=suffix.removeprefix("."), dpi=150, bbox_inches="tight")
    return content.getvalue()


def check_suffix(suffix: str) -> None:
    """Refuse what is no suffix of a picture.

    Raises
    ------
    ProblemError
    """
    if suffix not in FORMATS:
        raise ProblemError(
            f"A picture ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}. Got {suffix!r} instead."
        )
