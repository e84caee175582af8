"""Published results of OCT, BinOCT and MFOCT beside proved optima, row by row.

    ODT_DATA=... python benchmarks/oct_published.py --depths 2,3,4 --limit 60 --output published.csv

Eleven sets, depth 2 to 5, three splits (seeds 37, 42, 53; half of the rows), ten minutes of Gurobi
for each published run. OCT and BinOCT split integer codes at thresholds, MFOCT one-hot columns: two
spaces of trees, so there are two optima. Ours is ``--solver`` (and-or) within ``--limit`` seconds.
The CSV grows row by row, and a run with the same ``--output`` skips the rows it holds. At the end:
how many rows each proved, disagreements with the listed optima, and published rows that claim a
proof (gap 0) for a tree that is worse than the optimum.

Figures: ``reference/lucasbotang_golden.csv``, from the results of github.com/LucasBoTang's code.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from oct_table4 import features
from resumable import append, rows_of
from sklearn.model_selection import train_test_split

import odt

SPACES = {"thresholds": ("thr_err", ("OCT", "BinOCT")), "one-hot": ("onehot_err", ("MFOCT",))}
FIELDS = ("ds", "D", "seed", "space", "status", "errors", "bound", "listed", "cpu")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--depths", default="2,3,4")
    parser.add_argument("--sets", default="", help="all by default")
    parser.add_argument("--solver", default="and-or")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each run")
    parser.add_argument("--output", default="oct_published.csv")
    args = parser.parse_args()
    golden_file = Path(os.environ["ODT_DATA"]) / "reference" / "lucasbotang_golden.csv"
    golden = list(csv.DictReader(golden_file.open()))
    path = Path(args.output)
    done = {tuple(row[k] for k in FIELDS[:4]) for row in rows_of(path)}
    for row in golden:
        if row["D"] not in args.depths.split(",") or row["ds"] not in (args.sets or row["ds"]):
            continue
        for space in SPACES:
            if (row["ds"], row["D"], row["seed"], space) not in done:
                record = prove(row, space, args.solver, args.limit)
                append(path, FIELDS, record)
                print(*record.values(), flush=True)
    summarise(rows_of(path), golden)


def matrix(name: str, space: str) -> tuple[Any, Any]:
    """Return the features of a set in one of the two spaces, and the labels."""
    if name.startswith("monks"):
        folder = Path(os.environ["ODT_DATA"]) / "categorical"
        parts = [pd.read_csv(folder / f"{name}_{part}.csv.gz") for part in ("train", "test")]
        frame = pd.concat(parts)
        y = frame.pop("class").to_numpy()
        X = pd.get_dummies(frame.astype(str)).to_numpy(dtype=float)
    else:
        X, y = features(name)
    if space == "one-hot":
        X = pd.get_dummies(pd.DataFrame(X).astype(str)).to_numpy(dtype=float)
    return X, y


def prove(row: dict[str, str], space: str, solver: str, limit: float) -> dict[str, Any]:
    X, y = matrix(row["ds"], space)
    half, _, labels, _ = train_test_split(X, y, test_size=0.5, random_state=int(row["seed"]))
    shape = odt.Shape(max_depth=int(row["D"]))
    problem = odt.Problem(odt.Dataset(np.asarray(half), labels), "error", shape)
    started = time.process_time()
    result = odt.solve(problem, solver, budget=odt.Budget(time_limit=limit))
    figures = (
        result.status.value,
        result.cost,
        result.cost_bound,
        row[SPACES[space][0]],
        f"{time.process_time() - started:.2f}",
    )
    return dict(zip(FIELDS, (row["ds"], row["D"], row["seed"], space, *figures), strict=True))


def summarise(rows: list[dict[str, str]], golden: list[dict[str, str]]) -> None:
    total, proved = Counter(), Counter()
    for row in rows:
        key = f"depth {row['D']}, {row['space']}"
        total[key] += 1
        if row["status"] == "optimal":
            proved[key] += 1
            if row["errors"] != row["listed"]:
                print("DISAGREES with the listed optimum:", row)
    for key in sorted(total):
        print(f"{key}: {proved[key]} of {total[key]} proved")
    for listed, models in SPACES.values():
        for model in models:
            claims = [row for row in golden if row[f"{model}_gap"] in ("0", "0.0")]
            wrong = [row for row in claims if float(row[f"{model}_err"]) > float(row[listed])]
            print(f"{model}: {len(claims)} rows published as optimal, {len(wrong)} of them are not")
            for row in wrong:
                print(
                    f"  {row['ds']} depth {row['D']} seed {row['seed']}: "
                    f"{row[f'{model}_err']} errors published, optimum {row[listed]}"
                )


if __name__ == "__main__":
    main()
