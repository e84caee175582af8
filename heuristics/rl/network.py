"""The process as a NetworkX graph that `odt.mdp.from_networkx` can solve."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import networkx as nx

from heuristics.rl.boxes import Boxes
from heuristics.rl.process import OIBMDP
from odt.data.units import as_fraction
from odt.errors import ProblemError


def to_networkx(process: OIBMDP, max_states: int = 2000) -> Any:
    """Return the process as a directed graph whose predictions lead back to the root.

    Parameters
    ----------
    process : OIBMDP
    max_states : int, default 2000
        Refuse larger processes.

    Returns
    -------
    networkx.DiGraph
        States are numbers of boxes, the root 0. Attributes of a state: ``kind`` "state",
        ``lower`` and ``upper`` (exact bounds of the scaled coordinates), ``depth``,
        ``class_weights``. Actions are pairs of a state and an action: ``kind`` "action",
        ``label``, or ``test`` and ``threshold`` (scaled); ``text``; ``cost``, the reward with the
        sign changed, since the room `odt.mdp` minimises. An edge from an action has a
        ``probability``. All numbers are exact fractions. ``graph.graph`` has ``root`` and
        ``discount``. A question that leaves one side empty has one successor and no test.

    Raises
    ------
    ProblemError
        If there are more than ``max_states`` states.
    """
    boxes = process.boxes
    if boxes.n_states > max_states:
        raise ProblemError(
            f"The process has {boxes.n_states} states, more than {max_states}, too many to look "
            "at. Use a smaller max_depth or raise 'max_states'."
        )
    graph = nx.DiGraph(root=0, discount=as_fraction(process.gamma))
    members = _members(boxes)
    for state in range(boxes.n_states):
        bounds = boxes.bounds(state)
        graph.add_node(
            state, kind="state", depth=boxes.depth(state),
            lower=tuple(low for low, _ in bounds), upper=tuple(high for _, high in bounds),
            class_weights=tuple(boxes.class_weights[state].tolist()),
        )  # fmt: skip
        _add_predictions(graph, process, state)
        if state < boxes.n_inner:
            for question in range(boxes.n_questions):
                _add_question(graph, process, state, question, members[state])
    return graph


def _add_predictions(graph: Any, process: OIBMDP, state: int) -> None:
    classes = process.boxes.columns.dataset.classes
    weights = process.boxes.class_weights[state].tolist()
    for label, weight in enumerate(weights):
        reward = Fraction(2 * weight - sum(weights), sum(weights))
        action, text = (state, label), f"predict {classes[label]}"
        graph.add_node(action, kind="action", label=label, text=text, cost=-reward)
        graph.add_edge(state, action)
        graph.add_edge(action, 0, probability=Fraction(1))


def _add_question(graph: Any, process: OIBMDP, state: int, question: int, rows: Any) -> None:
    boxes = process.boxes
    action = (state, boxes.n_classes + question)
    column = boxes.columns.columns[question // boxes.p]
    values = boxes.columns.values[rows, question // boxes.p]
    left, right = (int(side[state, question]) for side in (boxes.left, boxes.right))
    test = None
    if left >= 0 and right >= 0:
        cut = boxes.threshold(state, question) * boxes.intervals.parts
        codes = boxes.columns.codes(boxes.intervals.parts)[rows, question // boxes.p]
        test = column.test(values, codes <= int(cut))
    schema = boxes.columns.dataset.schema
    text = "separates nothing" if test is None else test.describe(schema)
    graph.add_node(
        action, kind="action", test=test, text=text, threshold=boxes.threshold(state, question),
        cost=-as_fraction(process.zeta),
    )  # fmt: skip
    graph.add_edge(state, action)
    total = int(boxes.class_weights[state].sum())
    for child in (left, right):
        if child >= 0:
            share = Fraction(int(boxes.class_weights[child].sum()), total)
            graph.add_edge(action, child, probability=share)


def _members(boxes: Boxes) -> list[Any]:
    """Return for every box which examples are in it, shape (n,) of booleans each."""
    codes, grid = boxes.columns.codes(boxes.intervals.parts), boxes.intervals
    low, high = grid.lower[boxes.of_column], grid.upper[boxes.of_column]
    return [((codes > a) & (codes <= b)).all(axis=1) for a, b in zip(low, high, strict=True)]
