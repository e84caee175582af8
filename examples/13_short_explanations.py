"""Two trees of equal accuracy and different explanations, side by side, on iris.

Usage: python examples/13_short_explanations.py [output.png]

CART, and the tree of least explanation size among those that err no more, proved. In the drawing
every test and the ways out of it have the colour of the feature, so a path shows as many colours as
its explanation has conditions.
"""

import sys

import numpy as np

import odt


def main() -> None:
    data = odt.datasets.load_dataset("iris")
    tests = odt.TestSet.quantiles(data, 8)
    cart = odt.solve(odt.Problem(data, "error", odt.Shape(max_depth=3), tests), "cart").tree
    assert cart is not None
    error = cart.measures(data)["error"]
    shape = odt.Shape(max_depth=3, max_error=error)
    shortest = odt.solve(
        odt.Problem(data, "explanation_size, error", shape, tests), "dpdt", generator="all"
    )
    short = shortest.tree
    assert short is not None

    print("                error   tests  explanation size (mean, worst)")
    for name, tree in (("CART", cart), ("shortest", short)):
        m = tree.measures(data)
        print(
            f"{name:14} {m['error']:6.3f} {m['expected_tests']:7.2f} "
            f"{m['explanation_size']:7.2f}, {m['worst_explanation_size']}"
        )
    print(f"status of the second: {shortest.status.value}")

    agree = cart.predict(data.X) == short.predict(data.X)
    longer = [len(cart.explain(x)) - len(short.explain(x)) for x in data.X]
    row = int(np.argmax(np.where(agree, longer, -1)))
    for name, tree in (("CART", cart), ("shortest", short)):
        *conditions, label = tree.explain(data.X[row])
        print(f"\nflower {row} by {name}: {label}, because")
        print("\n".join(f"    {condition}" for condition in conditions))

    if len(sys.argv) > 1:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 2, figsize=(20, 5), constrained_layout=True)
        for ax, (name, tree) in zip(axes, (("CART", cart), ("shortest", short)), strict=True):
            odt.plot_tree(tree, ax, colour="feature")
            size = tree.measures(data)["explanation_size"]
            ax.set_title(
                f"{name}: error {tree.measures(data)['error']:.3f}, explanation {size:.2f}"
            )
        figure.savefig(sys.argv[1], dpi=110)
        print(f"\nDrawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
