"""What does the whole trade-off cost? All prices of a test at once against the price 0 alone.

    ODT_DATA=... python -m benchmarks.profiles.alphas [--sets bank,raisin] [--leaves 16]

CPU seconds of the search over prepared columns, the least of three runs each: with one value a
state (the error alone), with the lower convex hull of every state, and the hull read at 1000
prices. The public package needs 6.2 s for one price and 15.2 s for 1000 on raisin (depth 3, 16
leaves).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import odt
from heuristics.generators import CartLeaves
from odt.engine.front.columns import Columns
from odt.engine.front.search import Front, search_front
from odt.model.measure import Amounts

SETS = "bank,bidding,occupancy,page,raisin,rice,room,segment,wilt"


def least(action: Callable[[], Front], times: int = 3) -> tuple[float, Front]:
    """Return the least CPU seconds of some runs, and the last result."""
    seconds = []
    for _ in range(times):
        started = time.process_time()
        found = action()
        seconds.append(time.process_time() - started)
    return min(seconds), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--leaves", type=int, default=16)
    options = parser.parse_args()
    rules = CartLeaves(options.leaves).rules(3)
    print("set        one price s   hull s   more   trees   1000 prices ms")
    for name in options.sets.split(","):
        data = odt.datasets.load_dataset(f"split/{name}_train")
        columns = Columns.of(odt.Problem(data, shape=odt.Shape(max_depth=3)))
        run = odt.Run(columns.problem)
        search_front(columns, rules, Amounts(tests=1), run)  # loads the kernels, sorts the columns
        one, _ = least(lambda: search_front(columns, rules, Amounts(), run))  # noqa: B023
        hull, front = least(lambda: search_front(columns, rules, Amounts(tests=1), run))  # noqa: B023
        started = time.perf_counter()
        errors = np.array([v.errors for v in front.vertices])
        tests = np.array([v.complexity for v in front.vertices])
        prices = np.linspace(0, 1, 1000)[:, None]
        (errors + prices * tests).argmin(axis=1)
        read = 1000 * (time.perf_counter() - started)
        print(
            f"{name:10} {one:11.3f} {hull:8.3f} {hull / one - 1:+6.1%} {len(front.vertices):7}"
            f" {read:16.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
