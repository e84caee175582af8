"""CUSTARD without approximation: exact policy gradient on boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.rl.planning import require_discount
from heuristics.rl.policies import Policy
from heuristics.rl.process import OIBMDP
from odt.model.checks import check_int, check_number

_SURE = 0.9


@dataclass(frozen=True, eq=False)
class Gradient:
    """Value and gradient of a softmax policy.

    Attributes
    ----------
    returned : float
        Return from the root.
    visits : ndarray of float64, shape (n,)
        Discounted number of visits of each box; they add up to ``1 / (1 - gamma)``.
    chance : ndarray of float64, shape (n, K + questions)
        Probability of each action.
    advantage : ndarray of float64, same shape
        Value of each action minus that of the box; 0 for actions that are not allowed.
    """

    returned: float
    visits: NDArray[np.float64]
    chance: NDArray[np.float64]
    advantage: NDArray[np.float64]

    @property
    def sureness(self) -> float:
        """Mean probability of the likeliest action over the visits."""
        return float(self.visits @ self.chance.max(axis=1) / self.visits.sum())

    @property
    def logits(self) -> NDArray[np.float64]:
        """Derivative of the return by each logit."""
        return self.visits[:, None] * self.chance * self.advantage


@dataclass(frozen=True, eq=False)
class Ascent:
    """Outcome of `policy_gradient`.

    Attributes
    ----------
    policy : Policy
        The best greedy policy met, with its exact return.
    returns : tuple of float
        Return of the softmax policy before each step.
    """

    policy: Policy
    returns: tuple[float, ...]


def policy_gradient(
    process: OIBMDP,
    *,
    steps: int = 200,
    rate: float = 1.0,
    natural: bool = False,
    tolerance: float = 1e-3,
    should_stop: Callable[[], bool] = lambda: False,
) -> Ascent:
    """Climb the exact gradient of the return of a softmax policy, from uniform on.

    The gradient of CUSTARD (Topin et al., AAAI 2021), whose critic sees the hidden example while
    the policy sees the box, is that of the observable process (Proposition 2 of arXiv
    2304.05839); so no critic has to be learned and nothing is sampled.

    Parameters
    ----------
    process : OIBMDP
        With the discounted criterion.
    steps : int, default 200
    rate : float, default 1.0
        Length of a step.
    natural : bool, default False
        Step along the advantages instead, the natural gradient.
    tolerance : float, default 1e-3
        Stop when the softmax policy is nearly deterministic where it comes, and its return and
        that of the greedy policy differ by less than this share.
    should_stop : callable, optional

    Raises
    ------
    ProblemError
        For an option out of its range, or without a discount.
    """
    require_discount(process, "The policy gradient")
    check_int("steps", steps, 1)
    check_number("rate", rate, zero=False)
    check_number("tolerance", tolerance)
    logits = start_logits(process)
    best: Policy | None = None
    returns: list[float] = []
    while len(returns) < steps:
        found = gradient(process, logits)
        returns.append(found.returned)
        action = np.where(np.isfinite(logits), logits, -np.inf).argmax(axis=1)
        policy = Policy.of(process, action, len(returns))
        if best is None or policy.returned > best.returned:
            best = policy
        near = abs(policy.returned - found.returned) <= tolerance * abs(policy.returned)
        if (near and found.sureness > _SURE) or should_stop():
            break
        logits = logits + rate * (found.advantage if natural else found.logits)
    assert best is not None
    return Ascent(best, tuple(returns))


def start_logits(process: OIBMDP) -> NDArray[np.float64]:
    """Return logits of the uniform policy: 0, and minus infinity where no question is allowed."""
    boxes = process.boxes
    logits = np.zeros((boxes.n_states, boxes.n_classes + boxes.n_questions))
    logits[boxes.n_inner :, boxes.n_classes :] = -np.inf
    return logits


def gradient(process: OIBMDP, logits: NDArray[np.float64]) -> Gradient:
    """Return value and gradient of a softmax policy, by one sweep back and one forth.

    Parameters
    ----------
    process : OIBMDP
    logits : ndarray of float64, shape (n, K + questions)
    """
    boxes, gamma, K = process.boxes, process.gamma, process.boxes.n_classes
    chance = np.exp(logits - logits.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    predicts = chance[:, :K].sum(axis=1)
    intercept, slope = (chance[:, :K] * boxes.rewards).sum(axis=1), gamma * predicts
    levels = list(boxes.inner_levels())
    for level in reversed(levels):
        a, b = process.question_lines(level, intercept, slope)
        intercept[level] += (chance[level, K:] * a).sum(axis=1)
        slope[level] += (chance[level, K:] * b).sum(axis=1)
    returned = process.fixed_point(float(intercept[0]), float(slope[0]))
    values = intercept + slope * returned
    advantage = np.zeros_like(chance)
    advantage[:, :K] = boxes.rewards + gamma * returned - values[:, None]
    mu = np.zeros(boxes.n_states)
    mu[0] = 1.0
    for level in levels:
        asked = process.zeta + gamma * process.mean_after(level, values)
        advantage[level, K:] = asked - values[level, None]
        flow = gamma * mu[level, None] * chance[level, K:]
        left = flow * boxes.share[level]
        for side, part in ((boxes.left[level], left), (boxes.right[level], flow - left)):
            np.add.at(mu, side[side >= 0], part[side >= 0])
    again = gamma * float(mu @ predicts)
    return Gradient(returned, mu / (1 - again), chance, advantage)
