"""Tree and bound over time: a picture of `bnb` beside what ConTree has when it is stopped.

    python -m venv /tmp/peers && /tmp/peers/bin/pip install pycontree==1.0.8 pandas
    ODT_DATA=... python benchmarks/bnb_anytime.py --peer /tmp/peers/bin/python --out picture.png

Wall seconds, one thread. ConTree reports no bound and no tree on the way, so each of its points is
a run of its own with that time limit (whole seconds). `dpdt` is one point: when it ends.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import odt

PEER = """
import sys, json, time, numpy as np
from pycontree import ConTree
with np.load(sys.argv[1]) as data:
    X, y = data["X"], data["y"]
points = []
for limit in map(int, sys.argv[3].split(",")):
    tree = ConTree(max_depth=int(sys.argv[2]), time_limit=limit)
    start = time.perf_counter()
    tree.fit(X, y)
    points.append((time.perf_counter() - start, int((tree.predict(X) != y).sum())))
    if points[-1][0] < limit:
        break
print(json.dumps(points))
"""


def peer(python: str, data: odt.Dataset, depth: int, limits: str) -> list[tuple[float, int]]:
    """Return seconds and errors of ConTree for each time limit, until it comes to its end."""
    file = Path("/tmp/bnb_anytime.npz")
    np.savez(file, X=data.X, y=data.y)
    call = [python, "-c", PEER, str(file), str(depth), limits]
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    return [(seconds, errors) for seconds, errors in json.loads(done.stdout.splitlines()[-1])]


def draw(ax: Any, name: str, depth: int, args: argparse.Namespace) -> None:
    """Draw one set and print its points."""
    data = odt.datasets.load_dataset(f"continuous/{name}")
    problem = odt.Problem(data, "error", odt.Shape(max_depth=depth))
    result = odt.solve(problem, "bnb", budget=odt.Budget(time_limit=args.limit))
    at = [point.time for point in result.trace]
    ax.step(at, [point.cost for point in result.trace], where="post", label="bnb, tree")
    ax.step(at, [point.bound for point in result.trace], where="post", label="bnb, bound")
    print(name, result.status, [tuple(point) for point in result.trace])
    start = time.perf_counter()
    heuristic = odt.solve(problem, "dpdt")
    ax.plot(time.perf_counter() - start, heuristic.cost, "s", label="dpdt")
    print(name, "dpdt", heuristic.runtime["total"], heuristic.cost)
    if args.peer:
        points = peer(args.peer, data, depth, args.stops)
        ax.plot(*zip(*points, strict=True), "x", label="ConTree, stopped")
        print(name, "ConTree", points)
    ax.set(xscale="log", xlabel="seconds", ylabel="errors", title=f"{name}, depth {depth}")
    ax.legend()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="python with pycontree; without it only ours is run")
    parser.add_argument("--sets", default="rice,page")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--stops", default="1,2,4,8,16,32")
    parser.add_argument("--out", default="bnb_anytime.png")
    args = parser.parse_args()
    warm = odt.Dataset(np.random.default_rng(0).random((60, 3)), np.arange(60) % 3)
    for solver in ("bnb", "dpdt"):
        odt.solve(odt.Problem(warm, "error", odt.Shape(max_depth=3)), solver)
    names = args.sets.split(",")
    figure, axes = plt.subplots(1, len(names), figsize=(5 * len(names), 3.5), squeeze=False)
    for ax, name in zip(axes[0], names, strict=True):
        draw(ax, name, args.depth, args)
    figure.tight_layout()
    figure.savefig(args.out, dpi=110)


if __name__ == "__main__":
    main()
