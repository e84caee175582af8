"""Solving a process given as a graph: backward induction, also where it starts anew for ever."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import networkx as nx

from odt.errors import ProblemError
from odt.model.testset import Test
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


_END = _Line(Fraction(0), Fraction(0))
_RESTART = _Line(Fraction(0), Fraction(1))


def from_networkx(graph: Any) -> SolvedGraph:
    """Solve a process given as a graph, by backward induction.

    The value of a state is the least of those of its actions. The value of an action is its cost
    plus its ``discount`` (1 if it has none) times the mean value of the nodes it leads to. A node
    of kind "end" is worth 0, and one of kind "restart" as much as the root: there the process
    starts anew. With it the induction is repeated with the value that the root has under the
    policy found, until that is a best one; this takes a few rounds (Newton's method).

    Parameters
    ----------
    graph : networkx.DiGraph
        As made by `to_networkx`, or read from a file; costs, probabilities and discounts may have
        been changed, to numbers or text. The root is the node that no edge leads to.

    Raises
    ------
    ProblemError
        If the graph has a cycle, a state without actions, or not one root; if a discount is not
        in (0, 1], or the process starts anew for ever without one below 1.
    """
    if not nx.is_directed_acyclic_graph(graph):
        raise ProblemError(
            "The graph of a decision process must not have cycles. A node of kind 'restart' stands "
            "for the root where the process goes on with it."
        )
    order, root = list(reversed(list(nx.topological_sort(graph)))), root_of(graph)
    value, previous = Fraction(0), None
    while True:
        lines, policy = _sweep(graph, order, value)
        if policy == previous or not any(line.slope for line in lines.values()):
            break
        intercept, slope = lines[root]
        if slope >= 1:
            raise ProblemError(
                "A process that starts anew for ever needs a discount below 1 on its actions."
            )
        value, previous = intercept / (1 - slope), policy
    values = {node: line.at(value) for node, line in lines.items()}
    return SolvedGraph(values, policy, _tree(graph, policy, root))


def root_of(graph: Any) -> Hashable:
    """Return the initial state of a process given as a graph: the node that no edge leads to.

    Raises
    ------
    ProblemError
        If there is not one.
    """
    roots = [node for node, edges in graph.in_degree() if edges == 0]
    if len(roots) != 1:
        raise ProblemError(
            f"A process has one initial state. Got {len(roots)} nodes that no edge leads to."
        )
    root: Hashable = roots[0]
    return root


def _sweep(
    graph: Any, order: Sequence[Hashable], value: Fraction
) -> tuple[dict[Hashable, _Line], dict[Hashable, Hashable]]:
    """Return the best lines of all nodes if the root is worth ``value``, and the policy."""
    lines: dict[Hashable, _Line] = {}
    policy: dict[Hashable, Hashable] = {}
    for node in order:
        kind, after = graph.nodes[node]["kind"], list(graph.successors(node))
        if kind in ("end", "restart"):
            lines[node] = _END if kind == "end" else _RESTART
        elif kind == "action":
            lines[node] = _action(graph, node, lines)
        elif after:
            policy[node] = min(after, key=lambda action: lines[action].at(value))
            lines[node] = lines[policy[node]]
        else:
            raise ProblemError(f"The state {node} has no action: every state needs one.")
    return lines, policy


def _action(graph: Any, node: Hashable, lines: Mapping[Hashable, _Line]) -> _Line:
    """Return the line of an action from those of the nodes it leads to."""
    data = graph.nodes[node]
    discount = Fraction(data.get("discount", 1))
    if not 0 < discount <= 1:
        raise ProblemError(
            f"The action {node} has the discount {discount}, which is not in (0, 1]."
        )
    intercept, slope = Fraction(data["cost"]), Fraction(0)
    for after in graph.successors(node):
        share = discount * Fraction(graph.edges[node, after]["probability"])
        intercept += share * lines[after].intercept
        slope += share * lines[after].slope
    return _Line(intercept, slope)


def _tree(graph: Any, policy: Mapping[Hashable, Hashable], state: Hashable) -> Tree:
    """Return the policy below a state as a tree, without actions that only one answer follows."""
    action = policy[state]
    data = graph.nodes[action]
    if "class_code" in data:
        return Tree.leaf(int(data["class_code"]))
    below = {graph.edges[action, after]["answer"]: after for after in graph.successors(action)}
    if len(below) == 1:
        (only,) = below.values()
        return _tree(graph, policy, only)
    left, right = (_tree(graph, policy, below[answer]) for answer in ("yes", "no"))
    return Tree.branch(_test(data), left, right)


def plain_test(test: Test) -> dict[str, Any]:
    """Return the attributes that an action has for its test: plain text and numbers."""
    if test.threshold is not None:
        gaps = {"missing_left": True} if test.missing_left else {}
        return {"feature": test.feature, "threshold": test.threshold, **gaps}
    return {"feature": test.feature, "categories": " ".join(map(str, test.categories or ()))}


def _test(data: Mapping[str, Any]) -> Test:
    if "threshold" in data:
        gaps = bool(data.get("missing_left", False))
        return Test(int(data["feature"]), threshold=float(data["threshold"]), missing_left=gaps)
    return Test(int(data["feature"]), categories=tuple(map(int, data["categories"].split())))
