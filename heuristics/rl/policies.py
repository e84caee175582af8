"""Policies on all boxes of a process, with their exact returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.process import OIBMDP
from heuristics.rl.questions import Box, QuestionTree, unroll
from odt.model.tree import Tree


@dataclass(frozen=True, eq=False)
class Policy:
    """A deterministic policy.

    Attributes
    ----------
    process : OIBMDP
    action : ndarray of int64, shape (n,)
        In each box: a class, or K plus the number of a question.
    values : ndarray of float64, shape (n,)
        Return from each box on; for the criterion ``"rate"`` the sum of what the rewards exceed
        the rate by, until the next prediction.
    returned : float
        The exact return from the root, or the rate.
    optimal : bool
        Whether it was proved best of all policies of the process.
    passes : int
        Sweeps over all boxes, or updates, that it took.
    """

    process: OIBMDP
    action: NDArray[np.int64]
    values: NDArray[np.float64]
    returned: float
    optimal: bool = False
    passes: int = 0

    @classmethod
    def of(cls, process: OIBMDP, action: NDArray[np.int64], passes: int = 0) -> Self:
        """Evaluate given actions exactly, by one backward sweep.

        Parameters
        ----------
        process : OIBMDP
        action : ndarray of int64, shape (n,)
            Questions only below ``n_inner``.
        passes : int
        """
        boxes = process.boxes
        is_class = action < boxes.n_classes
        label = np.where(is_class, action, 0)
        rewards, step = process.class_lines(slice(None))
        intercept = rewards[np.arange(boxes.n_states), label]
        slope = np.full(boxes.n_states, step)
        for level in reversed(list(boxes.inner_levels())):
            asks = np.flatnonzero(~is_class[level])
            question = action[level][asks] - boxes.n_classes
            a, b = process.question_lines(level, intercept, slope)
            intercept[level.start + asks] = a[asks, question]
            slope[level.start + asks] = b[asks, question]
        returned = process.fixed_point(float(intercept[0]), float(slope[0]))
        values = intercept + slope * process.argument(returned)
        return cls(process, action, values, returned, passes=passes)

    @cached_property
    def questions(self) -> QuestionTree:
        """What it asks and answers from the root on."""
        boxes = self.process.boxes
        sides = (boxes.left, boxes.right)

        def act(box: Box) -> int:
            state = 0
            for question, side in box.path:
                state = int(sides[side][state, question])
            return int(self.action[state])

        return unroll(boxes.columns, boxes.p, act, max_depth=boxes.max_depth)

    @property
    def tree(self) -> Tree:
        """The tree on the original features (see `QuestionTree.tree`)."""
        return self.questions.tree

    @property
    def padding_pays(self) -> bool:
        """Whether a question that separates nothing would raise the return before some prediction.

        Then ``zeta > (1 - gamma) * V`` for the value V of a prediction that the policy makes, or
        ``zeta > rate``: the optimum asks for the sake of asking, up to the largest depth.
        """
        process, zeta = self.process, self.process.zeta
        if process.is_rate:
            return zeta > self.returned
        gamma = process.gamma
        totals = ((sum(leaf.weights), leaf) for leaf, _ in self.questions.leaves)
        worth = ((2 * leaf.weights[leaf.label] - n) / n for n, leaf in totals)
        return any(zeta > (1 - gamma) * (r + gamma * self.returned) for r in worth)
