"""The decision process as a graph: same values as the engines, probabilities, limits."""

from __future__ import annotations

from fractions import Fraction

import matplotlib as mpl
import networkx as nx
import pytest
from sklearn.datasets import load_iris

import odt
from heuristics.generators import CartLeaves
from odt.mdp import TreeMDP, from_networkx, to_networkx
from odt.model.capability import Capability
from odt.testing import random_problem

mpl.use("Agg")
OBJECTIVES = ("error", "error + 0.05*expected_tests", "error + 0.03*size", "size",
              "error + 0.1*explanation_size")  # fmt: skip


def test_graph_and_engine_agree() -> None:
    """Backward induction on the graph gives the optimum of `dp`, exactly, for additive costs."""
    solved = 0
    for seed in range(120):
        problem = random_problem(seed, objective=OBJECTIVES[seed % len(OBJECTIVES)])
        mdp = TreeMDP(problem)
        coupled = {
            Capability.MAX_NODES,
            Capability.MAX_FEATURES,
            Capability.MAX_ERROR,
            Capability.CONSISTENT,
        }
        if problem.needs & coupled or not mdp.large_enough(mdp.initial.examples):
            continue
        found = from_networkx(to_networkx(mdp, 10**6))
        optimum = odt.solve(problem, "dp").cost
        assert problem.cost(found.tree) == optimum
        step = problem.costs.levels[0].step
        assert found.values[mdp.initial] == optimum * step
        solved += 1
    assert solved > 60


def test_probabilities_are_weight_shares() -> None:
    """The edges of a test share the weight of its state; x <= 0.5 sends 3 of 4 units left."""
    data = odt.Dataset([[0.0], [1.0]], ["a", "b"], sample_weight=[3, 1])
    mdp = TreeMDP(odt.Problem(data, "error + 0.1*expected_tests", odt.Shape(max_depth=1)))
    graph = to_networkx(mdp)
    test = next(n for n, d in graph.nodes(data=True) if "test" in d)
    shares = [graph.edges[test, s]["probability"] for s in graph.successors(test)]
    assert shares == [Fraction(3, 4), Fraction(1, 4)]
    assert graph.nodes[test]["cost"] == Fraction(1, 10)
    assert graph.nodes[mdp.initial]["value"] == Fraction(1, 10)  # one test, no error
    assert graph.nodes[mdp.initial]["samples"] == 2


def test_equal_sets_are_one_state() -> None:
    """Two features tested in either order lead to the same four sets: a DAG, not a tree."""
    data = odt.Dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    graph = to_networkx(TreeMDP(odt.Problem(data, shape=odt.Shape(max_depth=2))))
    states = [n for n, d in graph.nodes(data=True) if d["kind"] == "state"]
    assert len(states) == 1 + 4 + 4  # root, four halves, four single rows
    assert nx.is_directed_acyclic_graph(graph)


def test_large_processes_are_refused() -> None:
    """The message names the limit and the ways out."""
    X, y = load_iris(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=3))
    with pytest.raises(odt.ProblemError, match="more than 500 states"):
        to_networkx(TreeMDP(problem), 500)
    deep = odt.Problem(odt.Dataset(X, y), "depth", odt.Shape(max_depth=3))
    with pytest.raises(odt.UnsupportedProblemError, match="depth"):
        to_networkx(TreeMDP(deep))


def test_broken_graphs_are_refused() -> None:
    """A cycle or a state without actions is an error, not a wrong value."""
    graph = nx.DiGraph(root="s")
    graph.add_node("s", kind="state")
    with pytest.raises(odt.ProblemError, match="no action"):
        from_networkx(graph)
    graph.add_edge("s", "s")
    with pytest.raises(odt.ProblemError, match="cycles"):
        from_networkx(graph)


def test_a_small_process_can_be_drawn() -> None:
    """With CART's tests as actions iris at depth 2 fits in a drawing."""
    X, y = load_iris(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=2))
    axes = TreeMDP(problem, CartLeaves(3, last_level="same")).plot()
    assert len(axes.texts) >= 3
