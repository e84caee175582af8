"""What the reward zeta of a question buys: accuracy for questions, on wine.

Usage: python examples/15_what_zeta_buys.py [output.png]

The boxes are built once. A larger zeta makes questions cheaper, until asking pays by itself.
"""

import sys
import warnings

import odt
from heuristics.rl.boxes import Boxes
from heuristics.rl.planning import PaddingWarning
from heuristics.rl.process import OIBMDP


def main() -> None:
    boxes = Boxes.of(odt.datasets.load_dataset("wine"), max_depth=4)
    print(f"{boxes.n_states} boxes of wine\n")
    print("  zeta    return  questions  depth  accuracy  questions on average")
    bought = []
    for zeta in (-1.0, -0.6, -0.2, 0.0, 0.2, 0.6, 0.9, 0.99):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PaddingWarning)
            best = OIBMDP(boxes, zeta).solve()
        asked = best.questions
        bought.append((asked.expected_questions, asked.accuracy, zeta))
        note = f"  only {best.tree.n_branches} of them separate anything" if caught else ""
        print(
            f"{zeta:6.2f} {best.returned:9.4f} {asked.n_questions:10} {asked.depth:6}"
            f" {asked.accuracy:9.4f} {asked.expected_questions:12.3f}{note}"
        )
    rate = OIBMDP(boxes, 0.2, gamma=1, criterion="rate").solve()
    price = (rate.returned - 0.2) / 2
    print(
        f"\nWithout discount, zeta 0.2 is a price of {price:.4f} errors for a question: "
        f"accuracy {rate.questions.accuracy:.4f}, {rate.questions.expected_questions:.3f} asked."
    )

    if len(sys.argv) > 1:
        draw(bought, sys.argv[1])
        print(f"Drawn: {sys.argv[1]}")


def draw(bought: list[tuple[float, float, float]], picture: str) -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    ax.plot([asked for asked, _, _ in bought], [accuracy for _, accuracy, _ in bought], "o-")
    places: dict[tuple[float, float], list[float]] = {}
    for asked, accuracy, zeta in bought:
        places.setdefault((asked, accuracy), []).append(zeta)
    for place, zetas in places.items():
        text = "zeta " + ", ".join(f"{zeta:g}" for zeta in zetas)
        ax.annotate(text, place, (6, -12), textcoords="offset points")
    ax.set(xlabel="questions on average", ylabel="accuracy")
    ax.margins(0.15)
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    main()
