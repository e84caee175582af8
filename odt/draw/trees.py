"""Trees as matplotlib drawings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from odt.draw.axes import canvas, text_width
from odt.model.picture.boxes import BAR, DARK, FONT, LINE, SMALL, Box, Link, picture_of
from odt.model.tree import Tree

if TYPE_CHECKING:
    from odt.data.dataset import Dataset


def plot_tree(
    tree: Tree,
    ax: Any = None,
    *,
    colour: str = "class",
    direction: str = "auto",
    data: Dataset | None = None,
) -> Any:
    """Draw a tree: tests in boxes, the way of yes on the left, the share of each class as a bar.

    Boxes are as large as their texts and never overlap. Thresholds are written in as few digits as
    send all training values that reach the test the same way; ``tree.to_text()`` has them in full.

    Parameters
    ----------
    tree : Tree
    ax : matplotlib Axes, optional
        The tree is scaled to fit. By default a new figure of its own size.
    colour : {"class", "feature"}, default "class"
        ``"feature"`` colours tests and the ways out of them by the feature they ask instead of
        leaves by their class, so that a path shows as many colours as its explanation has
        conditions.
    direction : {"auto", "down", "right"}, default "auto"
        Where the tree grows to; to the right, yes is above. ``"auto"`` takes it for wide trees.
    data : Dataset, optional
        Count these examples, and round thresholds so that they separate these values.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ProblemError
        For another ``colour`` or ``direction``.
    """
    drawn = tree if data is None else tree.fitted(data)
    picture = picture_of(drawn, text_width(), colour=colour, direction=direction)
    ax, scale = canvas(ax, picture.width, picture.height)
    for link in picture.links:
        _draw_link(ax, link, scale)
    for box in picture.boxes:
        _draw_box(ax, box, scale)
    return ax


def _draw_link(ax: Any, link: Link, scale: float) -> None:
    across, along = zip(*link.points, strict=True)
    width = (2.5 if link.strong else 1.0) * scale
    ax.plot(across, along, color=link.colour, linewidth=width, zorder=1, solid_joinstyle="round")
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.8 * scale}
    ax.text(*link.at, link.text, fontsize=SMALL * scale, color=DARK, ha="center", va="center",
            bbox=behind, zorder=2)  # fmt: skip


def _draw_box(ax: Any, box: Box, scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch, Rectangle

    frame = FancyBboxPatch(
        (box.x, box.y), box.width, box.height, boxstyle="round,pad=0,rounding_size=3",
        facecolor=box.face, edgecolor=box.edge, linewidth=scale, zorder=3,
    )  # fmt: skip
    ax.add_patch(frame)
    bar = BAR if box.shares else 0.0
    start = box.x
    for share, colour in box.shares:
        part = Rectangle((start, box.y + box.height - bar), share * box.width, bar,
                         facecolor=colour, linewidth=0, zorder=4)  # fmt: skip
        ax.add_patch(part)
        part.set_clip_path(frame)
        start += share * box.width
    ax.text(
        box.x + box.width / 2, box.y + (box.height - bar) / 2, "\n".join(box.lines),
        fontsize=FONT * scale, ha="center", va="center", linespacing=LINE * 0.87, zorder=5,
        parse_math=False,
    )  # fmt: skip
