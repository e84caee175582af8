"""Where the boxes of a binary tree go so that none overlap: a tidy tree of boxes of any size.

Reingold and Tilford, *Tidier Drawings of Trees*, 1981: two subtrees are pushed together until
their outlines meet, and a parent stands midway between its children.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from odt.model.tree import Tree

Outline = list[tuple[float, float]]
"""For each level below a node how far its subtree reaches to both sides."""


class Places(NamedTuple):
    """Positions in a plane whose second axis points away from the root.

    Attributes
    ----------
    across : list of float
        Middle of each box; the least border is 0.
    along : list of float
        Start of each box.
    ends : list of float
        Where each level ends: the end of its longest box.
    width, height : float
        Of the whole tree across and along.
    """

    across: list[float]
    along: list[float]
    ends: list[float]
    width: float
    height: float


def tidy(tree: Tree, sizes: Sequence[tuple[float, float]], gap: float, level_gap: float) -> Places:
    """Lay out a tree.

    Parameters
    ----------
    tree : Tree
    sizes : sequence of (float, float)
        Of each node's box, across and along.
    gap, level_gap : float
        Least space between boxes of a level, and between levels.
    """
    outlines: list[Outline] = [[] for _ in sizes]
    offset = [0.0] * tree.n_nodes  # of a child from its parent
    for node in reversed(range(tree.n_nodes)):  # children come after their parent
        half = sizes[node][0] / 2
        outlines[node] = [(-half, half)]
        if tree.tests[node] is not None:
            left, right = int(tree.left[node]), int(tree.right[node])
            shift = _distance(outlines[left], outlines[right], gap) / 2
            offset[left], offset[right] = -shift, shift
            outlines[node] += _joined(outlines[left], outlines[right], shift)
            outlines[left] = outlines[right] = []
    start = -min(left for left, _ in outlines[0])
    across, depth = [start] * tree.n_nodes, tree.node_depth.tolist()
    for node, test in enumerate(tree.tests):
        if test is not None:
            for child in (int(tree.left[node]), int(tree.right[node])):
                across[child] = across[node] + offset[child]
    lengths = [0.0] * (tree.depth + 1)
    for node, (_, along) in enumerate(sizes):
        lengths[depth[node]] = max(lengths[depth[node]], along)
    starts = [sum(lengths[:d]) + d * level_gap for d in range(len(lengths))]
    ends = [begin + length for begin, length in zip(starts, lengths, strict=True)]
    width = start + max(right for _, right in outlines[0])
    return Places(across, [starts[d] for d in depth], [ends[d] for d in depth], width, ends[-1])


def _distance(left: Outline, right: Outline, gap: float) -> float:
    return max(a[1] - b[0] for a, b in zip(left, right, strict=False)) + gap


def _joined(left: Outline, right: Outline, shift: float) -> Outline:
    joined = []
    for level in range(max(len(left), len(right))):
        here = [
            (low + by, high + by)
            for outline, by in ((left, -shift), (right, shift))
            for low, high in outline[level : level + 1]
        ]
        joined.append((min(low for low, _ in here), max(high for _, high in here)))
    return joined
