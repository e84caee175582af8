"""A front of breast cancer in which each point is proved, and a choice by cross-validation.

Usage: python examples/19_certified_front.py [output.png]

Branch and bound proves the trees that some price of a node makes best, at depth 3. DPDT's one pass
is quicker and proves nothing: what it misses is listed. Ten-fold cross-validation chooses, with
and without the rule of one standard error, and only then the test part is looked at.
"""

import sys

import odt
from odt.experiments.parts import Part


def accuracy(tree: odt.Tree, data: odt.Dataset) -> float:
    """Share of rows that a tree predicts right."""
    return float((tree.predict_codes(data.X) == data.y).mean())


def main() -> None:
    data = odt.datasets.load_dataset("breast-cancer")
    train, test = Part(0, 1, test_size=0.3).of_data(data)
    problem = odt.Problem(train, shape=odt.Shape(max_depth=3))

    proved = odt.pareto(problem, "error,size", solver="bnb")
    quick = odt.pareto(problem, "error,size")
    print(f"{proved}\n{quick}\n\nerror   size  proved  DPDT found it")
    found = {tuple(point.values.values()) for point in quick.points}
    for point in proved.points:
        error, size = point.values.values()
        print(f"{error:.4f} {size:5} {point.certified!s:>7}  {(error, size) in found}")

    for rule in (False, True):
        choice = odt.choose(
            problem, "error,size", solver="bnb", cv=10, one_standard_error=rule, random_state=1
        )
        name = "one standard error" if rule else "best mean"
        print(f"\n{name}: {choice}, test accuracy {accuracy(choice.tree, test):.4f}")
    print(f"\n{choice.tree}")

    if len(sys.argv) > 1:
        axes = odt.plot_front({"bnb, proved": proved, "DPDT, one pass": quick})
        axes.figure.savefig(sys.argv[1], dpi=150)
        print(f"Drawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
