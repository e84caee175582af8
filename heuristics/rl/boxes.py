"""All boxes with examples that questions can lead to: the states of the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Self

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.columns import Columns
from heuristics.rl.intervals import Intervals, count_boxes
from odt.data.dataset import Dataset
from odt.model.checks import check_int

MAX_STATES = 2_000_000


@dataclass(frozen=True, eq=False)
class Boxes:
    """Distinct non-empty boxes by depth, each after all those that lead to it.

    A box that several orders of the same questions reach is one state. The number of questions
    asked is part of the state, for where ``p + 1`` is no prime the box does not determine it.
    Build one with `Boxes.of`; prices and discounts come later, so a sweep builds only once.

    Attributes
    ----------
    columns : Columns
    p, max_depth : int
    intervals : Intervals
    of_column : ndarray of int16, shape (n, d)
        Interval of each coordinate of a box, as its number in ``intervals``.
    class_weights : ndarray of int64, shape (n, K)
    levels : tuple of slice
        The boxes of each depth.
    left, right : ndarray of int32, shape (n_inner, d * p)
        The box after "at most" and "more" to each question; -1 where it would be empty.
        Question ``k * p + u`` is about coordinate k and threshold ``u + 1``.
    share : ndarray of float64, shape (n_inner, d * p)
        Probability of the left box.
    complete : bool
        Whether every box below the largest depth was expanded. Else those from ``n_inner`` on
        are treated as leaves.
    """

    columns: Columns
    p: int
    max_depth: int
    intervals: Intervals
    of_column: NDArray[np.int16]
    class_weights: NDArray[np.int64]
    levels: tuple[slice, ...]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    share: NDArray[np.float64]
    complete: bool

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        *,
        max_depth: int,
        p: int = 1,
        max_states: int = MAX_STATES,
        room: float = inf,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Self:
        """Build the boxes of a dataset.

        Parameters
        ----------
        dataset : Dataset
        max_depth : int
            Most questions before a class must be predicted, at least 0.
        p : int, default 1
            Thresholds for each coordinate and question, at fractions ``u / (p + 1)`` of the box.
        max_states : int, default 2,000,000
            Boxes are not refined further once there are so many.
        room : float, optional
            Memory in MiB; boxes are not refined further once they take about as much.
        should_stop : callable, optional
            Asked now and then; boxes are not refined further once it says yes.

        Raises
        ------
        ProblemError
            For a number out of its range, or if ``(p + 1)**max_depth`` is too large.
        """
        from heuristics.rl.growth import grow

        for name, value, least in (("max_depth", max_depth, 0), ("p", p, 1),
                                   ("max_states", max_states, 1)):  # fmt: skip
            check_int(name, value, least)
        columns = Columns.of(dataset)
        codes = columns.codes((p + 1) ** max_depth)
        intervals = Intervals.of(p, max_depth)
        fitting = room * 2**20 / _bytes_each(columns.d, p, max_depth, dataset.n_classes)
        max_states = int(min(max_states, max(fitting, 1)))
        grown = grow(dataset, codes, intervals, max_depth, max_states, should_stop)
        left, right = grown.children[:, :, 0], grown.children[:, :, 1]
        total = grown.class_weights.sum(axis=1)
        above = total[: len(left), None]
        share = np.where(left < 0, 0, total[left]) / above
        return cls(columns, p, max_depth, intervals, grown.of_column, grown.class_weights,
                   grown.levels, left, right, share, grown.complete)  # fmt: skip

    @property
    def n_states(self) -> int:
        """Number of boxes."""
        return len(self.class_weights)

    @property
    def n_inner(self) -> int:
        """Number of boxes in which questions may be asked; they come first."""
        return len(self.left)

    @property
    def n_classes(self) -> int:
        """Number of classes; the actions 0..K-1 are to predict them."""
        return int(self.class_weights.shape[1])

    @property
    def n_questions(self) -> int:
        """Number of questions; action ``K + q`` is to ask question q."""
        return int(self.left.shape[1])

    @property
    def estimate(self) -> int:
        """Number of boxes by the closed form, empty ones included."""
        return count_boxes(self.columns.d, self.p, self.max_depth)

    @cached_property
    def rewards(self) -> NDArray[np.float64]:
        """Expected reward of each class in each box, shape (n, K): its share minus the others'."""
        total = self.class_weights.sum(axis=1, keepdims=True)
        return np.asarray((2 * self.class_weights - total) / total, dtype=np.float64)

    @cached_property
    def best_class(self) -> NDArray[np.int64]:
        """The most frequent class of each box, the lowest code of equals, shape (n,)."""
        return np.asarray(self.class_weights.argmax(axis=1), dtype=np.int64)

    def inner_levels(self) -> Iterator[slice]:
        """Yield the boxes that may ask, depth by depth, the root first."""
        for level in self.levels:
            if level.start < self.n_inner:
                yield slice(level.start, min(level.stop, self.n_inner))

    def depth(self, state: int) -> int:
        """Return the number of questions asked before a box is reached."""
        return next(m for m, level in enumerate(self.levels) if state < level.stop)

    def bounds(self, state: int) -> tuple[tuple[Fraction, Fraction], ...]:
        """Return the exact bounds of a box on the scaled coordinates."""
        box, grid = self.of_column[state], self.intervals
        return tuple(
            (Fraction(int(grid.lower[i]), grid.parts), Fraction(int(grid.upper[i]), grid.parts))
            for i in box.tolist()
        )

    def threshold(self, state: int, question: int) -> Fraction:
        """Return the threshold of a question about a box, on the scaled coordinate."""
        k, u = divmod(question, self.p)
        cut = self.intervals.cut[self.of_column[state, k], u]
        return Fraction(int(cut), self.intervals.parts)


def _bytes_each(d: int, p: int, max_depth: int, n_classes: int) -> float:
    """Return about how much memory a box takes while boxes are built and shared out.

    Arrays are copied when they grow and when levels are joined. Only boxes that may ask have
    children, with two numbers and a share each, and as much again for intermediate results.
    """
    asking = count_boxes(d, p, max_depth - 1) / count_boxes(d, p, max_depth) if max_depth else 0
    return 100 + 8 * d + 16 * n_classes + 48 * d * p * asking
