"""IBMDP and OIBMDP as Gymnasium environments, built from any dataset."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from heuristics.rl.columns import Columns
from heuristics.rl.process import check_price
from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.checks import check_int

Bounds = tuple[tuple[Fraction, Fraction], ...]


class _BoxEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """A hidden example, and a box of what is known of it.

    Action ``a < K`` predicts class a, after which an example is drawn anew, by weight. Action
    ``K + k * p + u`` asks whether the scaled coordinate k is at most ``L + (u + 1)/(p + 1) *
    (U - L)`` for its bounds (L, U]; the answer moves one of them. Boxes are half-open and exact.
    The process never ends by itself: wrap it in ``gymnasium.wrappers.TimeLimit`` for episodes
    and bootstrap where one is cut off.

    With ``max_depth`` the observation has a last component, the share of the allowed questions
    that were asked, and after so many a class must be predicted (`action_masks`). A question then
    counts as a wrong prediction, so that learners without masks can be used too.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        dataset: Dataset,
        zeta: float,
        *,
        p: int = 1,
        max_depth: int | None = None,
        allow_degenerate: bool = False,
    ) -> None:
        check_price(zeta, allow_degenerate)
        check_int("p", p, 1)
        check_int("max_depth", max_depth, 1, optional=True)
        self.dataset, self.columns = dataset, Columns.of(dataset)
        if not self.columns.d:
            raise ProblemError(
                "There is nothing to ask: every feature is constant. An environment needs data "
                "with a feature that varies."
            )
        self.zeta, self.p, self.max_depth = float(zeta), p, max_depth
        self._values = [np.unique(column).tolist() for column in self.columns.scaled.T]
        self._ranks = np.column_stack(
            [
                np.searchsorted(v, c)
                for v, c in zip(self._values, self.columns.scaled.T, strict=True)
            ]
        )
        self._cumulative = np.cumsum(dataset.weights)
        self._row = 0
        self._bounds: Bounds = self._root
        self.depth = 0
        size = self.n_hidden + 2 * self.columns.d + (max_depth is not None)
        self.observation_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self.action_space = spaces.Discrete(dataset.n_classes + p * self.columns.d)

    @property
    def n_hidden(self) -> int:
        """Leading components of the observation that a tree must not see."""
        return 0

    @property
    def _root(self) -> Bounds:
        return ((Fraction(0), Fraction(1)),) * self.columns.d

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Draw an example and forget what is known.

        Parameters
        ----------
        seed : int, optional
        options : dict, optional
            None are known.

        Returns
        -------
        observation : ndarray of float32
        info : dict
            ``depth``, the questions asked, and ``box``, the exact bounds.
        """
        super().reset(seed=seed)
        self._restart()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Predict or ask.

        Parameters
        ----------
        action : int

        Returns
        -------
        observation, reward, terminated, truncated, info
            The two flags are always False.

        Raises
        ------
        ProblemError
            For anything but an action.
        """
        if not self.action_space.contains(np.int64(action)):
            raise ProblemError(f"There is no action {action!r}. Got {self.action_space} to choose.")
        if action < self.dataset.n_classes:
            reward = self._reward(int(action))
            self._restart()
        elif self.depth == self.max_depth:
            reward = -1.0
            self._restart()
        else:
            self._ask(int(action) - self.dataset.n_classes)
            reward = self.zeta
        return self._observation(), reward, False, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return for each action whether it is allowed now."""
        allowed = np.ones(int(self.action_space.n), dtype=bool)
        allowed[self.dataset.n_classes :] = self.depth != self.max_depth
        return allowed

    def _reward(self, label: int) -> float:
        return 1.0 if self.dataset.y[self._row] == label else -1.0

    def _restart(self) -> None:
        drawn = self.np_random.integers(self.dataset.total_weight)
        self._row = int(np.searchsorted(self._cumulative, drawn, side="right"))
        self._bounds, self.depth = self._root, 0

    def _ask(self, question: int) -> None:
        k, u = divmod(question, self.p)
        low, high = self._bounds[k]
        cut = low + Fraction(u + 1, self.p + 1) * (high - low)
        yes = self._ranks[self._row, k] < bisect_right(self._values[k], cut)
        changed = (low, cut) if yes else (cut, high)
        self._bounds = (*self._bounds[:k], changed, *self._bounds[k + 1 :])
        self.depth += 1

    def _members(self) -> NDArray[np.bool_]:
        """Which examples are in the box; the part left of 0 is empty, so 0 is in the first box."""
        inside = np.ones(self.dataset.n_samples, dtype=bool)
        for k, (low, high) in enumerate(self._bounds):
            if high < 1:
                inside &= self._ranks[:, k] < bisect_right(self._values[k], high)
            if low > 0:
                inside &= self._ranks[:, k] >= bisect_right(self._values[k], low)
        return inside

    def _observation(self) -> NDArray[np.float32]:
        bounds = [float(low) for low, _ in self._bounds] + [float(high) for _, high in self._bounds]
        hidden = self.columns.scaled[self._row][: self.n_hidden]
        share = [] if self.max_depth is None else [self.depth / self.max_depth]
        return np.concatenate([hidden, bounds, share]).astype(np.float32)

    def _info(self) -> dict[str, Any]:
        return {"depth": self.depth, "box": self._bounds}


class IBMDPEnv(_BoxEnv):
    """Iterative bounding MDP of a dataset (Topin, Milani, Fang, Veloso, AAAI 2021).

    Observations are (x, L, U): the example, scaled, and the bounds of the box; the policy of a
    tree must see the bounds alone. A prediction is rewarded by 1 if it is right, else by -1.

    Parameters
    ----------
    dataset : Dataset
    zeta : float
        Reward of a question, below 1.
    p : int, default 1
        Thresholds for each coordinate and question.
    max_depth : int, optional
        Most questions before a class must be predicted.
    allow_degenerate : bool, default False
        Allow ``zeta >= 1``.

    Raises
    ------
    ProblemError
        For a value out of its range, or data whose features are all constant.
    """

    @property
    def n_hidden(self) -> int:
        """Leading components of the observation that a tree must not see."""
        return self.columns.d


class OIBMDPEnv(_BoxEnv):
    """Observable IBMDP of a dataset (Kohler, Akrour, Preux, arXiv 2304.05839).

    Observations are (L, U), the bounds of the box.

    Parameters
    ----------
    dataset : Dataset
    zeta : float
        Reward of a question, below 1.
    p : int, default 1
        Thresholds for each coordinate and question.
    max_depth : int, optional
        Most questions before a class must be predicted.
    allow_degenerate : bool, default False
        Allow ``zeta >= 1``.
    sampled_rewards : bool, default False
        Reward a prediction by 1 or -1 for the example drawn, not by the mean over the box.

    Raises
    ------
    ProblemError
        For a value out of its range, or data whose features are all constant.
    """

    def __init__(
        self,
        dataset: Dataset,
        zeta: float,
        *,
        p: int = 1,
        max_depth: int | None = None,
        allow_degenerate: bool = False,
        sampled_rewards: bool = False,
    ) -> None:
        super().__init__(dataset, zeta, p=p, max_depth=max_depth, allow_degenerate=allow_degenerate)
        self.sampled_rewards = sampled_rewards
        self._known: dict[Bounds, NDArray[np.float64]] = {}

    def _reward(self, label: int) -> float:
        if self.sampled_rewards:
            return super()._reward(label)
        if self._bounds not in self._known:
            inside = self._members()
            weights = np.bincount(
                self.dataset.y[inside], self.dataset.weights[inside], self.dataset.n_classes
            )
            self._known[self._bounds] = 2 * weights / weights.sum() - 1
        return float(self._known[self._bounds][label])
