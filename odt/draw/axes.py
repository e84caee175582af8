"""Where to draw: matplotlib, if it is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from odt.errors import MissingDependencyError

_POINTS = 72
"""In an inch."""
_FINE = 8
"""Dots of a point where texts are measured."""
_LARGEST = 1.5
"""Most that a small drawing is enlarged to fill given Axes."""


def axes(ax: Any, width: float = 6.4, height: float = 4.2) -> Any:
    """Return ``ax``, or the Axes of a new figure of so many inches if it is None.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    return _pyplot().figure(figsize=(width, height), layout="constrained").add_subplot()


def canvas(ax: Any, width: float, height: float) -> tuple[Any, float]:
    """Return Axes whose data are points, y downwards, and how much larger they appear.

    Parameters
    ----------
    ax : matplotlib Axes or None
        None makes a new figure of the size that is drawn.
    width, height : float
        Of what is drawn.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    if ax is None:
        figure = _pyplot().figure(figsize=(width / _POINTS, height / _POINTS))
        ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    ax.set_axis_off()
    room = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    scale = min(room.width * _POINTS / width, room.height * _POINTS / height)
    if scale > _LARGEST:
        left, top = (length * (scale / _LARGEST - 1) / 2 for length in (width, height))
        ax.set(xlim=(-left, width + left), ylim=(height + top, -top))
    return ax, min(scale, _LARGEST)


def bare_figure(width: float, height: float) -> Any:
    """Return a figure of so many inches that no window will ever show.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    _pyplot()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def text_width() -> Callable[[str, float], float]:
    """Return what measures texts of the font in use, in points.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    _pyplot()
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    renderer = RendererAgg(1, 1, _FINE * _POINTS)

    @cache
    def width(text: str, size: float) -> float:
        font = FontProperties(size=size)
        return float(renderer.get_text_width_height_descent(text, font, False)[0]) / _FINE

    return width


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingDependencyError(
            "Drawing needs matplotlib, which is not installed: pip install matplotlib."
        ) from None
    return plt
