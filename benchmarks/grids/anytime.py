"""Tree and bound over time: `bnb` beside what ConTree has when it is stopped, and `dpdt`.

ConTree reports no bound and no tree on the way, so each of its points is a run of its own that is
stopped after whole seconds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant, peer
from benchmarks.tables import markdown, records, remarks
from odt.experiments import Grid

STOPS = (1, 2, 4, 8, 16, 32)


def grids() -> list[Grid]:
    data = {name: f"continuous/{name}" for name in ("rice", "page")}
    stopped = [peer("contree:ConTreePeer", f"ConTree, {s} s", stop=s) for s in STOPS]
    solvers = [entrant("bnb"), entrant("dpdt"), *stopped]
    return [Grid(data, solvers, [{"max_depth": 3}], time_limit=600, check=False)]


def table(rows: Any) -> str:
    lines = [[row["data"], row["solver"], *last(row)] for row in records(rows)]
    head = ["set", "solver", "seconds", "errors", "bound"]
    return "\n\n".join([markdown(head, lines), remarks(rows)])


def last(row: dict[str, Any]) -> tuple[str, Any, Any]:
    """Return wall seconds, errors and bound at the end of a run."""
    stats = json.loads(row["stats"]) if row["stats"] else {}
    at = stats.get("peer_wall", row["time"])
    return "-" if at is None else f"{at:.2f}", row["cost"], row["cost_bound"]


def draw(rows: Any, path: Path) -> None:
    """Draw a panel for each set."""
    from matplotlib.figure import Figure

    held = records(rows)
    names = list(dict.fromkeys(row["data"] for row in held))
    figure = Figure(figsize=(5 * len(names), 3.5))
    for ax, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for row in (row for row in held if row["data"] == name and row["cost"] is not None):
            if row["solver"] == "bnb":
                times, costs, bounds = zip(*json.loads(row["trace"]), strict=True)
                ax.step(times, costs, where="post", label="bnb, tree")
                ax.step(times, bounds, where="post", label="bnb, bound")
            else:
                mark = "s" if row["solver"] == "dpdt" else "x"
                ax.plot(float(last(row)[0]), row["cost"], mark, label=row["solver"])
        ax.set(xscale="log", xlabel="seconds", ylabel="errors", title=name)
        ax.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


BENCHMARK = Benchmark(
    "Tree and bound over time",
    grids,
    table,
    Selection(("rice",), ("bnb", "dpdt"), (), 20),
    draw=draw,
)
