"""The search for a tree as a decision process: a NetworkX graph to look at, change and solve.

Usage: python examples/05_look_at_the_mdp.py [output.png]

States are sets of examples, actions are tests or to stop with a label. CART's tests as actions
keep the graph of iris small enough to draw.
"""

import sys
from fractions import Fraction

import odt
from heuristics.generators import CartLeaves
from odt.mdp import TreeMDP, from_networkx


def main() -> None:
    data = odt.datasets.load_dataset("iris")
    problem = odt.Problem(data, "error + 0.05*expected_tests", odt.Shape(max_depth=2))
    mdp = TreeMDP(problem, CartLeaves(4, last_level="same"))
    graph = mdp.to_networkx()
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    print(f"{kinds.count('state')} states, {kinds.count('action')} actions")

    print("\nActions of the root:")
    root, solved = graph.graph["root"], from_networkx(graph)
    for action in sorted(graph.successors(root), key=solved.values.__getitem__):
        node = graph.nodes[action]
        shares = [graph.edges[action, s]["probability"] for s in graph.successors(action)]
        text = " / ".join(f"{float(Fraction(p)):.2f}" for p in shares)
        print(f"  {node['text']:28} value {float(solved.values[action]):.4f}   goes to {text}")

    print(f"\nBest policy, value {float(solved.values[root]):.4f}:\n{solved.tree.fitted(data)}")

    # What if petal width (feature 3) were three times as expensive to measure?
    for _, node in graph.nodes(data=True):
        if node.get("feature") == 3:
            node["cost"] = 3 * Fraction(node["cost"])
    dear = from_networkx(graph)
    print(f"With a dear petal width, value {float(dear.values[root]):.4f}:")
    print(dear.tree.fitted(data))

    if len(sys.argv) > 1:
        odt.plot_process(mdp).figure.savefig(sys.argv[1], dpi=150)
        print(f"Drawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
