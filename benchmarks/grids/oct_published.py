"""Published results of OCT, BinOCT and MFOCT beside proved optima, row by row.

Eleven sets, three splits, ten minutes of Gurobi for each published run. OCT and BinOCT split
integer codes at thresholds, MFOCT one-hot columns: two spaces of trees, so there are two optima.
Figures: ``reference/lucasbotang_golden.csv``, from the results of github.com/LucasBoTang's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.data import oct_half, published
from benchmarks.tables import markdown, records, remarks
from odt.experiments import Grid

FILE = "reference/lucasbotang_golden.csv"
SPACES = {"thresholds": ("thr_err", ("OCT", "BinOCT")), "one-hot": ("onehot_err", ("MFOCT",))}


def grids() -> list[Grid]:
    halves = dict.fromkeys((row["ds"], int(row["seed"])) for row in published(FILE))
    data = {
        f"{name}/{seed}/{space}": partial(oct_half, name, space, seed)
        for name, seed in halves
        for space in SPACES
    }
    return [Grid(data, [entrant("and-or")], [{"max_depth": [2, 3, 4]}], time_limit=60)]


def table(rows: Any) -> str:
    golden = {(row["ds"], row["seed"], row["D"]): row for row in published(FILE)}
    held = [
        (*row["data"].split("/"), row["shape"].removeprefix("max_depth="), row)
        for row in records(rows)
    ]
    lines = []
    for depth in dict.fromkeys(depth for *_, depth, _ in held):
        for space, (column, _) in SPACES.items():
            own = [(golden[n, s, d], row) for n, s, at, d, row in held if (at, d) == (space, depth)]
            proofs = [(known, row) for known, row in own if row["status"] == "optimal"]
            differ = sum(float(known[column]) != row["cost"] for known, row in proofs)
            lines.append([depth, space, len(own), len(proofs), differ])
    head = ["depth", "tests", "rows", "proved by `and-or`", "differ from the listed optimum"]
    return "\n\n".join([markdown(head, lines), "\n".join(false_proofs()), remarks(rows)])


def false_proofs() -> Iterator[str]:
    """Yield published rows that claim a proof (gap 0) for a tree worse than the optimum."""
    for listed, models in SPACES.values():
        for model in models:
            claims = [row for row in published(FILE) if row[f"{model}_gap"] in ("0", "0.0")]
            wrong = [row for row in claims if float(row[f"{model}_err"]) > float(row[listed])]
            yield f"- {model}: {len(claims)} rows published as optimal, {len(wrong)} are not"
            for row in wrong:
                yield (
                    f"  - {row['ds']} depth {row['D']} seed {row['seed']}: "
                    f"{row[f'{model}_err']} errors published, optimum {row[listed]}"
                )


BENCHMARK = Benchmark(
    "Results of OCT, BinOCT and MFOCT, checked",
    grids,
    table,
    Selection(("soybean*/37/*", "hayes*/37/*"), (), (2, 3), 10),
)
