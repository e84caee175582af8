"""How much a minimal support set can lose: Theorems 16 and 17 of Eiben et al. (IJCAI 2023).

Usage: python examples/07_support_sets.py [output.png]
"""

import sys

import odt
from odt.testing.consistent import alternating_with_hint, parity_with_hint
from odt.transform import SupportSets, restrict


def least(problem: odt.Problem) -> int:
    return odt.solve(problem, "min-size").tree.n_branches


def main() -> None:
    print("Parity of k bits with a hint that is wrong once (Theorem 16, binary features):")
    for k in range(2, 6):
        show(f"k={k}", parity_with_hint(k))
    print("\nAn alternating line with a hint that is wrong once (Theorem 17, one numeric feature):")
    for n in (4, 8, 16):
        show(f"n={n}", alternating_with_hint(n))

    problem = odt.Problem(alternating_with_hint(8), "size", odt.Shape(max_error=0.0))
    print("\nThe solver support-set says itself that it is a heuristic:")
    table = odt.compare(problem, ["min-size", "support-set"])
    print(table[["solver", "status", "objective"]])

    if len(sys.argv) > 1:
        odt.plot_gaps(table).figure.savefig(sys.argv[1], dpi=150)
        print(f"Drawn: {sys.argv[1]}")


def show(name: str, data: odt.Dataset) -> None:
    problem = odt.Problem(data, "size", odt.Shape(max_error=0.0))
    sets = SupportSets(problem)
    (only,) = sets.minimal(data.n_features)
    within, full = least(restrict(problem, only)), least(problem)
    print(f"  {name:5s} delta_max {sets.delta_max:2d}, the minimal support set {only}:")
    print(f"        {within} branches, with all features {full}")


if __name__ == "__main__":
    main()
