"""How much shorter could explanations be at the same error? Greedy trees beside the optimum.

    ODT_DATA=... python benchmarks/explanation_gap.py [--sets iris,wine] [--picture gap.png]

Depth 3; all trees ask thresholds of at most ``--quantiles`` quantiles a feature, so that every
solver chooses among the same tests. For each heuristic tree the last column is the least mean
explanation size of any tree that errs no more, proved by DPDT's engine with all tests; "least
error" is the optimum of ``error, explanation_size``. The picture joins each tree to that optimum.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import odt

SETS = (
    "iris",
    "wine",
    "breast-cancer",
    "categorical/balance-scale_onehot",
    "categorical/hayes-roth_onehot",
    "categorical/house-votes-84_onehot",
    "categorical/monks-1_onehot",
    "categorical/tic-tac-toe_onehot",
    "categorical/spect_onehot",
    "continuous/raisin",
    "continuous/bank",
    "serdt/obs_network",
)
HEURISTICS = ("cart", "ser-dt", "ec2", "dpdt")
DEPTH = 3
Point = tuple[float, float, float]


def exact(data: odt.Dataset, tests: odt.TestSet, objective: str, **limits: float) -> Any:
    """Solve by DPDT's engine over all tests, with its proof."""
    problem = odt.Problem(data, objective, odt.Shape(max_depth=DEPTH, **limits), tests)
    return odt.solve(problem, "dpdt", generator="all", budget=odt.Budget(time_limit=300))


def point(tree: odt.Tree, data: odt.Dataset) -> Point:
    """Error, expected tests, explanation size."""
    found = tree.measures(data)
    return found["error"], found["expected_tests"], found["explanation_size"]


def compare(name: str, quantiles: int) -> list[tuple[str, Point, float]]:
    """Return each tree with the least explanation size at its error, and print them."""
    data = odt.datasets.load_dataset(name)
    tests = odt.TestSet.quantiles(data, quantiles)
    problem = odt.Problem(data, "error", odt.Shape(max_depth=DEPTH), tests)
    started, rows = time.process_time(), []
    for solver in HEURISTICS:
        found = point(odt.solve(problem, solver).tree, data)
        shortest = exact(data, tests, "explanation_size", max_error=found[0])
        proved = shortest.status is odt.Status.OPTIMAL
        rows.append((solver, found, shortest.objective if proved else float("nan")))
    best = exact(data, tests, "error, explanation_size")
    label = "least error" if best.status is odt.Status.OPTIMAL else "best found"
    rows.append((label, point(best.tree, data), best.objective[1]))
    for label, (error, expected, size), least in rows:
        print(f"{name:34} {label:12} {error:6.3f} {expected:6.2f} {size:6.2f} {least:6.2f}")
    print(f"{'':34} {time.process_time() - started:.1f} CPU s", flush=True)
    return rows


def draw(found: dict[str, list[tuple[str, Point, float]]], path: str) -> None:
    """Draw for each set what every tree uses, and how little would do."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 4, figsize=(14, 9), constrained_layout=True)
    for ax, (name, rows) in zip(axes.flat, found.items(), strict=False):
        for i, (solver, (error, _, size), least) in enumerate(rows):
            ax.plot([error, error], [least, size], color=f"C{i}", alpha=0.5)
            ax.scatter([error], [size], color=f"C{i}", label=solver, zorder=3)
            ax.scatter([error], [least], color=f"C{i}", marker="_", s=120, zorder=3)
        ax.set_title(name.rpartition("/")[2].removesuffix("_onehot"), fontsize=10)
        ax.set_xlabel("training error")
        ax.set_ylabel("mean explanation size")
    for ax in axes.flat[len(found) :]:
        ax.set_axis_off()
    axes.flat[0].legend(fontsize=8)
    figure.suptitle(
        "Dots: trees of depth 3. Bars: least explanation size at the same error, proved"
    )
    figure.savefig(path, dpi=110)
    print(f"Drawn: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--quantiles", type=int, default=8)
    parser.add_argument("--picture")
    given = parser.parse_args()
    print(
        "set                                tree          error  tests   expl  least at that error"
    )
    found = {name: compare(name, given.quantiles) for name in given.sets.split(",")}
    if given.picture:
        draw(found, given.picture)


if __name__ == "__main__":
    main()
