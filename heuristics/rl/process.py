"""The observable iterative bounding Markov decision process (OIBMDP)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.boxes import MAX_STATES, Boxes
from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.checks import check_number

if TYPE_CHECKING:
    from heuristics.rl.policies import Policy

CRITERIA = ("discounted", "rate")


@dataclass(frozen=True)
class OIBMDP:
    """Trees as policies on boxes of feature bounds, for supervised data.

    A state is a box: what is known of an example. Action ``a < K`` predicts class a; its expected
    reward is the share of that class in the box minus the share of the others, and the next state
    is the root. Action ``K + q`` asks question q, with the reward zeta, and leads to the left or
    the right box with probability their share of the weight. After ``max_depth`` questions a
    class must be predicted. A deterministic policy is a tree. Kohler, Akrour and Preux (arXiv
    2304.05839) show that every policy has the same return as in the process of Topin et al.
    (AAAI 2021), where the example is a hidden part of the state (Theorem 1).

    Parameters
    ----------
    boxes : Boxes
        The states; several processes may share them.
    zeta : float
        Reward of a question, below 1. The larger, the cheaper are questions.
    gamma : float, default 0.99
        Discount, above 0 and below 1; 1 for the criterion ``"rate"``.
    criterion : {"discounted", "rate"}, default "discounted"
        The return is the discounted sum of rewards from the root, or the mean reward of a step
        in the long run.
    allow_degenerate : bool, default False
        Allow ``zeta >= 1``, where asking for ever is as good as a perfect classifier.

    Raises
    ------
    ProblemError
        For a value out of its range.
    """

    boxes: Boxes
    zeta: float
    gamma: float = 0.99
    criterion: str = "discounted"
    allow_degenerate: bool = False

    def __post_init__(self) -> None:
        if self.criterion not in CRITERIA:
            raise ProblemError(
                f"'criterion' must be one of {', '.join(CRITERIA)}. Got {self.criterion!r} instead."
            )
        check_price(self.zeta, self.allow_degenerate)
        check_number("gamma", self.gamma, zero=False)
        if self.is_rate != (self.gamma == 1) or self.gamma > 1:
            raise ProblemError(
                "'gamma' must be above 0 and below 1, or 1 with criterion='rate'. Got "
                f"gamma={self.gamma!r} with criterion={self.criterion!r} instead."
            )

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        zeta: float,
        *,
        max_depth: int,
        p: int = 1,
        gamma: float = 0.99,
        criterion: str = "discounted",
        allow_degenerate: bool = False,
        max_states: int = MAX_STATES,
        room: float = inf,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Self:
        """Build the boxes of a dataset and the process on them.

        Parameters
        ----------
        dataset : Dataset
        zeta, gamma, criterion, allow_degenerate
            As for the class.
        max_depth, p, max_states, room, should_stop
            As for `Boxes.of`.
        """
        boxes = Boxes.of(
            dataset,
            max_depth=max_depth,
            p=p,
            max_states=max_states,
            room=room,
            should_stop=should_stop,
        )
        return cls(boxes, zeta, gamma, criterion, allow_degenerate)

    def with_price(self, zeta: float) -> Self:
        """Return the process with another reward of questions, on the same boxes."""
        return replace(self, zeta=zeta)

    @property
    def is_rate(self) -> bool:
        """Whether the return is the mean reward of a step."""
        return self.criterion == "rate"

    def solve(self) -> Policy:
        """Return an optimal policy, by policy iteration (see `policy_iteration`)."""
        from heuristics.rl.planning import policy_iteration

        return policy_iteration(self)

    def to_networkx(self, max_states: int = 2000) -> Any:
        """Return the process as a NetworkX graph (see `heuristics.rl.network.to_networkx`)."""
        from heuristics.rl.network import to_networkx

        return to_networkx(self, max_states)

    # ---- one step back from values to values of actions ------------------------------------

    def class_lines(self, states: slice | NDArray[np.int64]) -> tuple[Any, Any]:
        """Return intercepts (n, K) and the slope of the values of predictions; see `Lines`."""
        return self.boxes.rewards[states], 1.0 if self.is_rate else self.gamma

    def question_lines(
        self, states: slice, intercept: NDArray[np.float64], slope: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return intercepts and slopes of the values of questions from those of all states.

        Parameters
        ----------
        states : slice
            Boxes of one depth, below ``n_inner``.
        intercept, slope : ndarray of float64, shape (n,)

        Returns
        -------
        tuple of ndarray of float64, shape (states, d * p)
        """
        a = self.zeta + self.gamma * self.mean_after(states, intercept)
        b = self.gamma * self.mean_after(states, slope) + (1.0 if self.is_rate else 0.0)
        return a, b

    def mean_after(self, states: slice, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of a value of all states after each question, (states, d * p)."""
        boxes = self.boxes
        share = boxes.share[states]
        return share * values[boxes.left[states]] + (1 - share) * values[boxes.right[states]]

    def fixed_point(self, intercept: float, slope: float) -> float:
        """Return the return of a policy whose value at the root is this line."""
        return intercept / slope if self.is_rate else intercept / (1 - slope)

    def argument(self, returned: float) -> float:
        """Return where lines are read when the return is assumed to be ``returned``."""
        return -returned if self.is_rate else returned


def check_price(zeta: float, allow_degenerate: bool = False) -> None:
    """Refuse a reward of questions that makes asking for ever the best thing to do.

    Raises
    ------
    ProblemError
        If ``zeta`` is no finite number, or at least 1 without ``allow_degenerate``.
    """
    if isinstance(zeta, bool) or not isinstance(zeta, int | float) or not np.isfinite(zeta):
        raise ProblemError(f"'zeta' must be a finite number. Got {zeta!r} instead.")
    if zeta >= 1 and not allow_degenerate:
        raise ProblemError(
            f"'zeta' must be below 1, the largest reward of a prediction. Got {zeta!r} instead: "
            "asking for ever would be as good as a perfect classifier. Pass "
            "allow_degenerate=True to allow it."
        )
