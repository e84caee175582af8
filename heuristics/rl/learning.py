"""Tabular Q-learning and SARSA on boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.planning import require_discount
from heuristics.rl.policies import Policy
from heuristics.rl.process import OIBMDP
from odt.errors import ProblemError
from odt.model.checks import check_int, check_number


@dataclass(frozen=True)
class Schedule:
    """How tabular learners step and explore.

    Parameters
    ----------
    steps : int, default 300,000
        Actions taken in all.
    power : float, default 0.55
        The n-th update of a state and action has the step ``n**-power``; 0 with ``constant``
        gives a constant step.
    constant : float, default 1.0
        Factor of all steps.
    epsilon : float, default 0.3
        Share of random actions at the beginning.
    last_epsilon : float, optional
        At the end, with a straight line between; by default ``epsilon``.
    initial : float, default 70.0
        First values; above what is attainable they make the learner try everything.
    expected_rewards : bool, default False
        Reward predictions with their mean in the box instead of +1 or -1 for one example.

    Raises
    ------
    ProblemError
        For a value out of its range.
    """

    steps: int = 300_000
    power: float = 0.55
    constant: float = 1.0
    epsilon: float = 0.3
    last_epsilon: float | None = None
    initial: float = 70.0
    expected_rewards: bool = False

    def __post_init__(self) -> None:
        check_int("steps", self.steps, 1)
        check_number("power", self.power, most=1)
        check_number("constant", self.constant, most=1, zero=False)
        check_number("epsilon", self.epsilon, most=1)
        check_number("last_epsilon", self.last_epsilon, most=1, optional=True)
        if not np.isfinite(self.initial):
            raise ProblemError(f"'initial' must be finite. Got {self.initial!r} instead.")


SARSA = Schedule(last_epsilon=0.0)
"""SARSA learns the value of what it does, so its exploration must end."""


def q_learning(
    process: OIBMDP,
    schedule: Schedule | None = None,
    *,
    seed: int = 0,
    should_stop: Callable[[], bool] = lambda: False,
) -> Policy:
    """Learn by Q-learning: targets use the best next action, whatever is done.

    Parameters
    ----------
    process : OIBMDP
        With the discounted criterion.
    schedule : Schedule, optional
    seed : int, default 0
    should_stop : callable, optional
        Asked now and then; learning ends once it says yes.

    Returns
    -------
    Policy
        The greedy policy, with its exact return.
    """
    require_discount(process, "Q-learning")
    return _learn(process, schedule or Schedule(), seed, should_stop, on_policy=False)


def sarsa(
    process: OIBMDP,
    schedule: Schedule = SARSA,
    *,
    seed: int = 0,
    should_stop: Callable[[], bool] = lambda: False,
) -> Policy:
    """Learn by SARSA: targets use the next action that is really taken.

    Parameters
    ----------
    process, schedule, seed, should_stop
        As for `q_learning`; by default exploration decays to nothing.

    Returns
    -------
    Policy
        The greedy policy, with its exact return.
    """
    require_discount(process, "SARSA")
    return _learn(process, schedule, seed, should_stop, on_policy=True)


_POLL = 1000


class Walker:
    """Walks through the boxes with a hidden example, as the learner of an IBMDP does.

    Parameters
    ----------
    process : OIBMDP
    rng : Generator
    expected : bool
        Whether a prediction is rewarded with its mean in the box, not for the hidden example.

    Attributes
    ----------
    state : int
        The box.
    """

    def __init__(self, process: OIBMDP, rng: np.random.Generator, expected: bool) -> None:
        boxes, data = process.boxes, process.boxes.columns.dataset
        self.zeta, self.K, self.p = process.zeta, boxes.n_classes, boxes.p
        self.n_inner, self.n_questions = boxes.n_inner, boxes.n_questions
        self._codes = boxes.columns.codes(boxes.intervals.parts).tolist()
        self._cut, self._of = boxes.intervals.cut.tolist(), boxes.of_column
        self._left, self._right = boxes.left, boxes.right
        self._labels, self._expected = data.y.tolist(), boxes.rewards if expected else None
        self._rng, self._weights = rng, data.weights / data.total_weight
        self._upcoming: list[int] = []
        self.restart()

    def restart(self) -> None:
        """Go to the root with another example."""
        self.state, self._row = 0, self._draw()

    def _draw(self) -> int:
        if not self._upcoming:
            drawn = self._rng.choice(len(self._labels), size=_POLL, p=self._weights)
            self._upcoming = drawn.tolist()
        return self._upcoming.pop()

    def n_actions(self) -> int:
        """Return how many actions there are here: at the largest depth only classes."""
        return self.K + (self.n_questions if self.state < self.n_inner else 0)

    def step(self, action: int) -> float:
        """Take an action and return its reward."""
        if action < self.K:
            if self._expected is not None:
                reward = float(self._expected[self.state, action])
            else:
                reward = 1.0 if self._labels[self._row] == action else -1.0
            self.restart()
            return reward
        question = action - self.K
        k, u = divmod(question, self.p)
        cut = self._cut[self._of[self.state, k]][u]
        side = self._left if self._codes[self._row][k] <= cut else self._right
        self.state = int(side[self.state, question])
        return self.zeta


def _learn(
    process: OIBMDP,
    schedule: Schedule,
    seed: int,
    should_stop: Callable[[], bool],
    on_policy: bool,
) -> Policy:
    rng = np.random.default_rng(seed)
    walker = Walker(process, rng, schedule.expected_rewards)
    table: dict[int, list[float]] = {}
    visits: dict[tuple[int, int], int] = {}
    last = schedule.epsilon if schedule.last_epsilon is None else schedule.last_epsilon
    slope, done = (last - schedule.epsilon) / schedule.steps, 0

    def values() -> list[float]:
        if walker.state not in table:
            table[walker.state] = [schedule.initial] * walker.n_actions()
        return table[walker.state]

    def choose(row: list[float], chance: float, other: float, step: int) -> int:
        if chance < schedule.epsilon + slope * step:
            return int(other * len(row))
        return row.index(max(row))

    here = values()
    action = choose(here, rng.random(), rng.random(), 0)
    while done < schedule.steps and not should_stop():
        for chance, other in rng.random((min(_POLL, schedule.steps - done), 2)).tolist():
            key = (walker.state, action)
            reward = walker.step(action)
            after, done = values(), done + 1
            following = choose(after, chance, other, done)
            visits[key] = visits.get(key, 0) + 1
            target = reward + process.gamma * (after[following] if on_policy else max(after))
            rate = schedule.constant * visits[key] ** -schedule.power
            here[action] += rate * (target - here[action])
            here, action = after, following
    return Policy.of(process, _greedy(process, table), done)


def _greedy(process: OIBMDP, table: dict[int, list[float]]) -> NDArray[np.int64]:
    """Return the best known action of visited boxes, and the most frequent class of others."""
    action = process.boxes.best_class.copy()
    for state, row in table.items():
        action[state] = row.index(max(row))
    return action
