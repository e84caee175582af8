"""The solvers by name: the exact process, and what learners make of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from heuristics.rl.boxes import MAX_STATES
from heuristics.rl.custard import policy_gradient
from heuristics.rl.planning import PaddingWarning, policy_iteration
from heuristics.rl.process import OIBMDP
from heuristics.rl.questions import QuestionTree
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.model.capability import Capability, Need
from odt.model.measure import Measure
from odt.model.problem import Problem

SUPPORTS: frozenset[Need] = frozenset(
    {Measure.ERROR, Measure.EXPECTED_TESTS, Capability.WEIGHTED_SUM, Capability.CATEGORICAL}
)
"""The process trades accuracy for questions; it knows no other measure and no other limit."""

PAPER = (
    "Kohler, Akrour, Preux, Optimal Interpretability-Performance Trade-off of Classification "
    "Trees with Black-Box Reinforcement Learning, arXiv 2304.05839"
)
CUSTARD = "Topin, Milani, Fang, Veloso, Iterative Bounding MDPs, AAAI 2021"


def most_questions(problem: Problem) -> int:
    """Return the limit on questions, which is that on depth even where fewer tests would do.

    A question that separates nothing may be needed to reach a finer threshold.
    """
    depth = problem.shape.max_depth
    assert depth is not None, "problems without max_depth are not supported"
    return int(depth)


def figures(questions: QuestionTree, returned: float) -> dict[str, Any]:
    """Return what a solution says about its policy.

    Parameters
    ----------
    questions : QuestionTree
    returned : float
        Its exact return.
    """
    return {
        "return": returned,
        "questions": questions.n_questions,
        "expected_questions": questions.expected_questions,
        "accuracy": questions.accuracy,
        "always_predicts": questions.is_finite,
    }


@dataclass(frozen=True)
class OibmdpExact(Solver):
    """Best tree as a policy on boxes of feature bounds, whatever the objective of the problem.

    The optimum is one of the discounted return (or the reward rate) with thresholds at fixed
    fractions of the current box. ``stats["process"]`` says whether it was proved; the objective
    of the problem only evaluates the tree, so no bound on it is claimed.

    Parameters
    ----------
    zeta : float, default 0.5
        Reward of a question, below 1; the larger, the cheaper are questions.
    gamma : float, default 0.99
        Discount, below 1; 1 for the criterion "rate".
    p : int, default 1
        Thresholds for each feature and question.
    criterion : {"discounted", "rate"}, default "discounted"
        What is maximised (see `heuristics.rl.process.OIBMDP`).
    max_states : int, default 2,000,000
        Boxes are not refined further beyond so many.
    allow_degenerate : bool, default False
        Allow ``zeta >= 1``.
    """

    zeta: float = 0.5
    gamma: float = 0.99
    p: int = 1
    criterion: str = "discounted"
    max_states: int = MAX_STATES
    allow_degenerate: bool = False

    name: ClassVar[str] = "oibmdp"
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = SUPPORTS
    reference: ClassVar[str] = PAPER

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Build the boxes up to ``max_depth`` of the problem and solve the process exactly."""
        process = OIBMDP.of(
            problem.dataset,
            self.zeta,
            max_depth=most_questions(problem),
            p=self.p,
            gamma=self.gamma,
            criterion=self.criterion,
            allow_degenerate=self.allow_degenerate,
            max_states=self.max_states,
            room=run.room(),
            should_stop=run.should_stop,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PaddingWarning)  # said in the statistics
            policy = policy_iteration(process)
        stats = figures(policy.questions, policy.returned) | {
            "process": "optimal" if policy.optimal else "feasible",
            "padding_pays": policy.padding_pays,
            "states": process.boxes.n_states,
            "passes": policy.passes,
        }
        return Solution(Status.FEASIBLE, policy.tree, None, stats)


@dataclass(frozen=True)
class CustardExact(Solver):
    """CUSTARD without approximation: exact policy gradient on boxes (Proposition 2).

    Parameters
    ----------
    zeta : float, default 0.5
        Reward of a question, below 1; the larger, the cheaper are questions.
    gamma : float, default 0.99
        Discount, below 1.
    p : int, default 1
        Thresholds for each feature and question.
    steps : int, default 200
        Most steps of the gradient.
    rate : float, default 1.0
        Length of a step.
    natural : bool, default False
        Follow the natural gradient.
    max_states : int, default 2,000,000
        Boxes are not refined further beyond so many.
    """

    zeta: float = 0.5
    gamma: float = 0.99
    p: int = 1
    steps: int = 200
    rate: float = 1.0
    natural: bool = False
    max_states: int = MAX_STATES

    name: ClassVar[str] = "custard-exact"
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = SUPPORTS
    reference: ClassVar[str] = f"{CUSTARD}; {PAPER}, Proposition 2"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Climb the gradient and return the best greedy tree on the way."""
        process = OIBMDP.of(
            problem.dataset, self.zeta, max_depth=most_questions(problem), p=self.p,
            gamma=self.gamma, max_states=self.max_states, room=run.room(),
            should_stop=run.should_stop,
        )  # fmt: skip
        climbed = policy_gradient(
            process, steps=self.steps, rate=self.rate, natural=self.natural,
            should_stop=run.should_stop,
        )  # fmt: skip
        policy = climbed.policy
        stats = figures(policy.questions, policy.returned) | {
            "states": process.boxes.n_states,
            "steps": len(climbed.returns),
            "softmax_return": climbed.returns[-1],
        }
        return Solution(Status.FEASIBLE, policy.tree, None, stats)


@dataclass(frozen=True)
class _DeepLearner:
    """What the learners on stable-baselines3 share.

    Parameters
    ----------
    zeta : float, default 0.5
        Reward of a question, below 1; the larger, the cheaper are questions.
    gamma : float, default 0.99
        Discount, below 1.
    p : int, default 1
        Thresholds for each feature and question.
    steps : int, default 200,000
        Actions taken in all.
    evaluate_every : int, default 5,000
        The greedy tree is looked at after so many actions; the best one is returned.
    settings : mapping, optional
        Hyper-parameters of stable-baselines3 that replace those of the paper.
    checkpoint : path, optional
        A folder to write the state of learning to, and to go on from if it exists.
    """

    zeta: float = 0.5
    gamma: float = 0.99
    p: int = 1
    steps: int = 200_000
    evaluate_every: int = 5_000
    settings: Mapping[str, Any] | None = None
    checkpoint: str | Path | None = None

    name: ClassVar[str]
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = SUPPORTS
    requires: ClassVar[tuple[str, ...]] = ("gymnasium", "stable_baselines3", "torch")

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Learn until the steps or the time are used up; return the best greedy tree met."""
        from heuristics.rl.deep.training import Training, learn

        training = Training(
            zeta=self.zeta, gamma=self.gamma, p=self.p, max_depth=most_questions(problem),
            steps=self.steps, evaluate_every=self.evaluate_every, settings=self.settings or {},
            checkpoint=self.checkpoint, seed=run.seed, n_threads=run.n_threads,
        )  # fmt: skip
        learned = learn(
            self.name,
            problem.dataset,
            training,
            should_stop=run.should_stop,
            on_evaluation=lambda seen: run.report(tree=seen.questions.tree),
        )
        stats = figures(learned.questions, learned.returned) | {
            "steps": learned.steps,
            "history": tuple((seen.steps, seen.returned) for seen in learned.history),
        }
        return Solution(Status.FEASIBLE, learned.questions.tree, None, stats)


@dataclass(frozen=True)
class Dqndt(_DeepLearner, Solver):
    """Deep Q-learning on boxes: only classes count in targets at the largest depth."""

    name: ClassVar[str] = "dqndt"
    reference: ClassVar[str] = PAPER


@dataclass(frozen=True)
class CustardDqn(_DeepLearner, Solver):
    """CUSTARD with deep Q-learning: the policy sees the box, the critic the example too."""

    name: ClassVar[str] = "custard-dqn"
    reference: ClassVar[str] = CUSTARD


@dataclass(frozen=True)
class CustardPpo(_DeepLearner, Solver):
    """CUSTARD with proximal policy optimisation: the actor sees the box, the critic all."""

    name: ClassVar[str] = "custard-ppo"
    reference: ClassVar[str] = CUSTARD
