"""Networks that see the box only, and know when no question is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from stable_baselines3.common.distributions import Distribution
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

FORBIDDEN = -1e9
"""Added to the value or logit of an action that is not allowed."""


@dataclass(frozen=True)
class Layout:
    """How observations and actions are made up.

    Attributes
    ----------
    n_hidden : int
        Leading components of an observation that a tree must not see.
    n_classes : int
        Leading actions that predict.
    limited : bool
        Whether the last component is the share of the allowed questions that were asked.
    """

    n_hidden: int
    n_classes: int
    limited: bool

    def box(self, observation: Tensor) -> Tensor:
        """Return observations with the example replaced by zeros."""
        shown = observation.clone()
        shown[:, : self.n_hidden] = 0.0
        return shown

    def masked(self, values: Tensor, observation: Tensor) -> Tensor:
        """Return values of actions, lowered where the action is not allowed."""
        if not self.limited:
            return values
        full = (observation[:, -1:] >= 1.0).to(values.dtype)
        penalty = torch.zeros_like(values)
        penalty[:, self.n_classes :] = FORBIDDEN * full
        return values + penalty


class BoxQNetwork(QNetwork):
    """Values of actions, of which those not allowed are never the greatest.

    Parameters
    ----------
    layout : Layout
    sees_example : bool
        Whether it may use the hidden part of the observation.
    """

    def __init__(self, *args: Any, layout: Layout, sees_example: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.layout, self.sees_example = layout, sees_example

    def forward(self, obs: Tensor) -> Tensor:
        """Return the value of each action, shape (batch, actions)."""
        seen = obs if self.sees_example else self.layout.box(obs)
        return self.layout.masked(super().forward(seen), obs)


class BoxDqnPolicy(DQNPolicy):
    """Network and target network on the box.

    Parameters
    ----------
    layout : Layout
    """

    def __init__(self, *args: Any, layout: Layout, **kwargs: Any) -> None:
        self.layout = layout
        super().__init__(*args, **kwargs)

    def make_q_net(self, sees_example: bool = False) -> BoxQNetwork:
        """Return a new network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        network = BoxQNetwork(**arguments, layout=self.layout, sees_example=sees_example)
        network.to(self.device)
        return network

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "layout": self.layout}


class CustardDqnPolicy(BoxDqnPolicy):
    """The actor ``q_net`` on the box; the ``critic`` and its target on everything."""

    def _build(self, lr_schedule: Any) -> None:
        self.q_net = self.make_q_net()
        self.critic = self.make_q_net(sees_example=True)
        self.critic_target = self.make_q_net(sees_example=True)
        self.critic_target.load_state_dict(self.critic.state_dict())
        self.critic_target.set_training_mode(False)
        learned = [*self.q_net.parameters(), *self.critic.parameters()]
        self.optimizer = self.optimizer_class(learned, lr=lr_schedule(1), **self.optimizer_kwargs)

    def set_training_mode(self, mode: bool) -> None:
        """Put both learned networks in training or evaluation mode."""
        self.critic.set_training_mode(mode)
        super().set_training_mode(mode)


class CustardPpoPolicy(ActorCriticPolicy):
    """An actor that sees the box and a critic that sees everything.

    Parameters
    ----------
    layout : Layout
    """

    def __init__(self, *args: Any, layout: Layout, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.layout = layout

    def get_distribution(self, obs: Tensor) -> Distribution:
        """Return the distribution over the actions allowed in the box."""
        latent = self.mlp_extractor.forward_actor(self.layout.box(obs))
        logits = self.layout.masked(self.action_net(latent), obs)
        return self.action_dist.proba_distribution(action_logits=logits)

    def forward(self, obs: Tensor, deterministic: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions, values and logarithms of the probabilities of the actions."""
        distribution = self.get_distribution(obs)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self.predict_values(obs), distribution.log_prob(actions)

    def evaluate_actions(self, obs: Tensor, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return values, logarithms of the probabilities of actions, and entropies."""
        distribution = self.get_distribution(obs)
        return self.predict_values(obs), distribution.log_prob(actions), distribution.entropy()

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "layout": self.layout}
