"""The deep learners and environments; skipped, with a line that says so, without the extra rl."""

from __future__ import annotations

import pickle
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

import odt
from heuristics.rl.custard import gradient, start_logits
from heuristics.rl.process import OIBMDP
from heuristics.rl.toy import toy_task

if any(find_spec(name) is None for name in ("gymnasium", "stable_baselines3", "torch")):
    pytest.skip('the extra "odt[rl]" is not installed: run "make test-rl"', allow_module_level=True)

import torch
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_for_learners

from heuristics.rl.deep import IBMDPEnv, OIBMDPEnv, Training, learn

QUICK = {
    "dqndt": {"learning_starts": 500, "target_update_interval": 250, "learning_rate": 1e-3},
    "custard-dqn": {"learning_starts": 500, "target_update_interval": 250, "learning_rate": 1e-3},
    "custard-ppo": {"n_steps": 256},
}
ENVIRONMENTS = (IBMDPEnv, OIBMDPEnv)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ENVIRONMENTS)
@pytest.mark.parametrize("max_depth", [None, 2])
def test_environments_pass_the_checkers(kind, max_depth) -> None:
    """Gymnasium's and stable-baselines3's; and they can be pickled in the middle of an episode."""
    environment = kind(toy_task(0), 0.5, p=2, max_depth=max_depth)
    check_env(environment, skip_render_check=True)
    check_for_learners(environment)
    environment.reset(seed=1)
    environment.step(2)
    again = pickle.loads(pickle.dumps(environment))
    for action in (3, 0, 2, 1, 0):
        first, second = environment.step(action), again.step(action)
        assert (first[0] == second[0]).all()
        assert first[1:] == second[1:]


def test_observations_rewards_and_masks() -> None:
    """Question 0 halves the first coordinate; info has the same keys from reset and step."""
    environment = IBMDPEnv(toy_task(0), 0.25, max_depth=1)
    seen, info = environment.reset(seed=3)
    assert seen.shape == (2 + 4 + 1,)
    assert environment.action_masks().all()
    asked, reward, ended, cut, after = environment.step(2)
    assert (reward, ended, cut, info.keys()) == (0.25, False, False, after.keys())
    left = seen[0] <= 0.5
    assert asked[[2, 4]].tolist() == ([0.0, 0.5] if left else [0.5, 1.0])
    assert environment.action_masks().tolist() == [True, True, False, False]
    assert environment.step(3)[1] == -1.0  # no question is left: as a wrong prediction
    assert environment.depth == 0


@pytest.mark.parametrize("kind", ENVIRONMENTS)
def test_simulated_returns_are_the_exact_ones(kind) -> None:
    """Theorem 1 with both environments: a random policy, 1,500 returns, within 4 errors."""
    process = OIBMDP.of(toy_task(1), 0.3, max_depth=2, gamma=0.8)
    exact = gradient(process, start_logits(process)).returned
    environment, rng, returns = kind(toy_task(1), 0.3, max_depth=2), np.random.default_rng(0), []
    environment.reset(seed=0)
    for _ in range(1500):
        environment.reset()
        total = 0.0
        for t in range(35):  # 0.8**35 * 5 < 0.003
            action = int(rng.choice(np.flatnonzero(environment.action_masks())))
            total += 0.8**t * environment.step(action)[1]
        returns.append(total)
    error = np.std(returns) / np.sqrt(len(returns))
    assert abs(np.mean(returns) - exact) < 4 * error + 0.003


@pytest.mark.parametrize("kind", QUICK)
def test_learners_beat_random_policies(kind) -> None:
    """A few thousand steps are enough for more than the uniform policy earns; never above J*."""
    process = OIBMDP.of(toy_task(0), 0.5, max_depth=2)
    training = Training(0.5, 2, steps=3000, evaluate_every=1000, settings=QUICK[kind])
    learned = learn(kind, toy_task(0), training)
    assert learned.returned > gradient(process, start_logits(process)).returned + 5
    assert learned.returned <= process.solve().returned + 1e-9
    assert learned.questions.is_finite


@pytest.mark.parametrize("kind", QUICK)
def test_going_on_equals_not_having_stopped(kind, tmp_path) -> None:
    """A run that is stopped and resumed ends with the same weights."""
    folder, looks = tmp_path / "state", []
    options = {"steps": 1600, "evaluate_every": 400, "settings": QUICK[kind]}
    whole = learn(kind, toy_task(0), Training(0.5, 2, **options))
    training = Training(0.5, 2, **options, checkpoint=folder)
    first = learn(kind, toy_task(0), training, should_stop=lambda: len(looks) > 1,
                  on_evaluation=looks.append)  # fmt: skip
    assert first.steps < whole.steps
    second = learn(kind, toy_task(0), training)
    assert second.steps == whole.steps
    pairs = zip(whole.model.policy.parameters(), second.model.policy.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    for other, data, name in [({"zeta": 0.1}, 0, "zeta"), ({"gamma": 0.9}, 0, "gamma"),
                              ({"settings": {}}, 0, "settings"), ({}, 1, "data")]:  # fmt: skip
        with pytest.raises(odt.ProblemError, match=f"another training: its {name} "):
            learn(kind, toy_task(data), replace(training, **other))


def test_a_learner_as_a_solver() -> None:
    """The tree is evaluated by the core; no bound is claimed, and limits end the run."""
    problem = odt.Problem(toy_task(0), shape=odt.Shape(max_depth=2))
    result = odt.solve(problem, "dqndt", steps=600, settings=QUICK["dqndt"])
    assert result.status is odt.Status.FEASIBLE
    assert result.cost_bound is None
    assert result.stats["steps"] == 600
    stopped = odt.solve(problem, "custard-ppo", budget=odt.Budget(time_limit=0.05))
    assert stopped.tree is not None


def test_policies_without_a_limit_end() -> None:
    """Without max_depth an untrained policy may ask for ever; its tree is cut off and says so."""
    learned = learn("dqndt", toy_task(0), Training(0.5, None, steps=50))
    assert learned.questions.depth <= 10
    assert learned.returned == pytest.approx(learned.questions.returned(0.5, 0.99))
