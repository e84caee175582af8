"""`bnb` beside STreeD on binary sets: optimum, CPU seconds, ratio, geometric mean.

    python -m venv /tmp/peers && /tmp/peers/bin/pip install pystreed
    ODT_DATA=... python benchmarks/bnb_streed.py --peer /tmp/peers/bin/python --depths 3,4

Timed as in `bnb_contree.py`.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from pathlib import Path

import numpy as np

import odt

SETS = "anneal,australian-credit,diabetes,german-credit,kr-vs-kp,mushroom,yeast"
PEER = """
import sys, time, numpy as np
from pystreed import STreeDClassifier
with np.load(sys.argv[1]) as data:
    X, y = data["X"].astype(int), data["y"]
tree = STreeDClassifier("accuracy", max_depth=int(sys.argv[2]), time_limit=int(sys.argv[3]))
start, wall = time.process_time(), time.perf_counter()
tree.fit(X, y)
spent, wall = time.process_time() - start, time.perf_counter() - wall
print(int((tree.predict(X) != y).sum()), spent, wall)
"""


def peer(python: str, data: odt.Dataset, depth: int, limit: int) -> tuple[int, float, bool]:
    """Return errors, CPU seconds, and whether STreeD came to its end."""
    file = Path("/tmp/bnb_streed.npz")
    np.savez(file, X=data.X, y=data.y)
    call = [python, "-c", PEER, str(file), str(depth), str(limit)]
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    errors, seconds, wall = done.stdout.split()[-3:]
    return int(errors), float(seconds), float(wall) < limit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="python with pystreed; without it only ours is run")
    parser.add_argument("--depths", default="3,4")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--limit", type=int, default=600)
    args = parser.parse_args()
    warm = odt.Dataset(np.indices((2, 2, 2, 2)).reshape(4, 16).T, np.arange(16) % 3)
    for depth in (3, 4):
        odt.solve(odt.Problem(warm, "error", odt.Shape(max_depth=depth)), "bnb")
    print("set depth errors bnb_cpu streed_errors streed_cpu ratio")
    for depth in map(int, args.depths.split(",")):
        ratios = []
        for name in args.sets.split(","):
            data = odt.datasets.load_dataset(f"binary/{name}")
            problem = odt.Problem(data, "error", odt.Shape(max_depth=depth))
            start = time.process_time()
            result = odt.solve(problem, "bnb", budget=odt.Budget(time_limit=args.limit))
            mine = time.process_time() - start
            found = f"{result.cost}{'' if result.status is odt.Status.OPTIMAL else '?'}"
            line = f"{name} {depth} {found} {mine:.3f}"
            if args.peer:
                errors, theirs, proved = peer(args.peer, data, depth, args.limit)
                line += f" {errors}{'' if proved else '?'} {theirs:.3f} {theirs / mine:.1f}"
                ratios += [theirs / mine] if proved else []
            print(line, flush=True)
        if ratios:
            mean = float(np.exp(np.mean(np.log(ratios))))
            print(f"depth {depth}: geometric mean {mean:.1f}, least {min(ratios):.1f}", flush=True)


if __name__ == "__main__":
    main()
