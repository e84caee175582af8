"""Who finds the depth-2 tree of five toy tasks? Exact methods, tables, and deep learners.

    python -m benchmarks.profiles.oibmdp_toy [--deep dqndt,custard-dqn,custard-ppo] [--plot toy.png]

16 points, labelled by a random balanced tree of depth 2 that no stump replaces; zeta 0.5, gamma
0.99, p 1. Returns are divided by the optimum 66.4994 of all tasks. The deep
learners need the extra ``rl``; a run ends when its greedy tree is optimal, or after --steps.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import odt
from heuristics.rl.custard import gradient, policy_gradient, start_logits
from heuristics.rl.learning import Schedule, q_learning, sarsa
from heuristics.rl.planning import policy_iteration, value_iteration
from heuristics.rl.process import OIBMDP
from heuristics.rl.toy import TOY_TASKS, toy_task

ZETA = 0.5


class Outcome(NamedTuple):
    """Return of the greedy policy, when it was found, and the CPU seconds of the run."""

    returned: float
    steps: int
    seconds: float


Method = Callable[[OIBMDP, int], tuple[float, int]]
METHODS: dict[str, Method] = {
    "policy iteration": lambda m, seed: _of(policy_iteration(m)),
    "value iteration": lambda m, seed: _of(value_iteration(m)),
    "custard-exact": lambda m, seed: _climb(m, natural=False),
    "custard-exact, natural": lambda m, seed: _climb(m, natural=True),
    "Q-learning": lambda m, seed: _of(q_learning(m, seed=seed)),
    "Q-learning, step 0.1": lambda m, seed: _of(
        q_learning(m, Schedule(power=0, constant=0.1), seed=seed)
    ),
    "Q-learning from 0": lambda m, seed: _of(q_learning(m, Schedule(initial=0.0), seed=seed)),
    "SARSA": lambda m, seed: _of(sarsa(m, seed=seed)),
    "SARSA, fixed exploration": lambda m, seed: _of(sarsa(m, Schedule(), seed=seed)),
    "uniform policy": lambda m, seed: (gradient(m, start_logits(m)).returned, 0),
}


def _of(policy) -> tuple[float, int]:
    return policy.returned, policy.passes


def _climb(process: OIBMDP, natural: bool) -> tuple[float, int]:
    """Return of the greedy policy, and the steps until the softmax policy is as good."""
    climbed = policy_gradient(process, steps=500, natural=natural)
    return climbed.policy.returned, len(climbed.returns)


def deep(kind: str, steps: int, max_depth: int) -> Method:
    """Return a method that trains until the greedy tree is optimal or the steps are used up."""
    from heuristics.rl.deep import Training, learn

    def method(process: OIBMDP, seed: int) -> tuple[float, int]:
        optimum, found = policy_iteration(process).returned, [False]

        def look(seen) -> None:
            found[0] = found[0] or seen.returned > optimum - 1e-9

        training = Training(ZETA, max_depth, steps=steps, evaluate_every=2048, seed=seed)
        data = process.boxes.columns.dataset
        learned = learn(kind, data, training, should_stop=lambda: found[0], on_evaluation=look)
        return learned.returned, learned.best.steps

    return method


def run(method: Method, process: OIBMDP, seed: int) -> Outcome:
    """Run a method once."""
    started = time.process_time()
    returned, steps = method(process, seed)
    return Outcome(returned, steps, time.process_time() - started)


def trees(max_depth: int) -> None:
    """Print the errors of greedy and restricted trees on the same tasks."""
    for name in ("cart", "dpdt", "oibmdp"):
        problems = [odt.Problem(toy_task(s), shape=odt.Shape(max_depth=max_depth))
                    for s in TOY_TASKS]  # fmt: skip
        errors = [odt.solve(problem, name).objective for problem in problems]
        print(f"{name:26} errors at depth {max_depth}: {', '.join(f'{e:.4g}' for e in errors)}")


def plot(results: dict[str, list[Outcome]], optimum: float, path: str) -> None:
    """Draw the normalised returns, a dot for each run."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 0.35 * len(results) + 1.2))
    for place, (_, outcomes) in enumerate(reversed(results.items())):
        shares = [outcome.returned / optimum for outcome in outcomes]
        ax.plot(shares, [place] * len(shares), "o", alpha=0.4, color="tab:blue")
        ax.plot(np.mean(shares), place, "|", markersize=16, color="black")
    ax.set_yticks(range(len(results)), list(reversed(results)))
    ax.axvline(1, color="grey", linewidth=0.8)
    ax.axvline(ZETA / (1 - 0.99) / optimum, color="grey", linewidth=0.8, linestyle=":")
    ax.set_xlabel("return / optimum (dotted: asking for ever)")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deep", default="", help="learners, separated by commas")
    parser.add_argument("--steps", type=int, default=200_000, help="actions of deep learners")
    parser.add_argument("--runs", type=int, default=2, help="runs a task of what is not deep")
    parser.add_argument("--max-depth", type=int, default=2)
    parser.add_argument("--only-deep", action="store_true")
    parser.add_argument("--plot", metavar="PNG")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    processes = [OIBMDP.of(toy_task(task), ZETA, max_depth=options.max_depth) for task in TOY_TASKS]
    optimum = policy_iteration(processes[0]).returned
    print(f"optimum {optimum:.4f}, {processes[0].boxes.n_states} boxes, M = {options.max_depth}")
    chosen = {} if options.only_deep else dict(METHODS)
    kinds = [kind for kind in options.deep.split(",") if kind]
    chosen |= {kind: deep(kind, options.steps, options.max_depth) for kind in kinds}
    results: dict[str, list[Outcome]] = {}
    print(f"{'method':26} optimal   mean return / optimum   mean steps   CPU s a run")
    for name, method in chosen.items():
        runs = range(1 if name in kinds else options.runs)
        found = [run(method, process, seed) for process in processes for seed in runs]
        results[name] = found
        best = sum(outcome.returned > optimum - 1e-9 for outcome in found)
        means = np.mean([(o.returned / optimum, o.steps, o.seconds) for o in found], axis=0)
        print(
            f"{name:26} {best:3} of {len(found):2} {means[0]:22.4f} {means[1]:12.0f}"
            f" {means[2]:13.2f}",
            flush=True,
        )
    if not options.only_deep:
        trees(options.max_depth)
    if options.plot:
        plot(results, optimum, options.plot)
        print(f"Drawn: {options.plot}")


if __name__ == "__main__":
    main()
