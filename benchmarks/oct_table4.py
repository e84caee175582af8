"""Table 4 of the paper: DPDT on the small categorical sets of the OCT benchmarks, depth 5.

    ODT_DATA=... python benchmarks/oct_table4.py [--sets spect,hayes-roth]

Training accuracy in %, mean over the splits of seeds 37, 42 and 53, error alone, features made
from the raw files as the paper's figures imply. Published columns: arXiv 2309.12701, Table 4
(the integer programs had one hour of Gurobi each). With ``--proofs SECONDS`` the last column is the
optimum of each split, proved by the AND/OR program (and-or), or its best tree and bound.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import odt

PUBLISHED = {  # DPDT-4, DPDT-5, OCT, MFOCT, BinOCT, CART
    "balance-scale": (90.9, 91.0, 71.8, 82.6, 67.5, 86.5),
    "breast-cancer": (94.2, 94.7, 88.6, 91.1, 75.4, 87.9),
    "car-evaluation": (92.2, 92.2, 70.1, 80.4, 84.0, 87.1),
    "hayes-roth": (93.3, 94.2, 82.9, 95.4, 64.6, 76.7),
    "house-votes-84": (100.0, 100.0, 100.0, 100.0, 100.0, 99.4),
    "soybean-small": (100.0, 100.0, 100.0, 100.0, 76.8, 100.0),
    "spect": (93.0, 93.0, 92.5, 93.0, 92.2, 88.5),
    "tic-tac-toe": (90.8, 91.1, 68.5, 76.1, 85.7, 85.8),
}
FACTORIZED = ("car-evaluation", "breast-cancer", "house-votes-84")
ONE_HOT = {
    "hayes-roth": [0, 3],
    "soybean-small": [0, 5, 8, 12, 13, 14, 17, 20, 21, 23, 25, 27, 28, 34],
    "tic-tac-toe": list(range(8)),
}
SEEDS = (37, 42, 53)


def features(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the features as the paper encodes them, and the labels."""
    path = Path(os.environ["ODT_DATA"]) / "categorical" / f"{name}.csv.gz"
    frame = pd.read_csv(path)
    y = frame.pop("class")
    if name in FACTORIZED:
        complete = ~(frame.astype(str) == "?").any(axis=1)
        if name == "car-evaluation":
            complete[:] = True
        frame, y = frame[complete], y[complete]
        frame = frame.apply(lambda column: pd.factorize(column)[0])
    elif name in ONE_HOT:
        chosen = [frame.columns[i] for i in ONE_HOT[name]]
        if name == "tic-tac-toe":
            frame = frame[chosen]  # the ninth square is left out
        frame = pd.get_dummies(frame, columns=chosen)
    return frame.to_numpy(dtype=float), y.to_numpy()


def accuracy(X: np.ndarray, y: np.ndarray, solver: str, **options: str) -> float:
    problem = odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=5))
    result = odt.solve(problem, solver, **options)
    assert isinstance(result.objective, float)
    return 100 * (1 - result.objective)


def optimum(trains: list[tuple[np.ndarray, np.ndarray]], seconds: float) -> str:
    """Return the mean of the proved optima, or of the best trees and of the bounds."""
    errors, bounds, size = 0, 0, 0
    for X, y in trains:
        problem = odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=5))
        result = odt.solve(problem, "and-or", budget=odt.Budget(time_limit=seconds))
        errors += result.cost or 0
        bounds += result.cost_bound or 0
        size += len(y)
    best, most = 100 * (1 - errors / size), 100 * (1 - bounds / size)
    return f"{best:.1f}" if errors == bounds else f"{best:.1f} to {most:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(PUBLISHED))
    parser.add_argument("--proofs", type=float, help="seconds for each proof of the optimum")
    args = parser.parse_args()
    print("set             CART ours  DPDT-4 ours  DPDT-5 ours  CPU s |   OCT MFOCT BinOCT", end="")
    print("        optimum" if args.proofs else "")
    for name in args.sets.split(","):
        X, y = features(name)
        parts = [train_test_split(X, y, test_size=0.5, random_state=seed) for seed in SEEDS]
        trains = [(part[0], part[2]) for part in parts]
        started = time.process_time()
        four, five = (
            np.mean([accuracy(*train, "dpdt", generator=g) for train in trains])
            for g in ("DPDT-4", "DPDT-5")
        )
        seconds = time.process_time() - started
        cart = np.mean([accuracy(*train, "cart", criterion="entropy") for train in trains])
        p4, p5, oct_, mfoct, binoct, greedy = PUBLISHED[name]
        print(
            f"{name:15} {greedy:4.1f} {cart:4.1f} {p4:7.1f} {four:5.1f} {p5:6.1f} {five:5.1f}"
            f" {seconds:6.1f} | {oct_:5.1f} {mfoct:5.1f} {binoct:6.1f}"
            f" {optimum(trains, args.proofs) if args.proofs else '':>14}",
            flush=True,
        )


if __name__ == "__main__":
    main()
