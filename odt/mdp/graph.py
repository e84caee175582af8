"""The decision process as a NetworkX graph, to look at and to solve by other means.

State nodes are `State` tuples, action nodes pairs of a state and a test or a label, and ``"end"``
is the absorbing state. Costs are exact fractions in terms of the objective and conditional on the
state: the value of a state is the least over its actions of the action's cost plus the
probability-weighted values of the states it leads to, and the value of the root is the objective
of the best tree (Proposition 1 of Kohler, Akrour and Preux, arXiv 2309.12701).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Any

import networkx as nx

from odt.draw.axes import axes
from odt.errors import ProblemError, UnsupportedProblemError
from odt.mdp.induction import from_networkx
from odt.mdp.model import Split, State, TreeMDP
from odt.model.capability import STRUCTURE, Capability
from odt.model.measure import Measure

END = "end"
_UNSUPPORTED = STRUCTURE | frozenset(
    {
        Measure.DEPTH,
        Measure.WORST_EXPLANATION,
        Capability.LEXICOGRAPHIC,
        Capability.MAX_NODES,
        Capability.MAX_FEATURES,
        Capability.MAX_ERROR,
        Capability.CONSISTENT,
    }
)
_PLOT_LIMIT = 200


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
        ``class_weights``, ``depth_left``, ``value``. Of an action: ``kind`` "action", ``test`` or
        ``label``, ``text``, ``cost``, ``value``. An edge from an action has ``probability``.
        ``graph.graph["root"]`` is the initial state.

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
    graph = nx.DiGraph(root=mdp.initial)
    graph.add_node(END, kind="end")
    queue, known = deque([mdp.initial]), {mdp.initial}
    while queue:
        state = queue.popleft()
        _add_state(graph, mdp, state)
        for split in mdp.splits(state):
            for successor in _add_test(graph, mdp, state, split):
                if successor not in known:
                    known.add(successor)
                    queue.append(successor)
        if len(known) > max_states:
            raise ProblemError(
                f"The process has more than {max_states} states, too many to look at. Use a "
                "smaller max_depth, a generator with fewer tests, or raise 'max_states'."
            )
    for node, value in from_networkx(graph).values.items():
        graph.nodes[node]["value"] = value
    return graph


def plot(mdp: TreeMDP, ax: Any = None) -> Any:
    """Draw a small process: states as circles, actions as squares, the best policy in colour.

    Of the stop actions of a state only the best one is drawn, if it is better than all tests.

    Parameters
    ----------
    mdp : TreeMDP
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ProblemError
        If there are too many states to see anything.
    """
    ax = axes(ax)
    graph = to_networkx(mdp, _PLOT_LIMIT)
    chosen, policy = set(_policy_nodes(graph)), from_networkx(graph).policy
    stops = [n for n, label in graph.nodes(data="label") if label is not None]
    graph.remove_nodes_from([END, *(n for n in stops if policy[n[0]] != n)])
    places = _places(graph)
    for kind, shape in (("state", "o"), ("action", "s")):
        nodes = [n for n, found in graph.nodes(data="kind") if found == kind]
        colours = ["tab:orange" if n in chosen else "lightgrey" for n in nodes]
        nx.draw_networkx_nodes(
            graph, places, nodes, node_shape=shape, node_color=colours, node_size=40, ax=ax
        )
    bold = [(a, b) for a, b in graph.edges if a in chosen and b in chosen]
    nx.draw_networkx_edges(graph, places, edge_color="lightgrey", arrows=False, ax=ax)
    nx.draw_networkx_edges(graph, places, bold, edge_color="tab:orange", arrows=False, ax=ax)
    named = graph.nodes(data="text")
    texts = {node: text for node, text in named if text is not None and node in chosen}
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
    drawn = nx.draw_networkx_labels(graph, places, texts, font_size=8, bbox=box, ax=ax)
    for text in drawn.values():
        text.set_rotation(20)
    return ax


def _places(graph: Any) -> dict[Hashable, tuple[float, float]]:
    """Layers from the root downwards, each over the full width, in the order of the layer above."""
    places: dict[Hashable, tuple[float, float]] = {}
    for layer, nodes in enumerate(nx.topological_generations(graph)):
        above = {
            n: sum(places[p][0] for p in graph.predecessors(n)) / max(graph.in_degree(n), 1)
            for n in nodes
        }
        for i, node in enumerate(sorted(nodes, key=above.__getitem__)):
            places[node] = ((i + 1) / (len(nodes) + 1), -float(layer))
    return places


def _add_state(graph: Any, mdp: TreeMDP, state: State) -> None:
    """Add a state and its stop actions, one for each class."""
    problem, weights = mdp.problem, mdp.class_weights(state.examples)
    graph.add_node(
        state,
        kind="state",
        samples=sum(int(mdp.rows[g]) for g in _members(state.examples)),
        weight=Fraction(sum(weights), problem.dataset.total_weight),
        class_weights=weights,
        depth_left=state.depth,
    )
    for label, weight in enumerate(weights):
        action = (state, label)
        cost = problem.costs.prices.errors * (sum(weights) - weight) + problem.costs.prices.nodes
        text = f"stop: {problem.dataset.classes[label]}"
        graph.add_node(
            action, kind="action", label=label, text=text, cost=_conditional(mdp, state, cost)
        )
        graph.add_edge(state, action)
        graph.add_edge(action, END, probability=Fraction(1))


def _add_test(graph: Any, mdp: TreeMDP, state: State, split: Split) -> tuple[State, State]:
    """Add a test and return the states it leads to."""
    costs, data, weight = mdp.problem.costs, mdp.problem.dataset, mdp.weight(state.examples)
    price = costs.prices.nodes + costs.prices.tests * weight * int(
        data.cost_units[split.test.feature]
    )
    if not state.used >> split.test.feature & 1:
        price += costs.prices.explanation * weight
    action, text = (state, split.test), split.test.describe(data.schema)
    graph.add_node(
        action, kind="action", test=split.test, text=text, cost=_conditional(mdp, state, price)
    )
    graph.add_edge(state, action)
    successors = mdp.successors(state, split)
    for successor in successors:
        share = Fraction(mdp.weight(successor.examples), weight)
        graph.add_edge(action, successor, probability=share)
    return successors


def _conditional(mdp: TreeMDP, state: State, cost: int) -> Fraction:
    """An integer cost in terms of the objective, per example of the state."""
    total = mdp.problem.dataset.total_weight
    return cost * mdp.problem.costs.levels[0].step * total / mdp.weight(state.examples)


def _members(examples: int) -> Iterator[int]:
    while examples:
        low = examples & -examples
        yield low.bit_length() - 1
        examples ^= low


def _policy_nodes(graph: Any) -> Iterator[Hashable]:
    """Yield the states and actions that the best policy visits."""
    policy, queue = from_networkx(graph).policy, [graph.graph["root"]]
    while queue:
        state = queue.pop()
        if state == END:
            continue
        yield state
        yield policy[state]
        queue += graph.successors(policy[state])
