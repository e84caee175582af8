"""Solving a process given as a graph: backward induction, and restarts from the root."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import networkx as nx

from odt.errors import ProblemError
from odt.model.tree import Tree


@dataclass(frozen=True, eq=False)
class SolvedGraph:
    """Values and a best policy of a process given as a graph.

    Attributes
    ----------
    values : mapping of node to Fraction
        Of every node; ``"end"`` has 0.
    policy : mapping of state to action node
    tree : Tree
        The policy from the root, as a tree.
    """

    values: Mapping[Hashable, Fraction]
    policy: Mapping[Hashable, Hashable]
    tree: Tree


class _Line(NamedTuple):
    """A value as ``intercept + slope * value of the root``."""

    intercept: Fraction
    slope: Fraction

    def at(self, root: Fraction) -> Fraction:
        return self.intercept + self.slope * root


def from_networkx(graph: Any) -> SolvedGraph:
    """Solve a process given as a graph, by backward induction.

    The value of a state is the least over its actions of the cost of the action plus the discount
    times the mean value of the states it leads to. Actions may lead back to the root if there is
    a discount below 1; then the induction is repeated with the value that the root has under the
    policy found, which ends after a few rounds (Newton's method).

    Parameters
    ----------
    graph : networkx.DiGraph
        As made by ``to_networkx``; costs and probabilities may have been changed.
        ``graph.graph`` has the ``root`` and may have a ``discount``.

    Raises
    ------
    ProblemError
        If the graph has a cycle that does not pass the root, or one at all without a discount, or
        a state without actions.
    """
    root, discount = graph.graph["root"], Fraction(graph.graph.get("discount", 1))
    once = graph.copy() if discount < 1 else graph
    if discount < 1:
        once.remove_edges_from(list(graph.in_edges(root)))
    if not nx.is_directed_acyclic_graph(once):
        raise ProblemError(
            "The graph of a decision process must not have cycles, except through the root with "
            "a discount below 1."
        )
    order = list(reversed(list(nx.topological_sort(once))))
    value, previous = Fraction(0), None
    while True:
        lines, policy = _induct(graph, order, discount, value)
        if previous == policy or lines[root].slope == 0:
            break
        value, previous = lines[root].intercept / (1 - lines[root].slope), policy
    values = {node: line.at(value) for node, line in lines.items()}
    return SolvedGraph(values, policy, _tree(graph, policy, root))


def _induct(
    graph: Any, order: Sequence[Hashable], discount: Fraction, value: Fraction
) -> tuple[dict[Hashable, _Line], dict[Hashable, Hashable]]:
    """Return the best lines of all nodes if the root is worth ``value``, and the policy."""
    root = graph.graph["root"]
    lines: dict[Hashable, _Line] = {}
    policy: dict[Hashable, Hashable] = {}
    for node in order:
        data, after = graph.nodes[node], list(graph.successors(node))
        if data["kind"] == "end":
            lines[node] = _Line(Fraction(0), Fraction(0))
        elif data["kind"] == "action":
            intercept, slope = data["cost"], Fraction(0)
            for state in after:
                share = discount * graph.edges[node, state]["probability"]
                a, b = (Fraction(0), Fraction(1)) if state == root else lines[state]
                intercept, slope = intercept + share * a, slope + share * b
            lines[node] = _Line(intercept, slope)
        elif after:
            policy[node] = min(after, key=lambda action: lines[action].at(value))
            lines[node] = lines[policy[node]]
        else:
            raise ProblemError(f"The state {node} has no action: every state needs one.")
    return lines, policy


def _tree(graph: Any, policy: Mapping[Hashable, Hashable], state: Hashable) -> Tree:
    """Return the policy below a state as a tree, without tests that separate nothing."""
    action = policy[state]
    data = graph.nodes[action]
    if "label" in data:
        return Tree.leaf(data["label"])
    sides = [_tree(graph, policy, after) for after in graph.successors(action)]
    return sides[0] if len(sides) == 1 else Tree.branch(data["test"], sides[0], sides[1])
