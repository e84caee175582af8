"""Training with evaluation, best-tree tracking, checkpoints and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

from heuristics.rl.columns import Columns
from heuristics.rl.deep.algorithms import KINDS
from heuristics.rl.deep.checkpoints import load_checkpoint, save_checkpoint
from heuristics.rl.deep.environments import IBMDPEnv, OIBMDPEnv
from heuristics.rl.deep.networks import Layout
from heuristics.rl.process import check_price
from heuristics.rl.questions import Box, QuestionTree, unroll
from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.checks import check_int

CAP = 10
"""Most questions that are followed where the policy has no limit of its own."""


@dataclass(frozen=True)
class Training:
    """How to train.

    Parameters
    ----------
    zeta : float
        Reward of a question, below 1.
    max_depth : int or None
        Most questions before a class must be predicted; None for no limit.
    gamma : float, default 0.99
    p : int, default 1
        Thresholds for each coordinate and question.
    steps : int, default 200,000
        Actions taken in all, those before a checkpoint included.
    evaluate_every : int, default 5,000
        Look at the greedy tree after so many actions.
    settings : mapping, optional
        Hyper-parameters that replace those of `algorithms.KINDS`.
    checkpoint : path, optional
        Folder to write the state of learning to, at every evaluation and at the end; if it
        exists, learning goes on from there. Load only checkpoints that you trust.
    seed : int, default 0
    n_threads : int, default 1
        Threads of torch.
    allow_degenerate : bool, default False
        Allow ``zeta >= 1``.

    Raises
    ------
    ProblemError
        For a value out of its range.
    """

    zeta: float
    max_depth: int | None
    gamma: float = 0.99
    p: int = 1
    steps: int = 200_000
    evaluate_every: int = 5_000
    settings: Mapping[str, Any] = field(default_factory=dict)
    checkpoint: str | Path | None = None
    seed: int = 0
    n_threads: int = 1
    allow_degenerate: bool = False

    def __post_init__(self) -> None:
        check_price(self.zeta, self.allow_degenerate)
        for name, least in (("steps", 1), ("evaluate_every", 1), ("p", 1), ("n_threads", 1)):
            check_int(name, getattr(self, name), least)
        check_int("max_depth", self.max_depth, 0, optional=True)
        if not 0 < self.gamma < 1:
            raise ProblemError(f"'gamma' must be above 0 and below 1. Got {self.gamma!r} instead.")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The greedy policy after some steps.

    Attributes
    ----------
    steps : int
    questions : QuestionTree
        Its ``is_finite`` says whether the policy is a tree at all.
    returned : float
        Its exact return, with a prediction of the most frequent class where it goes on asking.
    """

    steps: int
    questions: QuestionTree
    returned: float


@dataclass(frozen=True, eq=False)
class Learned:
    """Outcome of training.

    Attributes
    ----------
    best : Evaluation
        The first evaluation of the greatest return.
    history : tuple of Evaluation
    steps : int
        Actions taken.
    model : BaseAlgorithm or None
        The model of stable-baselines3; None where there was nothing to learn.
    """

    best: Evaluation
    history: tuple[Evaluation, ...]
    steps: int
    model: Any

    @property
    def questions(self) -> QuestionTree:
        """What the best greedy policy asks."""
        return self.best.questions

    @property
    def returned(self) -> float:
        """Exact return of the best greedy policy."""
        return self.best.returned


def learn(
    kind: str,
    dataset: Dataset,
    training: Training,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    on_evaluation: Callable[[Evaluation], None] = lambda _: None,
) -> Learned:
    """Train a learner and return the best greedy tree it had.

    Parameters
    ----------
    kind : {"dqndt", "custard-dqn", "custard-ppo"}
    dataset : Dataset
    training : Training
    should_stop : callable, optional
        Asked between updates; learning ends (with a checkpoint) once it says yes.
    on_evaluation : callable, optional
        Called with each `Evaluation`, to show progress.

    Raises
    ------
    ProblemError
        If there is no such learner, or the checkpoint belongs to another training.
    """
    if kind not in KINDS:
        raise ProblemError(f"There is no learner {kind!r}. Known: {', '.join(KINDS)}.")
    columns = Columns.of(dataset)
    if training.max_depth == 0 or columns.d == 0:
        label = int(np.bincount(dataset.y, dataset.weights).argmax())
        leaf = unroll(columns, training.p, lambda _: label, max_depth=0)
        only = Evaluation(0, leaf, leaf.returned(training.zeta, training.gamma))
        on_evaluation(only)
        return Learned(only, (only,), 0, None)
    torch.set_num_threads(training.n_threads)
    environment = KINDS[kind].environment(
        dataset, training.zeta, p=training.p, max_depth=training.max_depth,
        allow_degenerate=training.allow_degenerate,
    )  # fmt: skip
    about = _about(kind, dataset, training)
    if training.checkpoint is not None and Path(training.checkpoint).exists():
        model, history = load_checkpoint(Path(training.checkpoint), about, environment)
    else:
        model, history = _new_model(kind, environment, training), []
    watcher = _Watcher(training, about, environment, history, should_stop, on_evaluation)
    left = training.steps - model.num_timesteps
    if left > 0:
        model.learn(left, callback=watcher, log_interval=None,
                    reset_num_timesteps=model.num_timesteps == 0)  # fmt: skip
    if not watcher.stopping:
        watcher.finish(model)
    seen = watcher.history
    best = max(seen, key=lambda evaluation: evaluation.returned)
    return Learned(best, tuple(seen), seen[-1].steps, model)


dqndt = partial(learn, "dqndt")
"""Train DQNDT; see `learn`."""
custard_dqn = partial(learn, "custard-dqn")
"""Train CUSTARD with deep Q-learning; see `learn`."""
custard_ppo = partial(learn, "custard-ppo")
"""Train CUSTARD with proximal policy optimisation; see `learn`."""


def _about(kind: str, dataset: Dataset, training: Training) -> dict[str, Any]:
    """Return what must be alike for one training to go on where another stopped."""
    data = sha256()
    for part in (dataset.X, dataset.y, dataset.weights):
        data.update(np.ascontiguousarray(part).tobytes())
    kept = ("zeta", "max_depth", "gamma", "p", "seed", "allow_degenerate")
    return {
        "kind": kind,
        "data": data.hexdigest()[:12],
        "settings": repr(sorted(training.settings.items())),
        **{name: getattr(training, name) for name in kept},
    }


def _new_model(kind: str, environment: IBMDPEnv | OIBMDPEnv, training: Training) -> Any:
    found = KINDS[kind]
    settings = {**found.settings, **training.settings}
    if "buffer_size" in settings:  # more than there are steps would only take memory
        settings["buffer_size"] = min(settings["buffer_size"], training.steps)
    limited = training.max_depth is not None
    layout = Layout(environment.n_hidden, environment.dataset.n_classes, limited)
    networks = {**settings.pop("policy_kwargs", {}), "layout": layout}
    return found.algorithm(
        found.policy, DummyVecEnv([lambda: environment]), gamma=training.gamma,
        seed=training.seed, device="cpu", policy_kwargs=networks, **settings,
    )  # fmt: skip


class _Watcher(BaseCallback):
    """Evaluates and saves between rollouts, where the state of learning is complete."""

    def __init__(
        self,
        training: Training,
        about: Mapping[str, Any],
        environment: IBMDPEnv | OIBMDPEnv,
        history: list[Evaluation],
        should_stop: Callable[[], bool],
        on_evaluation: Callable[[Evaluation], None],
    ) -> None:
        super().__init__()
        self.history, self.stopping = history, False
        self._training, self._about, self._environment = training, about, environment
        self._should_stop, self._on_evaluation = should_stop, on_evaluation

    def _on_rollout_start(self) -> None:
        last = self.history[-1].steps if self.history else 0
        if self._should_stop():
            self.stopping = True
            self.finish(self.model)
        elif self.model.num_timesteps - last >= self._training.evaluate_every:
            self.finish(self.model)

    def _on_step(self) -> bool:
        return not self.stopping

    def finish(self, model: Any) -> None:
        """Evaluate the greedy policy, and save the state of learning if asked to."""
        if not self.history or self.history[-1].steps != model.num_timesteps:
            questions = greedy_questions(model, self._environment)
            returned = questions.returned(self._training.zeta, self._training.gamma)
            self.history.append(Evaluation(model.num_timesteps, questions, returned))
            self._on_evaluation(self.history[-1])
        if self._training.checkpoint is not None:
            folder = Path(self._training.checkpoint)
            save_checkpoint(folder, self._about, model, self._environment, self.history)


def greedy_questions(model: Any, environment: IBMDPEnv | OIBMDPEnv) -> QuestionTree:
    """Return what the greedy policy of a model asks, always a finite tree.

    Parameters
    ----------
    model : BaseAlgorithm
    environment : IBMDPEnv or OIBMDPEnv
        What the model was trained on. Without a ``max_depth`` the policy is followed for `CAP`
        questions, and leaves where it would go on are marked as forced.
    """
    limit = environment.max_depth
    hidden = [0.0] * environment.n_hidden

    def act(box: Box) -> int:
        bounds = [end / box.parts for end in (*box.lower, *box.upper)]
        share = [] if limit is None else [box.depth / limit]
        observation = np.array([*hidden, *bounds, *share], dtype=np.float32)
        return int(model.predict(observation, deterministic=True)[0])

    depth = CAP if limit is None else limit
    return unroll(environment.columns, environment.p, act, max_depth=depth)
