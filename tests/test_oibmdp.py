"""The observable iterative bounding process: exact values, theorems, tables and gradients."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from math import log
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import odt
from heuristics.rl.boxes import Boxes
from heuristics.rl.custard import gradient, policy_gradient, start_logits
from heuristics.rl.intervals import count_boxes
from heuristics.rl.learning import Schedule, Walker, q_learning, sarsa
from heuristics.rl.planning import PaddingWarning, policy_iteration, value_iteration
from heuristics.rl.policies import Policy
from heuristics.rl.process import OIBMDP
from heuristics.rl.questions import unroll
from heuristics.rl.toy import TOY_TASKS, toy_task
from odt.mdp import from_networkx
from odt.testing.random_problems import random_dataset

TOY = (0.5 * 1.99 + 0.99**2) / (1 - 0.99**3)  # two questions, then +1: 66.4994


def iris() -> odt.Dataset:
    """150 examples, 4 features."""
    return odt.Dataset(*load_iris(return_X_y=True))


@pytest.mark.parametrize("task", TOY_TASKS)
@pytest.mark.parametrize("max_depth", [2, 3, 4])
def test_every_exact_method_finds_the_toy_tree(task: int, max_depth: int) -> None:
    """Zeta 0.5, gamma 0.99: 66.4994 by sweeps, graphs and gradients, with 17, 41, 81 boxes."""
    process = OIBMDP.of(toy_task(task), 0.5, max_depth=max_depth)
    assert process.boxes.n_states == {2: 17, 3: 41, 4: 81}[max_depth]
    best = process.solve()
    assert round(TOY, 4) == 66.4994
    assert best.optimal
    assert best.returned == pytest.approx(TOY, abs=1e-9)
    assert (best.questions.n_questions, best.questions.depth, best.questions.accuracy) == (3, 2, 1)
    assert value_iteration(process).returned == pytest.approx(TOY, abs=1e-9)
    solved = from_networkx(process.to_networkx())
    assert float(-solved.values["restart"]) == pytest.approx(TOY, abs=1e-9)
    assert solved.tree.amounts(process.boxes.columns.dataset).errors == 0
    climbed = policy_gradient(process, steps=150)
    assert climbed.returns[-1] == pytest.approx(TOY, rel=1e-3)
    assert policy_gradient(process, natural=True).policy.returned == pytest.approx(TOY, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "max_depth", "zeta", "value", "questions", "depth", "accuracy", "asked"),
    [
        ("iris", 2, -0.6, -8.5783, 2, 2, 0.8533, 1.520),
        ("iris", 2, 0.0, 27.7819, 2, 2, 0.8533, 1.520),
        ("iris", 2, 0.6, 64.1422, 2, 2, 0.8533, 1.520),
        ("iris", 3, 0.6, 69.6449, 4, 3, 0.96, 2.287),
        ("iris", 5, 0.9, 91.6057, 8, 5, 0.98, 2.74),
        ("wine", 4, -1.0, -20.2247, 0, 0, 0.3989, 0),
        ("wine", 4, -0.6, -11.7551, 2, 2, 0.8146, 1.528),
        ("wine", 4, -0.2, 12.5362, 2, 2, 0.8146, 1.528),
        ("wine", 4, 0.0, 24.8419, 3, 2, 0.8764, 2.0),
        ("wine", 4, 0.2, 38.7419, 4, 3, 0.9101, 2.275),
        ("wine", 4, 0.6, 67.9781, 8, 4, 0.9607, 2.978),
        ("wine", 4, 0.9, 90.9530, 12, 4, 0.9719, 3.534),
    ],
)
def test_known_values(name, max_depth, zeta, value, questions, depth, accuracy, asked) -> None:
    """Values that another program computed; wine at zeta 0.9 has 11 inner nodes of 12."""
    data = iris() if name == "iris" else odt.Dataset(*load_wine(return_X_y=True))
    best = OIBMDP.of(data, zeta, max_depth=max_depth).solve()
    found = best.questions
    assert best.returned == pytest.approx(value, abs=5e-5)
    assert (found.n_questions, found.depth) == (questions, depth)
    assert found.accuracy == pytest.approx(accuracy, abs=5e-5)
    assert found.expected_questions == pytest.approx(asked, abs=5e-4)
    assert found.returned(zeta, 0.99) == pytest.approx(best.returned, abs=1e-9)
    assert best.tree.n_branches == (11 if (name, zeta) == ("wine", 0.9) else questions)


def test_numbers_of_boxes() -> None:
    """5, 17, 49, 129 boxes of two features; iris and wine leave some of theirs empty."""
    assert [count_boxes(2, 1, m) for m in (1, 2, 3, 4)] == [5, 17, 49, 129]
    assert [Boxes.of(iris(), max_depth=m).n_states for m in (2, 3, 4, 5)] == [48, 186, 597, 1656]
    wine = Boxes.of(odt.Dataset(*load_wine(return_X_y=True)), max_depth=4)
    assert (wine.n_states, wine.estimate) == (28303, 33151)


def _policies(boxes: Boxes):
    """Yield every tree of questions as (expected reward terms); only for tiny boxes."""

    def below(state: int, budget: int):
        for label in range(boxes.n_classes):
            yield (float(boxes.rewards[state, label]), "leaf")
        if budget:
            for q in range(boxes.n_questions):
                sides = [int(s[state, q]) for s in (boxes.left, boxes.right)]
                options = [list(below(s, budget - 1)) if s >= 0 else [None] for s in sides]
                for left, right in itertools.product(*options):
                    yield (float(boxes.share[state, q]), left, right)

    yield from below(0, boxes.max_depth)


def _line(policy, zeta: float, gamma: float) -> tuple[float, float]:
    if policy[1] == "leaf":
        return policy[0], gamma
    share, *sides = policy
    a, b = zeta, 0.0
    for weight, side in zip((share, 1 - share), sides, strict=True):
        if side is not None:
            x, y = _line(side, zeta, gamma)
            a, b = a + gamma * weight * x, b + gamma * weight * y
    return a, b


@pytest.mark.filterwarnings("ignore::heuristics.rl.planning.PaddingWarning")
def test_equals_enumeration_of_all_trees() -> None:
    """At most 2 coordinates and 2 questions: the best of all policies, with weights."""
    checked = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        data = random_dataset(rng)
        depth, p = int(rng.integers(0, 3)), int(rng.integers(1, 3))
        boxes = Boxes.of(data, max_depth=depth, p=p)
        if boxes.columns.d > 2 or boxes.n_questions * data.n_classes > 6:
            continue
        zeta, gamma = float(rng.uniform(-1, 0.95)), float(rng.choice([0.5, 0.9, 0.99]))
        process = OIBMDP(boxes, zeta, gamma)
        best = max(a / (1 - b) for a, b in (_line(t, zeta, gamma) for t in _policies(boxes)))
        assert process.solve().returned == pytest.approx(best, abs=1e-9), seed
        assert value_iteration(process).returned == pytest.approx(best, abs=1e-7)
        if boxes.n_states < 60:
            value = from_networkx(process.to_networkx()).values["restart"]
            assert float(-value) == pytest.approx(best, abs=1e-9)
        checked += 1
    assert checked > 30


def test_membership_is_half_open_and_counts_once() -> None:
    """Values on dyadic thresholds: the sides of every question share the weight of the box."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 9, size=(60, 2)) / 8
    X[:2] = [[0, 0], [1, 1]]
    boxes = Boxes.of(odt.Dataset(X, rng.integers(0, 2, 60)), max_depth=4)
    total = boxes.class_weights.sum(axis=1)
    for state, q in itertools.product(range(boxes.n_inner), range(boxes.n_questions)):
        sides = [int(s[state, q]) for s in (boxes.left, boxes.right)]
        assert sum(total[s] for s in sides if s >= 0) == total[state]
    for state in range(boxes.n_states):
        inside = np.ones(60, bool)
        for k, (low, high) in enumerate(boxes.bounds(state)):
            inside &= ((X[:, k] > float(low)) | ((low == 0) & (X[:, k] == 0))) & (X[:, k] <= high)
        assert total[state] == inside.sum()


@pytest.mark.parametrize("p", [1, 2, 4])
def test_proposition_1_depth_follows_from_the_box(p: int) -> None:
    """For p + 1 prime, U - L = c / (p + 1)**m in lowest terms, and the depth is the sum of m."""
    rng = np.random.default_rng(p)
    data = odt.Dataset(rng.random((40, 2)), rng.integers(0, 2, 40))
    boxes = Boxes.of(data, max_depth=3, p=p)
    for state in range(boxes.n_states):
        powers = (log((high - low).denominator, p + 1) for low, high in boxes.bounds(state))
        assert round(sum(powers)) == boxes.depth(state)
    assert len(set(map(boxes.bounds, range(boxes.n_states)))) == boxes.n_states


def test_without_a_prime_one_box_has_several_depths() -> None:
    """For p = 3: (0, 1/4] after one question (u = 1) and after two (u = 2 twice)."""
    rng = np.random.default_rng(0)
    boxes = Boxes.of(odt.Dataset(rng.random((50, 1)), rng.integers(0, 2, 50)), max_depth=2, p=3)
    quarter = ((Fraction(0), Fraction(1, 4)),)
    depths = [boxes.depth(s) for s in range(boxes.n_states) if boxes.bounds(s) == quarter]
    assert depths == [1, 2]


def test_theorem_1_returns_agree_exactly() -> None:
    """Enumerating (example, box) pairs of the IBMDP gives the return on boxes, for any policy.

    The value of a pair solves a linear system; a random reactive policy is stochastic in the box.
    """
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 5, (7, 2)).astype(float), rng.integers(0, 2, 7)
        data = odt.Dataset(X, y, sample_weight=rng.integers(1, 4, 7))
        process = OIBMDP.of(data, float(rng.uniform(-1, 0.9)), max_depth=2, gamma=0.9)
        boxes = process.boxes
        logits = start_logits(process) + rng.normal(size=start_logits(process).shape)
        observable = gradient(process, logits)
        n, m = data.n_samples, boxes.n_states
        codes = boxes.columns.codes(boxes.intervals.parts)
        weight = data.weights / data.total_weight
        A, b = np.eye(n * m), np.zeros(n * m)
        for i, s in itertools.product(range(n), range(m)):
            for action, chance in enumerate(observable.chance[s]):
                if action < boxes.n_classes:
                    b[i * m + s] += chance * (1 if data.y[i] == action else -1)
                    A[i * m + s, np.arange(n) * m] -= 0.9 * chance * weight
                elif s < boxes.n_inner:
                    q = action - boxes.n_classes
                    cut = boxes.threshold(s, q) * boxes.intervals.parts
                    side = boxes.left if codes[i, q] <= cut else boxes.right
                    b[i * m + s] += chance * process.zeta
                    A[i * m + s, i * m + max(int(side[s, q]), 0)] -= 0.9 * chance
        hidden = float(weight @ np.linalg.solve(A, b)[np.arange(n) * m])
        assert hidden == pytest.approx(observable.returned, abs=1e-9)


def test_theorem_1_by_simulation() -> None:
    """A fixed random policy earns its exact return with hidden examples, within 4 errors."""
    process = OIBMDP.of(iris(), 0.3, max_depth=3, gamma=0.9)
    found = gradient(process, start_logits(process))
    rng = np.random.default_rng(5)
    walker, returns = Walker(process, rng, expected=False), []
    for _ in range(1500):
        walker.restart()
        total = 0.0
        for t in range(80):  # 0.9**80 * 10 < 0.003
            action = int(rng.random() * walker.n_actions())
            total += 0.9**t * walker.step(action)
        returns.append(total)
    error = np.std(returns) / np.sqrt(len(returns))
    assert abs(np.mean(returns) - found.returned) < 4 * error + 0.003


@pytest.mark.parametrize(
    ("zeta", "rate", "errors", "asked", "alpha"),
    [(0.6, 0.69736, 6, 2.287, 0.0487), (0.0, 0.28042, 22, 1.52, 0.1402)],
)
def test_known_rates(zeta, rate, errors, asked, alpha) -> None:
    """Iris, M = 4, computed by another program; the rate is that of the tree itself."""
    best = OIBMDP.of(iris(), zeta, max_depth=4, gamma=1, criterion="rate").solve()
    assert best.returned == pytest.approx(rate, abs=1e-5)
    assert round(150 * (1 - best.questions.accuracy)) == errors
    assert best.questions.expected_questions == pytest.approx(asked, abs=5e-4)
    assert best.questions.rate(zeta) == pytest.approx(best.returned)
    assert (best.returned - zeta) / 2 == pytest.approx(alpha, abs=5e-5)


def test_reward_rate_is_a_vertex_of_the_hull() -> None:
    """At alpha = (rate - zeta) / 2 the optimum costs what DPDT's best vertex over all tests does.

    With features of two values the boxes ask exactly the tests of the problem.
    """
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (40, 4)).astype(float), rng.integers(0, 3, 40)
        data = odt.Dataset(X, y, sample_weight=rng.integers(1, 4, 40))
        front = odt.pareto(odt.Problem(data, shape=odt.Shape(max_depth=3)), generator="all")
        boxes = Boxes.of(data, max_depth=3)
        for zeta in (-1.0, -0.3, 0.0, 0.1):
            best = OIBMDP(boxes, zeta, 1, "rate").solve()
            alpha = (best.returned - zeta) / 2
            if alpha <= 0:  # asking is worth more than predicting: no price of a question
                continue
            vertex = front.best(alpha)
            assert vertex.on_hull
            error, tests = vertex.values.values()
            cost = 1 - best.questions.accuracy + alpha * best.questions.expected_questions
            assert cost == pytest.approx(error + alpha * tests, abs=1e-9)


def test_gradient_equals_finite_differences() -> None:
    """Visits add up to 1 / (1 - gamma); no softmax policy exceeds the optimum."""
    process = OIBMDP.of(toy_task(0), 0.4, max_depth=2, gamma=0.9)
    rng = np.random.default_rng(0)
    logits = start_logits(process) + rng.normal(size=start_logits(process).shape)
    found = gradient(process, logits)
    assert found.visits.sum() == pytest.approx(10)
    assert found.returned <= process.solve().returned
    for s, a in [(0, 0), (0, 3), (1, 1), (2, 2), (5, 0)]:
        step = np.zeros_like(logits)
        step[s, a] = 1e-6
        up, down = gradient(process, logits + step), gradient(process, logits - step)
        slope = (up.returned - down.returned) / 2e-6
        assert found.logits[s, a] == pytest.approx(slope, abs=1e-5)


def test_tabular_learners_solve_toy_tasks() -> None:
    """Q-learning with decreasing steps finds the tree in 9 of 10 runs, SARSA in most."""
    runs = [(task, seed) for task in TOY_TASKS for seed in (0, 1)]
    found = {q_learning: 0, sarsa: 0}
    for task, seed in runs:
        process = OIBMDP.of(toy_task(task), 0.5, max_depth=2)
        for learner, schedule in ((q_learning, Schedule(60_000)),
                                  (sarsa, Schedule(60_000, last_epsilon=0.0))):  # fmt: skip
            policy = learner(process, schedule, seed=seed)
            assert policy.returned <= TOY + 1e-9
            found[learner] += policy.returned > TOY - 1e-9
    assert found[q_learning] >= 9
    assert found[sarsa] >= 6


def test_padding_is_noticed() -> None:
    """A pure dataset at zeta 0.9: V = 0.9 (1 + ...) > class reward, so idle questions pay."""
    data = odt.Dataset([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1])  # nothing can be learned
    with pytest.warns(PaddingWarning):
        best = OIBMDP.of(data, 0.5, max_depth=3).solve()
    assert best.questions.depth == 3
    assert best.tree.n_branches == 0


@pytest.mark.parametrize("form", ["graphml", "gexf", "gml", "node-link"])
def test_graphs_go_through_files(form: str, tmp_path: Path) -> None:
    """Odd names, categories, weights and p = 2: the graph that is read back solves alike."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({'a < 1 & "é"': rng.random(12), "b": rng.choice(["red", "1", "x"], 12)})
    data = odt.Dataset(frame, rng.choice(["no", "yes"], 12), sample_weight=rng.integers(1, 4, 12))
    process = OIBMDP.of(data, 0.3, max_depth=2, p=2)
    graph, path = process.to_networkx(), tmp_path / "process"
    if form == "node-link":
        path.write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
        read = nx.node_link_graph(json.loads(path.read_text()), edges="edges")
    else:
        getattr(nx, f"write_{form}")(graph, path)
        read = getattr(nx, f"read_{form}")(path)
    before, after = from_networkx(graph), from_networkx(read)
    assert after.values == before.values
    assert after.tree == before.tree
    assert float(-after.values["restart"]) == pytest.approx(process.solve().returned, abs=1e-9)


def test_graphs_need_a_discount_and_a_limit() -> None:
    """Both messages say what to do."""
    process = OIBMDP.of(toy_task(0), 0.3, max_depth=2)
    with pytest.raises(odt.ProblemError, match="smaller max_depth"):
        process.to_networkx(max_states=10)
    rate = OIBMDP(process.boxes, 0.3, gamma=1, criterion="rate")
    with pytest.raises(odt.ProblemError, match="discounted criterion"):
        rate.to_networkx()


def test_boxes_end_where_memory_does() -> None:
    """A thousand features at depth 2 are two million boxes; 1 MiB holds fewer than a hundred.

    One box of 1000 coordinates takes 2000 bytes, a few times while arrays are copied.
    """
    rng = np.random.default_rng(0)
    data = odt.Dataset(rng.random((20, 1000)), rng.integers(0, 2, 20))
    boxes = Boxes.of(data, max_depth=2, room=1.0)
    assert not boxes.complete
    assert boxes.n_states < 2100  # all the questions about one box are answered together
    OIBMDP(boxes, 0.3).solve()


def test_limits_give_a_feasible_tree() -> None:
    """Beyond max_states boxes are leaves, and nothing is called optimal."""
    boxes = Boxes.of(iris(), max_depth=5, max_states=100)
    best = OIBMDP(boxes, 0.6).solve()
    assert not boxes.complete
    assert not best.optimal
    assert best.questions.accuracy > 0.6
    at_once = Boxes.of(iris(), max_depth=5, should_stop=lambda: True)
    assert (at_once.n_states, at_once.n_inner) == (1, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zeta": 1.0}, "allow_degenerate"),
        ({"zeta": float("nan")}, "finite"),
        ({"gamma": 1.0}, "below 1"),
        ({"gamma": 0.9, "criterion": "rate"}, "below 1"),
        ({"criterion": "mean"}, "criterion"),
        ({"max_depth": -1}, "max_depth"),
        ({"p": 0}, "'p'"),
        ({"max_depth": 40}, "smaller max_depth"),
        ({"max_depth": 14, "p": 2}, "smaller max_depth"),
    ],
)
def test_bad_options_are_refused(options, message) -> None:
    """Each message says what is wrong and what to do."""
    settings = {"zeta": 0.5, "max_depth": 2} | options
    with pytest.raises(odt.ProblemError, match=message):
        OIBMDP.of(toy_task(0), **settings)


def test_degenerate_prices_only_on_request() -> None:
    """At zeta 1 asking for ever is worth 1 / (1 - gamma), as a perfect classifier is."""
    best = OIBMDP.of(toy_task(0), 1.0, max_depth=2, allow_degenerate=True)
    with pytest.warns(PaddingWarning):
        assert best.solve().returned <= 100 + 1e-9


def test_categories_become_tests_of_the_problem() -> None:
    """A category against the others is the only question about a colour."""
    frame = {"colour": ["red", "green", "blue", "red", "green", "blue"], "x": [1, 2, 3, 4, 5, 6]}
    data = odt.Dataset(pd.DataFrame(frame), [0, 1, 0, 0, 1, 0])
    result = odt.solve(odt.Problem(data, shape=odt.Shape(max_depth=1)), "oibmdp", zeta=0.2)
    assert result.objective == 0
    assert result.cost_bound is None
    assert result.stats["process"] == "optimal"


def test_a_policy_that_never_predicts_has_a_finite_tree() -> None:
    """Following is cut off; the leaves are the most frequent classes and marked as forced."""
    process = OIBMDP.of(toy_task(0), 0.5, max_depth=2)
    asked = unroll(process.boxes.columns, 1, lambda box: 2, max_depth=5)
    assert not asked.is_finite
    assert asked.depth == 5
    assert Policy.of(process, process.boxes.best_class).returned == pytest.approx(0)
    assert policy_iteration(process).questions.is_finite


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("zeta", "value", "questions", "branches", "depth", "accuracy"),
    [
        (-1.0, 11.0787, 0, 0, 0, 0.5554),
        (-0.6, 11.0787, 0, 0, 0, 0.5554),
        (-0.2, 24.1792, 1, 1, 1, 0.844),
        (0.0, 34.2295, 1, 1, 1, 0.844),
        (0.2, 44.2797, 1, 1, 1, 0.844),
        (0.6, 67.1750, 5, 5, 4, 0.9067),
        (0.8, 81.6914, 14, 13, 5, 0.9402),
        (0.9, 89.7536, 29, 19, 5, 0.9424),
    ],
)
@pytest.mark.filterwarnings("ignore::heuristics.rl.planning.PaddingWarning")
def test_known_values_of_banknote(zeta, value, questions, branches, depth, accuracy) -> None:
    """1,939 boxes at M = 5; at zeta 0.9 padding pays and 29 questions give 19 branches."""
    boxes = Boxes.of(odt.datasets.load_dataset("serdt/banknote"), max_depth=5)
    assert boxes.n_states == 1939
    best = OIBMDP(boxes, zeta).solve()
    assert best.returned == pytest.approx(value, abs=5e-5)
    assert (best.questions.n_questions, best.tree.n_branches) == (questions, branches)
    assert best.questions.depth == depth
    assert best.questions.accuracy == pytest.approx(accuracy, abs=5e-5)
    assert best.padding_pays == (zeta == 0.9)


@pytest.mark.needs_data
def test_known_values_of_early_diabetes() -> None:
    """338,381 boxes at M = 5, built once for five prices."""
    boxes = Boxes.of(odt.datasets.load_dataset("categorical/early-diabetes"), max_depth=5)
    assert boxes.n_states == 338_381
    found = [OIBMDP(boxes, zeta).solve() for zeta in (-0.2, 0.2, 0.6, 0.9)]
    values = [best.returned for best in found]
    assert values == pytest.approx([23.0769, 42.1956, 68.6468, 91.5345], abs=5e-5)
    assert [best.questions.n_questions for best in found] == [0, 1, 10, 22]
