"""Choose a tree from the Pareto front of accuracy against expected tests, on breast cancer.

Usage: python examples/04_choose_from_the_front.py [output.png]

One search gives the best tree for every price of a test. CART's prunings are drawn beside them.
The tree is chosen on a validation part, and only then looked at on the test part.
"""

import sys

import numpy as np

import odt

GENERATOR = "cart_leaves(16)"


def parts(data: odt.Dataset, seed: int) -> list[odt.Dataset]:
    """Split 50 / 25 / 25."""
    order = np.random.default_rng(seed).permutation(data.n_samples)
    cuts = [data.n_samples // 2, 3 * data.n_samples // 4]
    labels = np.array(data.classes)[data.y]
    return [
        odt.Dataset(data.X[rows], labels[rows], feature_names=data.feature_names)
        for rows in np.split(order, cuts)
    ]


def score(tree: odt.Tree, data: odt.Dataset) -> tuple[float, float]:
    """Accuracy and average number of tests on other data."""
    truth = np.array(data.classes)[data.y]
    accuracy = float((tree.predict(data.X) == truth).mean())
    return accuracy, float(tree.node_depth[tree.apply(data.X)].mean())


def main() -> None:
    train, validation, test = parts(odt.datasets.load_dataset("breast-cancer"), seed=1)
    problem = odt.Problem(train, shape=odt.Shape(max_depth=4))
    dpdt = odt.pareto(problem, generator=GENERATOR)
    cart = odt.pareto(problem, generator="cart_depth(1, 'gini', 'same')")

    print("alpha from      train accuracy  tests   validation accuracy")
    for point in dpdt.points:
        assert point.alphas is not None
        accuracy, _ = score(point.tree, validation)
        low = float(point.alphas[0])
        error, tests = point.values.values()
        print(f"{low:10.4f} {1 - error:14.4f} {tests:10.2f} {accuracy:12.4f}")

    def merit(point: odt.ParetoPoint) -> tuple[float, float]:
        return score(point.tree, validation)[0], -point.values["expected_tests"]

    chosen, greedy = max(dpdt.points, key=merit), max(cart.points, key=merit)
    for name, point in (("DPDT", chosen), ("CART", greedy)):
        accuracy, tests = score(point.tree, test)
        print(
            f"\n{name}, chosen on validation data: test accuracy {accuracy:.4f}, {tests:.2f} tests"
        )
    print(f"\n{chosen.tree}")

    if len(sys.argv) > 1:
        odt.plot_front({"DPDT": dpdt, "CART": cart}).figure.savefig(sys.argv[1], dpi=150)
        print(f"Drawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
