"""What a policy asks and answers from the root on, whatever the policy is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.columns import Columns
from heuristics.rl.intervals import cuts
from odt.model.testset import Test
from odt.model.tree import Tree


@dataclass(frozen=True)
class Box:
    """What a policy may know of an example.

    Attributes
    ----------
    lower, upper : tuple of int
        Bounds of the scaled coordinates, as numerators over ``parts``.
    parts : int
    path : tuple of (int, int)
        The questions asked, each with its answer: 0 for "at most" (left), 1 for "more" (right).
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    parts: int
    path: tuple[tuple[int, int], ...] = ()

    @property
    def depth(self) -> int:
        """Number of questions asked."""
        return len(self.path)

    def cut(self, question: int, p: int) -> int:
        """Return the threshold of a question, as a numerator."""
        k, u = divmod(question, p)
        return cuts(self.lower[k], self.upper[k], p)[u]

    def after(self, question: int, p: int, side: int) -> Box:
        """Return the box after an answer."""
        k, cut = question // p, self.cut(question, p)
        lower, upper = list(self.lower), list(self.upper)
        (lower if side else upper)[k] = cut
        path = (*self.path, (question, side))
        return Box(tuple(lower), tuple(upper), self.parts, path)


@dataclass(frozen=True)
class Predict:
    """A leaf of a question tree.

    Attributes
    ----------
    label : int
    weights : tuple of int
        Weight of each class in the box.
    forced : bool
        Whether the policy wanted to ask but was not allowed to; the label is then the most
        frequent one.
    """

    label: int
    weights: tuple[int, ...]
    forced: bool = False


@dataclass(frozen=True)
class Ask:
    """A question of a policy.

    Attributes
    ----------
    column : int
        Number of the coordinate.
    threshold : Fraction
        On the scaled coordinate.
    test : Test or None
        A test of the original features that separates the examples alike; None if one side is
        empty.
    weight : int
        Weight of the examples that are asked.
    left, right : Predict, Ask or None
        What follows "at most" and "more"; None for an empty side.
    """

    column: int
    threshold: Fraction
    test: Test | None
    weight: int
    left: Node | None
    right: Node | None

    @property
    def sides(self) -> tuple[Node, ...]:
        """The sides that are not empty."""
        return tuple(side for side in (self.left, self.right) if side is not None)


Node = Predict | Ask


@dataclass(frozen=True, eq=False)
class QuestionTree:
    """The part of a policy that examples reach.

    It may ask questions that separate nothing and questions whose leaves agree; ``tree`` is
    without them.

    Attributes
    ----------
    root : Predict or Ask
    columns : Columns
    """

    root: Node
    columns: Columns

    @cached_property
    def nodes(self) -> tuple[tuple[Node, int], ...]:
        """All nodes with the number of questions above them, in preorder."""
        return tuple(_preorder(self.root, 0))

    @property
    def leaves(self) -> tuple[tuple[Predict, int], ...]:
        """The leaves with the number of questions above them."""
        return tuple((node, depth) for node, depth in self.nodes if isinstance(node, Predict))

    @property
    def n_questions(self) -> int:
        """Number of questions in the tree."""
        return len(self.nodes) - len(self.leaves)

    @property
    def depth(self) -> int:
        """Most questions on a path."""
        return max(depth for _, depth in self.leaves)

    @property
    def expected_questions(self) -> float:
        """Weighted mean number of questions of an example."""
        total = self.columns.dataset.total_weight
        return sum(depth * sum(leaf.weights) for leaf, depth in self.leaves) / total

    @property
    def accuracy(self) -> float:
        """Share of the weight that is classified correctly."""
        right = sum(leaf.weights[leaf.label] for leaf, _ in self.leaves)
        return right / self.columns.dataset.total_weight

    @property
    def is_finite(self) -> bool:
        """Whether the policy predicts on every path by itself."""
        return not any(leaf.forced for leaf, _ in self.leaves)

    @cached_property
    def tree(self) -> Tree:
        """The tree on the original features that predicts the same for all examples."""
        return _tree(self.root).collapsed(self.columns.dataset.X)

    def returned(self, zeta: float, gamma: float) -> float:
        """Return the discounted return from the root, exactly that of this policy.

        Parameters
        ----------
        zeta : float
        gamma : float
            Below 1.
        """
        intercept, slope = _line(self.root, zeta, gamma)
        return intercept / (1 - slope)

    def rate(self, zeta: float) -> float:
        """Return the mean reward of a step in the long run."""
        asked = self.expected_questions
        return (2 * self.accuracy - 1 + zeta * asked) / (1 + asked)


def unroll(columns: Columns, p: int, act: Callable[[Box], int], *, max_depth: int) -> QuestionTree:
    """Follow a policy from the root through all boxes with examples; it always ends.

    Parameters
    ----------
    columns : Columns
    p : int
        Thresholds for each coordinate and question.
    act : callable
        The action in a box: a class, or K plus the number of a question.
    max_depth : int
        After so many questions the most frequent class is predicted if the policy goes on.
    """
    parts = (p + 1) ** max_depth
    root = Box((0,) * columns.d, (parts,) * columns.d, parts)
    codes = columns.codes(parts)
    return QuestionTree(
        _node(columns, p, act, codes, root, np.arange(len(codes)), max_depth), columns
    )


def _node(
    columns: Columns, p: int, act: Callable[[Box], int], codes: NDArray[np.int64], box: Box,
    rows: NDArray[np.int64], more: int,
) -> Node:  # fmt: skip
    data, action = columns.dataset, act(box)
    weights = np.zeros(data.n_classes, dtype=np.int64)
    np.add.at(weights, data.y[rows], data.weights[rows])
    if action < data.n_classes or not more:
        forced = action >= data.n_classes
        label = int(weights.argmax()) if forced else action
        return Predict(label, tuple(weights.tolist()), forced)
    question = action - data.n_classes
    k, cut = question // p, box.cut(question, p)
    yes = codes[rows, k] <= cut
    left, right = (
        _node(columns, p, act, codes, box.after(question, p, side), rows[part], more - 1)
        if part.any()
        else None
        for side, part in enumerate((yes, ~yes))
    )
    separates = left is not None and right is not None
    test = columns.columns[k].test(columns.values[rows, k], yes) if separates else None
    return Ask(k, Fraction(cut, box.parts), test, int(weights.sum()), left, right)


def _preorder(node: Node, depth: int) -> Iterator[tuple[Node, int]]:
    yield node, depth
    if isinstance(node, Ask):
        for side in node.sides:
            yield from _preorder(side, depth + 1)


def _line(node: Node, zeta: float, gamma: float) -> tuple[float, float]:
    """Return the value of a node as intercept and slope in the value of the root."""
    if isinstance(node, Predict):
        total = sum(node.weights)
        return (2 * node.weights[node.label] - total) / total, gamma
    intercept, slope = 0.0, 0.0
    for side in node.sides:
        share = _weight(side) / node.weight
        a, b = _line(side, zeta, gamma)
        intercept, slope = intercept + share * a, slope + share * b
    return zeta + gamma * intercept, gamma * slope


def _weight(node: Node) -> int:
    return node.weight if isinstance(node, Ask) else sum(node.weights)


def _tree(node: Node) -> Tree:
    if isinstance(node, Predict):
        return Tree.leaf(node.label)
    if node.test is None:
        return _tree(node.sides[0])
    left, right = map(_tree, node.sides)
    return Tree.branch(node.test, left, right)
