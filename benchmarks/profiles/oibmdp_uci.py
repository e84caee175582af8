"""Exact OIBMDP trees on UCI data beside published ones, CART and DPDT.

    ODT_DATA=... python -m benchmarks.profiles.oibmdp_uci [--sets wine,banknote] [--plot uci.png]

Whole sets, p 1, gamma 0.99. One build serves all prices. Published trees: the best of five runs
of two million steps, read from arXiv 2304.05839; CUSTARD has at most 2 nodes on wine and up to 13
on banknote there. CART and DPDT choose their thresholds freely.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import NamedTuple

import odt
from heuristics.rl.boxes import Boxes
from heuristics.rl.policies import Policy
from heuristics.rl.process import OIBMDP

PUBLISHED = "DQNDT (published)"
STYLES = {"OIBMDP": "o-b", PUBLISHED: "sk", "DPDT": "o-g", "CART": "sr"}
ZETAS = (-1.0, -0.6, -0.2, 0.0, 0.2, 0.6, 0.8, 0.9)


class Setting(NamedTuple):
    """A dataset, its largest depth, and the nodes and accuracy of the published DQNDT tree."""

    dataset: str
    max_depth: int
    published: tuple[int, float] | None


SETS = {
    "iris": Setting("iris", 5, None),
    "wine": Setting("wine", 4, (4, 0.82)),
    "banknote": Setting("serdt/banknote", 5, (4, 0.87)),
    "early-diabetes": Setting("categorical/early-diabetes", 5, (1, 0.80)),
}


def sweep(boxes: Boxes) -> list[tuple[float, Policy]]:
    """Solve for every price and print a line each."""
    found = []
    print("  zeta        V0  questions  branches  depth  accuracy  asked  passes  CPU s")
    for zeta in ZETAS:
        started = time.process_time()
        best = OIBMDP(boxes, zeta).solve()
        seconds, asked = time.process_time() - started, best.questions
        mark = " padding" if best.padding_pays else ""
        print(
            f"{zeta:6.1f} {best.returned:9.4f} {asked.n_questions:10} {best.tree.n_branches:9}"
            f" {asked.depth:6} {asked.accuracy:9.4f} {asked.expected_questions:6.3f}"
            f" {best.passes:7} {seconds:6.2f}{mark}",
            flush=True,
        )
        found.append((zeta, best))
    return found


def others(data: odt.Dataset, max_depth: int) -> dict[str, list[tuple[int, float]]]:
    """Print and return branches and accuracy of CART and of DPDT's front."""
    problem = odt.Problem(data, shape=odt.Shape(max_depth=max_depth))
    front = odt.pareto(problem)
    points = {"DPDT": [(p.tree.n_branches, 1 - p.values["error"]) for p in front.points]}
    cart = odt.solve(problem, "cart")
    assert cart.tree is not None
    points["CART"] = [(cart.tree.n_branches, 1 - float(cart.objective))]
    for name, found in points.items():
        shown = ", ".join(f"{n}: {a:.4f}" for n, a in sorted(found)[:12])
        print(f"  {name} branches: accuracy  {shown}")
    return points


def plot(results: dict[str, dict[str, list[tuple[int, float]]]], path: str) -> None:
    """Draw accuracy against branches, a panel for each set."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(4 * len(results), 3.5), squeeze=False)
    for ax, (name, series) in zip(axes[0], results.items(), strict=True):
        for label, points in series.items():
            drawn = zip(*sorted(points), strict=True)
            ax.plot(*drawn, STYLES[label], label=label, alpha=0.8, markersize=4)
        ax.set_title(name)
        ax.set_xlabel("branches")
        ax.set_xlim(-0.5, 24)
    axes[0][0].set_ylabel("training accuracy")
    drawn_as = {line.get_label(): line for ax in axes[0] for line in ax.lines}
    axes[0][-1].legend(drawn_as.values(), drawn_as.keys())
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--plot", metavar="PNG")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # padding is marked in the table
    Boxes.of(odt.datasets.load_dataset("iris"), max_depth=1)  # loads the kernels
    results: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for name in options.sets.split(","):
        setting = SETS[name]
        data = odt.datasets.load_dataset(setting.dataset)
        started = time.process_time()
        boxes = Boxes.of(data, max_depth=setting.max_depth)
        seconds = time.process_time() - started
        print(f"\n{name}, M = {setting.max_depth}: {boxes.n_states} boxes in {seconds:.2f} CPU s")
        found = sweep(boxes)
        results[name] = {"OIBMDP": [(b.tree.n_branches, b.questions.accuracy) for _, b in found]}
        if setting.published:
            print(f"  DQNDT, published: {setting.published[0]}: {setting.published[1]:.2f}")
            results[name][PUBLISHED] = [setting.published]
        results[name] |= others(data, setting.max_depth)
    if options.plot:
        plot(results, options.plot)
        print(f"Drawn: {options.plot}")


if __name__ == "__main__":
    main()
