"""The decision process as a graph: same values as the engines, probabilities, limits."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
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
        graph = to_networkx(mdp, 10**6)
        found = from_networkx(graph)
        optimum = odt.solve(problem, "dp").cost
        assert problem.cost(found.tree) == optimum
        step = problem.costs.levels[0].step
        assert found.values[graph.graph["root"]] == optimum * step
        solved += 1
    assert solved > 60


def test_probabilities_are_weight_shares() -> None:
    """The edges of a test share the weight of its state; x <= 0.5 sends 3 of 4 units left."""
    data = odt.Dataset([[0.0], [1.0]], ["a", "b"], sample_weight=[3, 1])
    mdp = TreeMDP(odt.Problem(data, "error + 0.1*expected_tests", odt.Shape(max_depth=1)))
    graph = to_networkx(mdp)
    test = next(n for n, d in graph.nodes(data=True) if "feature" in d)
    shares = [graph.edges[test, s]["probability"] for s in graph.successors(test)]
    assert shares == ["3/4", "1/4"]
    assert graph.nodes[test]["cost"] == "1/10"
    root = graph.graph["root"]
    assert graph.nodes[root]["value"] == "1/10"  # one test, no error
    assert graph.nodes[root]["samples"] == 2
    assert [root, *graph.successors(test)] == ["s0: all examples", "s1: x0 <= 0.5", "s2: x0 > 0.5"]
    assert test == "s0.2: x0 <= 0.5"


def test_equal_sets_are_one_state() -> None:
    """Two features tested in either order lead to the same four sets: a DAG, not a tree."""
    data = odt.Dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    graph = to_networkx(TreeMDP(odt.Problem(data, shape=odt.Shape(max_depth=2))))
    states = [n for n, d in graph.nodes(data=True) if d["kind"] == "state"]
    assert len(states) == 1 + 4 + 4  # root, four halves, four single rows
    assert nx.is_directed_acyclic_graph(graph)


def _through_file(graph: nx.DiGraph, form: str, path: Path) -> Any:
    """Write a graph and read it back."""
    if form == "node-link":
        path.write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
        return nx.node_link_graph(json.loads(path.read_text()), edges="edges")
    getattr(nx, f"write_{form}")(graph, path)
    return getattr(nx, f"read_{form}")(path)


@pytest.mark.parametrize("form", ["graphml", "gexf", "gml", "node-link"])
def test_graphs_go_through_files(form: str, tmp_path: Path) -> None:
    """All formats keep nodes and attributes, to the last bit, and the process solves as before."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            'size < 1 & "é"': rng.random(12) * 1.7e12,
            "colour": rng.choice(["red", "1", "blue"], 12),
            "code": rng.choice([1, 2], 12),
        }
    )
    labels = np.array([1, "1", "b"], dtype=object)[rng.integers(0, 3, 12)]
    data = odt.Dataset(frame, labels, sample_weight=rng.random(12), categorical=["code"])
    problem = odt.Problem(data, "error + 0.01*expected_tests", odt.Shape(max_depth=2))
    graph = to_networkx(TreeMDP(problem))
    read = _through_file(graph, form, tmp_path / "process")
    for node, attributes in graph.nodes(data=True):
        assert attributes.items() <= read.nodes[node].items()
    for *edge, attributes in graph.edges(data=True):
        assert attributes.items() <= read.edges[edge].items()
    assert len(read) == len(graph)
    before, after = from_networkx(graph), from_networkx(read)
    assert after.values == before.values
    assert after.tree == before.tree
    assert problem.cost(after.tree) == odt.solve(problem, "dp").cost


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


def _with_restart(discount: object) -> nx.DiGraph:
    """From "s" stop at no cost, or go to "t", where the end costs -1 and starting anew -1/2."""
    graph = nx.DiGraph()
    for node, kind in {"s": "state", "t": "state", "end": "end", "again": "restart"}.items():
        graph.add_node(node, kind=kind)
    for state, action, cost, after in [
        ("s", "stop", 0, "end"), ("s", "go", 0, "t"), ("t", "leave", -1, "end"),
        ("t", "repeat", "-1/2", "again"),
    ]:  # fmt: skip
        graph.add_node(action, kind="action", cost=cost, discount=discount, class_code=0)
        graph.add_edge(state, action)
        graph.add_edge(action, after, probability=1, answer="yes")
    del graph.nodes["go"]["class_code"]
    return graph


def test_processes_that_start_anew_are_solved() -> None:
    """By hand: v = d (-1/2 + d v) for going round for ever, against -d for going once.

    d = 9/10: -9/20 / (1 - 81/100) = -45/19 < -9/10. d = 1/2: -1/4 / (3/4) = -1/3 > -1/2. Ending is
    the first choice of the first sweep, for which a restart is worth nothing yet.
    """
    for discount, value, best in [("9/10", Fraction(-45, 19), "repeat"),
                                  (0.5, Fraction(-1, 2), "leave")]:  # fmt: skip
        solved = from_networkx(_with_restart(discount))
        assert solved.values["s"] == solved.values["again"] == value
        assert solved.policy == {"s": "go", "t": best}
        assert solved.tree == odt.Tree.leaf(0)  # only one answer follows "go"


def test_discounts_out_of_range_are_refused() -> None:
    """Going round for ever without a discount has no value."""
    with pytest.raises(odt.ProblemError, match="discount below 1"):
        from_networkx(_with_restart(1))
    for discount in (0, "5/4"):
        with pytest.raises(odt.ProblemError, match="not in"):
            from_networkx(_with_restart(discount))


def test_a_small_process_can_be_drawn() -> None:
    """With CART's tests as actions iris at depth 2 fits in a drawing."""
    X, y = load_iris(return_X_y=True)
    problem = odt.Problem(odt.Dataset(X, y), shape=odt.Shape(max_depth=2))
    axes = odt.plot_process(TreeMDP(problem, CartLeaves(3, last_level="same")))
    assert len(axes.texts) >= 3
