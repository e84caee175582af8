"""Exact solutions: policy iteration on one number, and plain value iteration."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.policies import Policy
from heuristics.rl.process import OIBMDP
from odt.errors import ProblemError

TIE = 1e-12
"""Relative difference of values that count as equal."""
_CONVERGED = 1e-10


class PaddingWarning(UserWarning):
    """The optimum of a process asks questions for the reward of asking."""


def policy_iteration(process: OIBMDP) -> Policy:
    """Return an optimal policy.

    All predictions lead to the root, so the value of a box under a policy is a line in the value
    of the root, and one backward sweep finds the best line of each box for an assumed value of
    the root. Repeating this with the return of the policy found is Newton's method on a convex
    function; it ends after a few sweeps. Of equally good actions it prefers a prediction, then
    fewer questions on average, then the lowest question.

    Warns
    -----
    PaddingWarning
        If questions that separate nothing raise the return (see `Policy.padding_pays`).
    """
    returned, passes, previous = 0.0, 0, np.empty(0, dtype=np.int64)
    while True:
        action = greedy(process, returned)
        policy, passes = Policy.of(process, action, passes + 1), passes + 1
        settled = abs(policy.returned - returned) <= _CONVERGED * max(1.0, abs(returned))
        if settled or np.array_equal(action, previous):
            break
        returned, previous = policy.returned, action
    if policy.padding_pays:
        warnings.warn(
            f"Questions that separate nothing pay at zeta={process.zeta:g}: the best policy asks "
            "them up to max_depth. A lower zeta gives trees without them.",
            PaddingWarning,
            stacklevel=3,
        )
    return replace(policy, optimal=process.boxes.complete)


def value_iteration(process: OIBMDP, tolerance: float = 1e-9) -> Policy:
    """Return a greedy policy of values that are repeatedly backed up, all boxes at once.

    The textbook's method, as a check of `policy_iteration`; it takes a few thousand sweeps.

    Parameters
    ----------
    process : OIBMDP
        With the discounted criterion.
    tolerance : float, default 1e-9
        Stop when the values are surely that close to the optimum.

    Raises
    ------
    ProblemError
        For another criterion.
    """
    require_discount(process, "Value iteration")
    boxes, gamma = process.boxes, process.gamma
    inner = slice(0, boxes.n_inner)
    predict = boxes.rewards.max(axis=1)
    values, passes = np.zeros(boxes.n_states), 0
    while True:
        new = predict + gamma * values[0]
        if boxes.n_inner:
            asked = process.zeta + gamma * process.mean_after(inner, values)
            new[inner] = np.maximum(new[inner], asked.max(axis=1))
        change, values, passes = np.abs(new - values).max(), new, passes + 1
        if change * gamma <= tolerance * (1 - gamma):
            return Policy.of(process, greedy(process, float(values[0])), passes)


def greedy(process: OIBMDP, returned: float) -> NDArray[np.int64]:
    """Return the best action of every box if the root is worth ``returned``, shape (n,)."""
    boxes, x = process.boxes, process.argument(returned)
    action = boxes.best_class.copy()
    rewards, step = process.class_lines(slice(None))
    value = rewards.max(axis=1) + step * x
    tests = np.zeros(boxes.n_states)
    zeta = process.zeta + (x if process.is_rate else 0.0)
    for level in reversed(list(boxes.inner_levels())):
        asked = zeta + process.gamma * process.mean_after(level, value)
        below = 1 + process.mean_after(level, tests)
        best = np.maximum(value[level], asked.max(axis=1))
        least = best - TIE * np.maximum(1.0, np.abs(best))
        tied = np.where(asked >= least[:, None], below, np.inf)
        fewest = tied.min(axis=1, keepdims=True)
        question = (tied <= fewest * (1 + TIE)).argmax(axis=1)
        asks = np.flatnonzero(value[level] < least)
        states, chosen = level.start + asks, question[asks]
        action[states] = boxes.n_classes + chosen
        value[states] = asked[asks, chosen]
        tests[states] = below[asks, chosen]
    return action


def require_discount(process: OIBMDP, who: str) -> None:
    """Refuse a process without a discount.

    Raises
    ------
    ProblemError
    """
    if process.is_rate:
        raise ProblemError(
            f"{who} needs the discounted criterion. Use 'policy_iteration' for the rate."
        )
