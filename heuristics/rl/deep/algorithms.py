"""DQNDT and CUSTARD as algorithms of stable-baselines3, with the settings of the papers' time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from torch.nn import functional

from heuristics.rl.deep.environments import IBMDPEnv, OIBMDPEnv
from heuristics.rl.deep.networks import BoxDqnPolicy, CustardDqnPolicy, CustardPpoPolicy, Layout


class BoxDqn(DQN):
    """Deep Q-learning whose random actions are allowed ones; with `BoxDqnPolicy` it is DQNDT.

    The network lowers the values of questions at the largest depth, so the greatest value there
    is that of a class, in acting and in the target of temporal differences alike.
    """

    action_space: spaces.Discrete

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """Return greedy actions, or random ones with probability ``exploration_rate``."""
        if not deterministic and np.random.rand() < self.exploration_rate:  # noqa: NPY002
            return self._random_actions(np.atleast_2d(observation)), state
        actions, state = self.policy.predict(observation, state, episode_start, deterministic)
        return actions, state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[Any, Any]:
        if self.num_timesteps < learning_starts:
            actions = self._random_actions(self._last_obs)
        else:
            actions, _ = self.predict(self._last_obs, deterministic=False)
        return actions, actions

    def _random_actions(self, observations: Any) -> Any:
        """Return a random action that is allowed, for each observation."""
        layout: Layout = self.policy.layout
        allowed = np.ones((len(observations), int(self.action_space.n)), dtype=np.int8)
        if layout.limited:
            allowed[observations[:, -1] >= 1, layout.n_classes :] = 0
        return np.array([self.action_space.sample(mask=row) for row in allowed])


class CustardDqn(BoxDqn):
    """CUSTARD on deep Q-learning (Topin et al., Algorithm 1).

    The actor, on the box, chooses the next action of the target; the critic, on example and box,
    values it; both are regressed on the target.
    """

    policy: CustardDqnPolicy

    def _create_aliases(self) -> None:
        self.q_net, self.q_net_target = self.policy.critic, self.policy.critic_target

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Take gradient steps on samples of the replay buffer."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        for _ in range(gradient_steps):
            assert self.replay_buffer is not None
            seen = self.replay_buffer.sample(batch_size, env=self._vec_normalize_env)
            with torch.no_grad():
                chosen = self.policy.q_net(seen.next_observations).argmax(dim=1, keepdim=True)
                value = self.q_net_target(seen.next_observations).gather(1, chosen)
                target = seen.rewards + (1 - seen.dones) * self.gamma * value
            loss = sum(
                functional.smooth_l1_loss(
                    network(seen.observations).gather(1, seen.actions.long()), target
                )
                for network in (self.policy.q_net, self.q_net)
            )
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
        self._n_updates += gradient_steps


class Kind(NamedTuple):
    """A learner: its algorithm, networks, environment and settings.

    Attributes
    ----------
    algorithm : type
    policy : type
    environment : type
    settings : mapping
        Hyper-parameters of stable-baselines3 in early 2023, written down because defaults change.
    """

    algorithm: type[BaseAlgorithm]
    policy: type[Any]
    environment: type[IBMDPEnv] | type[OIBMDPEnv]
    settings: Mapping[str, Any]


_DQN: Mapping[str, Any] = {
    "learning_rate": 1e-4,
    "buffer_size": 1_000_000,
    "learning_starts": 50_000,
    "batch_size": 32,
    "train_freq": 4,
    "gradient_steps": 1,
    "target_update_interval": 10_000,
    "exploration_fraction": 0.1,
    "exploration_initial_eps": 1.0,
    "exploration_final_eps": 0.05,
    "max_grad_norm": 10.0,
}
_PPO: Mapping[str, Any] = {
    "learning_rate": 3e-4,
    "n_steps": 2048,
    "batch_size": 64,
    "n_epochs": 10,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
}
KINDS: Mapping[str, Kind] = {
    "dqndt": Kind(BoxDqn, BoxDqnPolicy, OIBMDPEnv, _DQN),
    "custard-dqn": Kind(CustardDqn, CustardDqnPolicy, IBMDPEnv, _DQN),
    "custard-ppo": Kind(PPO, CustardPpoPolicy, IBMDPEnv, _PPO),
}
"""The learners by registry name."""
