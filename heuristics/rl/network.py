"""The process as a NetworkX graph that `odt.mdp.from_networkx` can solve."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from heuristics.rl.boxes import Boxes
from heuristics.rl.process import OIBMDP
from odt.data.units import as_fraction
from odt.errors import ProblemError
from odt.mdp.induction import plain_test

RESTART = "restart"


def to_networkx(process: OIBMDP, max_states: int = 2000) -> Any:
    """Return the process as a directed graph, without the edges from predictions to the root.

    Instead of these there is a node of kind "restart", which is worth what the root is, so the
    graph has no cycles. Nodes are strings and attributes plain text and numbers, as in the graphs
    of `odt.mdp`, so that NetworkX can write them in any of its formats.

    Parameters
    ----------
    process : OIBMDP
        With the discounted criterion.
    max_states : int, default 2000
        Refuse larger processes.

    Returns
    -------
    networkx.DiGraph
        Attributes of a state: ``kind`` "state", ``depth``, ``class_weights`` (weight units, with
        spaces between), ``lower`` and ``upper`` (exact bounds of the scaled coordinates, with
        spaces between). Of an action: ``kind`` "action", ``text``, ``discount``, ``cost`` (the
        reward with the sign changed, since `odt.mdp` minimises), and ``class_code``, or
        ``cut`` (the scaled threshold) with ``feature`` and ``threshold`` or ``categories`` (the
        test on the original feature). A question that leaves one side empty has one successor and
        no test. An edge from an action has ``probability`` and, from a question, ``answer``.

    Raises
    ------
    ProblemError
        If there are more than ``max_states`` states, or without a discount.
    """
    boxes = process.boxes
    if process.is_rate:
        raise ProblemError(
            "A graph that starts anew for ever needs a discount below 1. Use the discounted "
            "criterion."
        )
    if boxes.n_states > max_states:
        raise ProblemError(
            f"The process has {boxes.n_states} states, more than {max_states}, too many to look "
            "at. Use a smaller max_depth or raise 'max_states'."
        )
    view = _View(process)
    for state in range(boxes.n_states):
        view.add_state(state)
    for state in range(boxes.n_states):
        view.add_predictions(state)
    members = _members(boxes)
    for state in range(boxes.n_inner):
        for question in range(boxes.n_questions):
            view.add_question(state, question, members[state])
    return view.graph


class _View:
    """A graph that is being made of a process."""

    def __init__(self, process: OIBMDP) -> None:
        self.boxes, self.schema = process.boxes, process.boxes.columns.dataset.schema
        self._cost = str(-as_fraction(process.zeta))
        self._discount = str(as_fraction(process.gamma))
        self._names = [self._name(state) for state in range(self.boxes.n_states)]
        self.graph = nx.DiGraph(root=self._names[0])
        self.graph.add_node(RESTART, kind="restart")

    def _name(self, state: int) -> str:
        known = " and ".join(
            f"{low} < {column.describe(self.schema)} <= {high}"
            for column, (low, high) in zip(
                self.boxes.columns.columns, self.boxes.bounds(state), strict=True
            )
            if high - low < 1
        )
        return f"s{state}: {known or 'all examples'}"

    def add_state(self, state: int) -> None:
        bounds = self.boxes.bounds(state)
        self.graph.add_node(
            self._names[state],
            kind="state",
            depth=self.boxes.depth(state),
            class_weights=" ".join(map(str, self.boxes.class_weights[state].tolist())),
            lower=" ".join(str(low) for low, _ in bounds),
            upper=" ".join(str(high) for _, high in bounds),
        )

    def add_predictions(self, state: int) -> None:
        weights = self.boxes.class_weights[state].tolist()
        for code, weight in enumerate(weights):
            cost = str(Fraction(sum(weights) - 2 * weight, sum(weights)))
            action = self._add_action(
                state, code, f"predict {self.schema.classes[code]}", cost, class_code=code
            )
            self.graph.add_edge(action, RESTART, probability="1")

    def add_question(self, state: int, question: int, members: NDArray[np.bool_]) -> None:
        boxes = self.boxes
        k, cut = question // boxes.p, boxes.threshold(state, question)
        column, test = boxes.columns.columns[k], {}
        text = f"scaled {column.describe(self.schema)} <= {cut}"
        sides = {"yes": int(boxes.left[state, question]), "no": int(boxes.right[state, question])}
        if min(sides.values()) >= 0:
            parts = boxes.intervals.parts
            yes = boxes.columns.codes(parts)[members, k] <= int(cut * parts)
            separating = column.test(boxes.columns.values[members, k], yes)
            text, test = separating.describe(self.schema), plain_test(separating)
        number = boxes.n_classes + question
        action = self._add_action(state, number, text, self._cost, cut=str(cut), **test)
        total = int(boxes.class_weights[state].sum())
        for answer, child in sides.items():
            if child >= 0:
                share = str(Fraction(int(boxes.class_weights[child].sum()), total))
                self.graph.add_edge(action, self._names[child], probability=share, answer=answer)

    def _add_action(self, state: int, number: int, text: str, cost: str, **more: Any) -> str:
        action = f"s{state}.{number}: {text}"
        self.graph.add_node(
            action, kind="action", text=text, cost=cost, discount=self._discount, **more
        )
        self.graph.add_edge(self._names[state], action)
        return action


def _members(boxes: Boxes) -> list[NDArray[np.bool_]]:
    """Return for every box which examples are in it, shape (n,) each."""
    codes, grid = boxes.columns.codes(boxes.intervals.parts), boxes.intervals
    low, high = grid.lower[boxes.of_column], grid.upper[boxes.of_column]
    return [((codes > a) & (codes <= b)).all(axis=1) for a, b in zip(low, high, strict=True)]
