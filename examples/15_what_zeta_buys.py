"""What the reward zeta of a question buys: accuracy for questions, on wine.

Usage: python examples/15_what_zeta_buys.py

The boxes are built once. A larger zeta makes questions cheaper, until asking pays by itself.
"""

import warnings

import odt
from heuristics.rl.boxes import Boxes
from heuristics.rl.planning import PaddingWarning
from heuristics.rl.process import OIBMDP


def main() -> None:
    boxes = Boxes.of(odt.datasets.load_dataset("wine"), max_depth=4)
    print(f"{boxes.n_states} boxes of wine\n")
    print("  zeta    return  questions  depth  accuracy  questions on average")
    for zeta in (-1.0, -0.6, -0.2, 0.0, 0.2, 0.6, 0.9, 0.99):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PaddingWarning)
            best = OIBMDP(boxes, zeta).solve()
        asked = best.questions
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


if __name__ == "__main__":
    main()
