"""Trees as matplotlib drawings."""

from __future__ import annotations

from typing import Any

from odt.data.numerals import amount
from odt.draw.axes import axes
from odt.model.tree import Tree


def plot_tree(tree: Tree, ax: Any = None) -> Any:
    """Draw a tree: tests in boxes, left means yes, leaves coloured by the class they predict.

    Parameters
    ----------
    tree : Tree
    ax : matplotlib Axes, optional
        The current axes by default.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    ax = axes(ax)
    import matplotlib

    colours = matplotlib.colormaps["tab10"]
    x, depth = _columns(tree), tree.node_depth
    for node, test in enumerate(tree.tests):
        for side, child in (("yes", tree.left[node]), ("no", tree.right[node])):
            if test is not None:
                ends = [x[node], x[child]], [-depth[node], -depth[child]]
                ax.plot(*ends, color="0.6", linewidth=1, zorder=1)
                ax.text(sum(ends[0]) / 2, sum(ends[1]) / 2, side, fontsize=7, color="0.4")
        colour = "white" if test is not None else (*colours(int(tree.label[node]) % 10)[:3], 0.4)
        box = {"boxstyle": "round", "facecolor": colour, "edgecolor": "0.5"}
        ax.text(x[node], -depth[node], _text(tree, node), ha="center", va="center", bbox=box)
    ax.set_xlim(-0.6, tree.n_leaves - 0.4)
    ax.set_ylim(-tree.depth - 0.5, 0.5)
    ax.set_axis_off()
    return ax


def _columns(tree: Tree) -> list[float]:
    """Horizontal positions: leaves side by side, a branch midway between its children."""
    x = [0.0] * tree.n_nodes
    leaves = [node for node, test in enumerate(tree.tests) if test is None]
    for position, leaf in enumerate(leaves):  # preorder visits leaves from left to right
        x[leaf] = float(position)
    for node in reversed(range(tree.n_nodes)):  # children come after their parent
        if tree.tests[node] is not None:
            x[node] = (x[tree.left[node]] + x[tree.right[node]]) / 2
    return x


def _text(tree: Tree, node: int) -> str:
    test = tree.tests[node]
    if test is not None:
        return test.describe(tree.schema)
    code = int(tree.label[node])
    label = str(code if tree.schema is None else tree.schema.classes[code])
    if tree.counts is None:
        return label
    return f"{label}\n{amount(tree.counts[node][code])} of {amount(tree.counts[node].sum())}"
