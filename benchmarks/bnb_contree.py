"""`bnb` beside ConTree on whole numeric sets: optimum, CPU seconds, ratio, geometric mean.

pycontree pins other versions than ours, so it runs in an environment of its own:

    python -m venv /tmp/peers && /tmp/peers/bin/pip install pycontree==1.0.8 pandas
    ODT_DATA=... python benchmarks/bnb_contree.py --peer /tmp/peers/bin/python --depths 2,3,4

Both are timed by the CPU clock of their process around one call on arrays in memory, one thread.
Ours is the whole of `odt.solve`, with its check of the result; the kernels are loaded before.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from pathlib import Path

import numpy as np

import odt

SETS = "bank,raisin,wilt,bidding,segment,room,page,rice,occupancy,bean"
PEER = """
import sys, time, numpy as np
from pycontree import ConTree
with np.load(sys.argv[1]) as data:
    X, y = data["X"], data["y"]
tree = ConTree(max_depth=int(sys.argv[2]), time_limit=int(sys.argv[3]))
start, wall = time.process_time(), time.perf_counter()
tree.fit(X, y)
spent, wall = time.process_time() - start, time.perf_counter() - wall
print(int((tree.predict(X) != y).sum()), spent, wall)
"""


def peer(python: str, data: odt.Dataset, depth: int, limit: int) -> tuple[int, float, bool]:
    """Return errors, CPU seconds, and whether ConTree came to its end."""
    file = Path("/tmp/bnb_contree.npz")
    np.savez(file, X=data.X, y=data.y)
    call = [python, "-c", PEER, str(file), str(depth), str(limit)]
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    errors, seconds, wall = done.stdout.split()[-3:]
    return int(errors), float(seconds), float(wall) < limit


def ours(data: odt.Dataset, depth: int, limit: float, threads: int) -> tuple[odt.Result, float]:
    """Return the result and its CPU seconds (of all threads)."""
    problem = odt.Problem(data, "error", odt.Shape(max_depth=depth))
    start = time.process_time()
    budget = odt.Budget(time_limit=limit, n_threads=threads)
    result = odt.solve(problem, "bnb", budget=budget)
    return result, time.process_time() - start


def closed_after_a_tenth(result: odt.Result) -> float:
    """Return the share of the gap closed after 10 % of the time."""
    tenth = [p for p in result.trace if p.time <= 0.1 * result.runtime["total"]]
    bounds = [p.bound for p in tenth if p.bound is not None]
    return max(bounds, default=0) / max(result.cost or 1, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="python with pycontree; without it only ours is run")
    parser.add_argument("--depths", default="2,3")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    names = args.sets.split(",")
    rng = np.random.default_rng(0)
    warm = odt.Dataset(rng.random((60, 3)), rng.integers(0, 3, size=60))
    for depth in (2, 3, 4):
        ours(warm, depth, 60, args.threads)
    print("set depth errors bnb_cpu bnb_wall contree_errors contree_cpu ratio closed_at_10%")
    for depth in map(int, args.depths.split(",")):
        ratios = []
        for name in names:
            data = odt.datasets.load_dataset(f"continuous/{name}")
            result, mine = ours(data, depth, args.limit, args.threads)
            found = f"{result.cost}{'' if result.status is odt.Status.OPTIMAL else '?'}"
            line = f"{name} {depth} {found} {mine:.3f} {result.runtime['solve']:.3f}"
            if args.peer:
                errors, theirs, proved = peer(args.peer, data, depth, args.limit)
                line += f" {errors}{'' if proved else '?'} {theirs:.3f} {theirs / mine:.1f}"
                ratios += [theirs / mine] if proved else []
            print(f"{line} {closed_after_a_tenth(result):.2f}", flush=True)
        if ratios:
            mean = float(np.exp(np.mean(np.log(ratios))))
            print(f"depth {depth}: geometric mean {mean:.1f}, least {min(ratios):.1f}", flush=True)


if __name__ == "__main__":
    main()
