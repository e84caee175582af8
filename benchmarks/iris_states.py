"""Figure 1 of the paper: size of the search space against the accuracy it allows, on iris.

    python benchmarks/iris_states.py [--depth 3] [--output iris_states.png]

For each generator: the states of the decision process, counted as distinct (set, depth left)
pairs, and the training accuracy of the best tree. CART's tests reach the optimum with a hundredth
of the states of all tests.
"""

from __future__ import annotations

import argparse

import odt

GENERATORS = (
    "cart_depth(1, last_level='same')",
    "cart_depth(2, last_level='same')",
    "cart_depth(3, last_level='same')",
    "cart_depth(4, last_level='same')",
    "cart_leaves(8, last_level='same')",
    "cart_leaves(16, last_level='same')",
    "cart_leaves(8)",
    "top(3, last_level='same')",
    "top(10, last_level='same')",
    "top(20, last_level='same')",
    "quantiles(3, last_level='same')",
    "quantiles(8, last_level='same')",
    "all",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--output")
    options = parser.parse_args()
    data = odt.datasets.load_dataset("iris")
    problem = odt.Problem(data, "error", odt.Shape(max_depth=options.depth))
    print("generator                              states   accuracy   seconds")
    points = []
    for generator in GENERATORS:
        result = odt.solve(problem, "dpdt", generator=generator)
        assert isinstance(result.objective, float)
        states, accuracy = result.stats["stored_states"], 1 - result.objective
        points.append((generator, states, accuracy))
        print(f"{generator:36} {states:8} {accuracy:10.4f} {result.runtime['solve']:9.3f}")
    if options.output:
        draw(points, options.output)


def draw(points: list[tuple[str, int, float]], path: str) -> None:
    import matplotlib.pyplot as plt

    for name, states, accuracy in points:
        plt.plot(states, accuracy, "o")
        plt.annotate(name, (states, accuracy), fontsize=6, rotation=15)
    plt.xscale("log")
    plt.xlabel("states")
    plt.ylabel("training accuracy")
    plt.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
