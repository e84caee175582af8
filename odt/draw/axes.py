"""Where to draw: matplotlib, if it is installed."""

from __future__ import annotations

from typing import Any

from odt.errors import MissingDependencyError


def axes(ax: Any = None) -> Any:
    """Return ``ax``, or the current matplotlib Axes if it is None.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingDependencyError(
            "Drawing needs matplotlib, which is not installed: pip install matplotlib."
        ) from None
    return plt.gca()


def figure() -> tuple[Any, Any]:
    """Return a matplotlib Figure that no window shows, and its Axes.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError(
            "Drawing needs matplotlib, which is not installed: pip install matplotlib."
        ) from None
    drawn = Figure(layout="tight")
    return drawn, drawn.subplots()
