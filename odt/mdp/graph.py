"""The decision process as a NetworkX graph, to look at and to solve by other means.

Nodes are strings: states are called after a path that leads to them (``"s2: x0 <= 1 and
x3 > 0.5"``), actions after their state and test (``"s2.0: x1 <= 4"``), and ``"end"`` is the
absorbing state. Attributes are plain text and numbers, so that NetworkX can write the graph in any
of its formats; exact fractions are text such as ``"1/3"``. Costs are in terms of the objective and
conditional on the state: the value of a state is the least over its actions of the action's cost
plus the probability-weighted values of the states it leads to, and the value of the root is the
objective of the best tree (Proposition 1 of Kohler, Akrour and Preux, arXiv 2309.12701).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import networkx as nx

from odt.errors import ProblemError, UnsupportedProblemError
from odt.mdp.induction import from_networkx, plain_test
from odt.mdp.model import Split, State, TreeMDP
from odt.model.capability import STRUCTURE, Capability
from odt.model.measure import Measure

END = "end"
_UNSUPPORTED = STRUCTURE | frozenset(
    {
        Measure.DEPTH,
        Measure.WORST_EXPLANATION,
        Measure.SQUARED_ERROR,
        Capability.LEXICOGRAPHIC,
        Capability.MAX_NODES,
        Capability.MAX_FEATURES,
        Capability.MAX_ERROR,
        Capability.CONSISTENT,
    }
)


def to_networkx(mdp: TreeMDP, max_states: int = 2000) -> Any:
    """Return the process as a directed acyclic graph.

    Parameters
    ----------
    mdp : TreeMDP
    max_states : int, default 2000
        Refuse larger processes.

    Returns
    -------
    networkx.DiGraph
        Attributes of a state: ``kind`` "state", ``samples``, ``weight`` (share of all),
        ``class_weights`` (weight units, with spaces between), ``examples`` (bit mask of distinct
        rows, hexadecimal), ``depth_left``, ``value``. Of an action: ``kind`` "action", ``text``,
        ``cost``, ``value``, and either ``class_code`` or ``feature`` with ``threshold`` or
        ``categories`` (codes, with spaces between). An edge from an action has ``probability``
        and, if that is a test, ``answer``. ``graph.graph["root"]`` is the initial state.

    Raises
    ------
    UnsupportedProblemError
        If the objective is not a sum over examples and nodes, or a limit couples states.
    ProblemError
        If there are more than ``max_states`` states.
    """
    unsupported = mdp.problem.needs & _UNSUPPORTED
    if unsupported:
        raise UnsupportedProblemError(
            "A graph can only show sums over examples and nodes. It does not support "
            f"{', '.join(sorted(f.value for f in unsupported))}."
        )
    graph = nx.DiGraph()
    graph.add_node(END, kind="end")
    names = _Names()
    graph.graph["root"] = names.of(mdp.initial, ())
    queue = deque([mdp.initial])
    while queue:
        state = queue.popleft()
        _add_state(graph, mdp, state, names)
        for split in mdp.splits(state):
            queue += _add_test(graph, mdp, state, split, names)
        if len(names.paths) > max_states:
            raise ProblemError(
                f"The process has more than {max_states} states, too many to look at. Use a "
                "smaller max_depth, a generator with fewer tests, or raise 'max_states'."
            )
    for node, value in from_networkx(graph).values.items():
        graph.nodes[node]["value"] = str(value)
    return graph


class _Names:
    """Names of states, by number and by the first path that was found to them."""

    def __init__(self) -> None:
        self.paths: dict[State, tuple[str, ...]] = {}
        self._names: dict[State, str] = {}

    def of(self, state: State, path: tuple[str, ...]) -> str:
        """Return the name of a state, a new one if it has none."""
        if state not in self.paths:
            self.paths[state] = path
            self._names[state] = f"s{len(self._names)}: {' and '.join(path) or 'all examples'}"
        return self._names[state]

    def action(self, graph: Any, state: State, text: str) -> str:
        """Return a name for one more action of a state."""
        name = self._names[state]
        return f"{name.partition(':')[0]}.{graph.out_degree(name)}: {text}"


def _add_state(graph: Any, mdp: TreeMDP, state: State, names: _Names) -> None:
    """Add a state and its stop actions, one for each class."""
    problem, weights = mdp.problem, mdp.class_weights(state.examples)
    name = names.of(state, names.paths[state])
    graph.add_node(
        name,
        kind="state",
        samples=sum(int(mdp.rows[g]) for g in _members(state.examples)),
        weight=str(Fraction(sum(weights), problem.dataset.total_weight)),
        class_weights=" ".join(map(str, weights)),
        examples=f"{state.examples:x}",
        depth_left=state.depth,
    )
    for code, weight in enumerate(weights):
        cost = problem.costs.prices.errors * (sum(weights) - weight) + problem.costs.prices.nodes
        text = f"stop: {problem.dataset.classes[code]}"
        action = names.action(graph, state, text)
        graph.add_node(
            action,
            kind="action",
            class_code=code,
            text=text,
            cost=str(_conditional(mdp, state, cost)),
        )
        graph.add_edge(name, action)
        graph.add_edge(action, END, probability="1")


def _add_test(graph: Any, mdp: TreeMDP, state: State, split: Split, names: _Names) -> list[State]:
    """Add a test and return the states that it leads to for the first time."""
    costs, data, weight = mdp.problem.costs, mdp.problem.dataset, mdp.weight(state.examples)
    price = costs.prices.nodes + costs.prices.tests * weight * int(
        data.cost_units[split.test.feature]
    )
    if not state.used >> split.test.feature & 1:
        price += costs.prices.explanation * weight
    path, text = names.paths[state], split.test.describe(data.schema)
    action = names.action(graph, state, text)
    cost = str(_conditional(mdp, state, price))
    graph.add_node(action, kind="action", text=text, cost=cost, **plain_test(split.test))
    graph.add_edge(names.of(state, path), action)
    found = []
    for answer, after in zip(("yes", "no"), mdp.successors(state, split), strict=True):
        if after not in names.paths:
            found.append(after)
        condition = split.test.describe(data.schema, negated=answer == "no")
        share = str(Fraction(mdp.weight(after.examples), weight))
        name = names.of(after, (*path, condition))
        graph.add_edge(action, name, probability=share, answer=answer)
    return found


def _conditional(mdp: TreeMDP, state: State, cost: int) -> Fraction:
    """An integer cost in terms of the objective, per example of the state."""
    total = mdp.problem.dataset.total_weight
    return cost * mdp.problem.costs.levels[0].step * total / mdp.weight(state.examples)


def _members(examples: int) -> Iterator[int]:
    while examples:
        low = examples & -examples
        yield low.bit_length() - 1
        examples ^= low
