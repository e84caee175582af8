"""How far is a heuristic from the optimum? A table of gaps for three UCI datasets.

Usage: python examples/02_compare_solvers.py [seconds a solver may take, 6 by default] [output.png]
"""

import sys
import time

from rich.console import Console
from rich.table import Table

import odt

DATASETS = ("iris", "wine", "breast-cancer")
DEPTHS = (2, 3)
SOLVERS = ("cart", "dpdt", "bnb", "dp", "cp-sat")


def main(seconds: float, picture: str | None) -> None:
    started = time.perf_counter()
    tables = {}
    warm_up()
    table = Table("data", "depth", "solver", "errors", "error", "bound", "gap", "time", box=None)
    for name in DATASETS:
        data = odt.datasets.load_dataset(name)
        for depth in DEPTHS:
            problem = odt.Problem(data, "error", odt.Shape(max_depth=depth))
            # Exact solvers start from the best heuristic tree, so none of them ends worse.
            result = odt.compare(
                problem, SOLVERS, budget=odt.Budget(time_limit=seconds), warm_start=True
            )
            tables[f"{name}, depth {depth}"] = result
            for row in result.to_dict("records"):
                table.add_row(name, str(depth), *cells(row, data.n_samples))
            table.add_row()
    Console(width=80).print(table)
    print(
        f"bound: no tree of this depth has a lower error; the best that any solver proved in "
        f"{seconds:g} s.\ngap: (error - bound) / error, so what the tree loses at most. cart and "
        f"dpdt are heuristics.\nTotal: {time.perf_counter() - started:.0f} s"
    )
    if picture is not None:
        draw(tables, picture)
        print(f"Drawn: {picture}")


def draw(tables: dict, picture: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(DATASETS), len(DEPTHS), figsize=(11, 8), layout="constrained")
    for ax, (title, table) in zip(axes.flat, tables.items(), strict=True):
        odt.plot_gaps(table, ax)
        ax.set_title(title, pad=18)
    figure.savefig(picture, dpi=150)


def warm_up() -> None:
    """Compile the search kernels, which happens once after an installation."""
    tiny = odt.Problem(odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 0]), shape=odt.Shape(max_depth=3))
    odt.compare(tiny, SOLVERS)


def cells(row: dict, n_samples: int) -> list[str]:
    if row["error"] is None or row["error"] != row["error"]:
        return [row["solver"], "-", "-", "-", row["status"], "-"]
    gap = row["gap_to_best_bound"]
    gap = 1.0 if gap is None or gap != gap else gap  # no solver proved a bound in time
    bound = row["error"] * (1 - gap)
    return [
        row["solver"],
        f"{row['error'] * n_samples:.0f} of {n_samples}",
        f"{row['error']:.4f}",
        f"{bound:.4f}",
        "optimal" if gap == 0 else f"{gap:.1%}",
        f"{row['time']:.2f} s",
    ]


if __name__ == "__main__":
    main(
        float(sys.argv[1]) if len(sys.argv) > 1 else 6.0,
        sys.argv[2] if len(sys.argv) > 2 else None,
    )
