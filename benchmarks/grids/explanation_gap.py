"""How much shorter could explanations be at the same error? Greedy trees beside the optimum.

Depth 3; all trees ask thresholds of at most 8 quantiles a feature, so that every solver chooses
among the same tests. First the trees, then for the error of each the least mean explanation size
of any tree that errs no more, proved by DPDT's engine with all tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.tables import markdown, records, remarks
from odt.experiments import Grid

SETS = (
    "iris", "wine", "breast-cancer", "categorical/balance-scale_onehot",
    "categorical/hayes-roth_onehot", "categorical/house-votes-84_onehot",
    "categorical/monks-1_onehot", "categorical/tic-tac-toe_onehot", "categorical/spect_onehot",
    "continuous/raisin", "continuous/bank", "serdt/obs_network",
)  # fmt: skip
HEURISTICS = ("cart", "ser-dt", "ec2", "dpdt")
EXACT = entrant("dpdt", "exact", generator="all")
TREES = {"quantiles": 8, "max_depth": 3}


def grids() -> list[Grid]:
    data = {name: name for name in SETS}
    best = [{"objective": "error, explanation_size", **TREES}]
    return [
        Grid(data, list(map(entrant, HEURISTICS)), [{"objective": "error", **TREES}]),
        Grid(data, [EXACT], best, time_limit=300),
    ]


def then(rows: Any) -> list[Grid]:
    """Ask for the shortest explanations at the error of each tree."""
    found = rows[rows["solver"] != "exact"].groupby("data", sort=False)["error"].unique()
    return [
        Grid(
            {name: name},
            [EXACT],
            [{"objective": "explanation_size", "max_error": sorted(errors), **TREES}],
            time_limit=300,
        )
        for name, errors in found.items()
    ]


def table(rows: Any) -> str:
    lines = [
        [name, *(f"{e:.3f}: {size:.2f} ({least})" for e, size, least in found.values())]
        for name, found in points(rows).items()
    ]
    return "\n\n".join([markdown(["set", *HEURISTICS, "least error"], lines), remarks(rows)])


def points(rows: Any) -> dict[str, dict[str, tuple[float, float, str]]]:
    """Return for each set and tree error, explanation size and the least size at that error."""
    held = records(rows)
    least = {
        (row["data"], error_of(row["shape"])): f"{row['objective']:.2f}"
        for row in held
        if row["minimise"] == "explanation_size" and row["status"] == "optimal"
    }
    found: dict[str, dict[str, tuple[float, float, str]]] = {}
    for row in held:
        if row["minimise"] != "explanation_size" and row["error"] is not None:
            size = row["explanation_size"]
            known = f"{size:.2f}" if row["status"] == "optimal" else "?"
            known = least.get((row["data"], row["error"]), known)
            found.setdefault(row["data"], {})[row["solver"]] = (row["error"], size, known)
    return found


def error_of(shape: str) -> float:
    return float(shape.partition("max_error=")[2].partition(",")[0])


def draw(rows: Any, path: Path) -> None:
    """Draw for each set what every tree uses, and how little would do."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 9), layout="constrained")
    panels, found = figure.subplots(3, 4).flat, points(rows)
    for ax, (name, trees) in zip(panels, found.items(), strict=False):
        for i, (solver, (error, size, known)) in enumerate(trees.items()):
            least = size if known == "?" else float(known)
            ax.plot([error, error], [least, size], color=f"C{i}", alpha=0.5)
            ax.scatter([error], [size], color=f"C{i}", label=solver, zorder=3)
            ax.scatter([error], [least], color=f"C{i}", marker="_", s=120, zorder=3)
        ax.set_title(name.rpartition("/")[2].removesuffix("_onehot"), fontsize=10)
        ax.set(xlabel="training error", ylabel="mean explanation size")
        ax.legend(fontsize=7)
    figure.suptitle(
        "Dots: trees of depth 3. Bars: least explanation size at the same error, proved"
    )
    figure.savefig(path, dpi=110)


BENCHMARK = Benchmark(
    "How much shorter could explanations be?",
    grids,
    table,
    Selection(("iris", "wine"), (), (), 20),
    then,
    draw,
)
