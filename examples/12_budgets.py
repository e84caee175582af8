"""Budgets: the best tree of at most so many nodes, over DPDT's search space and over all trees.

Dynamic programming finds the best tree of DPDT's space for one price of complexity. A budget
couples the two sides of every test; over the AND/OR graph it is one more row of a linear program.

Usage: python examples/12_budgets.py [output.png]
"""

import sys

import odt
from formulations.linear.and_or import AndOr

data = odt.datasets.load_dataset("iris")
tests = odt.TestSet.quantiles(data, 12)
print("errors of 150 within a budget of nodes, depth at most 3, 12 thresholds a feature\n")
print(f"{'nodes':>5s} {'DPDT space':>11s} {'all trees':>10s} {'proved':>7s}")
rows = []
for budget in (3, 5, 7, 9, 15):
    problem = odt.Problem(data, "error", odt.Shape(max_depth=3, max_nodes=budget), tests)
    space = odt.solve(problem, AndOr(generator="cart_leaves(8)"))
    everything = odt.solve(problem, "and-or", budget=odt.Budget(time_limit=20))
    rows.append((budget, space.cost, everything.cost))
    proved = everything.status is odt.Status.OPTIMAL
    print(f"{budget:5d} {space.cost:11d} {everything.cost:10d} {proved!s:>7s}")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    nodes, in_space, among_all = zip(*rows, strict=True)
    figure, ax = plt.subplots()
    ax.plot(nodes, in_space, "o-", label="DPDT's space")
    ax.plot(nodes, among_all, "s--", label="all trees")
    ax.set(xlabel="nodes allowed", ylabel="errors of 150", xticks=nodes)
    ax.legend()
    figure.savefig(sys.argv[1], dpi=150)
    print(f"Drawn: {sys.argv[1]}")
