"""The smallest and the lowest tree without errors, with certificates that anybody can check."""

import numpy as np

import odt

CONSISTENT = odt.Shape(max_error=0.0)


def main() -> None:
    data = odt.datasets.load_dataset("wine")
    for objective in ("size, depth", "depth, size"):
        problem = odt.Problem(data, objective, CONSISTENT)
        result = odt.solve(problem, "min-size")
        tree = result.tree
        print(f"\n{objective}: {tree.n_branches} branches, depth {tree.depth}, "
              f"{result.status.value} in {result.runtime['total']:.2f} s")  # fmt: skip
        print(tree)

    greedy = odt.solve(odt.Problem(data, "error, size"), "cart").tree
    print(f"\nCART without limits needs {greedy.n_branches} branches, depth {greedy.depth}.")

    result = odt.solve(odt.Problem(data, "size", CONSISTENT), "min-size")
    print("\nWhy it takes several branches, in integers. Each pair of wines below has two classes;")
    print(
        "every tree must separate it, and no test separates pairs of more than one unit of weight."
    )
    compiled, dual = result.problem.compiled, result.stats["dual"]
    one, two = np.array(dual["groups"]).T
    weight = np.array(dual["weights"])
    labels = compiled.weights.argmax(axis=1)
    assert (labels[one] != labels[two]).all()
    load = weight @ (compiled.outcomes[one] ^ compiled.outcomes[two])
    print(f"{len(weight)} pairs of weight {weight.sum()}, unit {dual['unit']}, heaviest test")
    print(f"{load.max()}: at least {-(-weight.sum() // dual['unit'])} branches.")
    print(f"The search proved the rest: {result.bound:.0f} nodes are needed.")


if __name__ == "__main__":
    main()
