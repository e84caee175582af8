"""DPDT at depth 10 with the schedules of the paper, and one run on a million rows.

    ODT_DATA=... python -m benchmarks.profiles.fronts [--sets bank,occupancy] [--test]
    python -m benchmarks.profiles.fronts --rows 1000000 --threads 2

Whole datasets (``continuous/``) for time and memory. With ``--test`` the trees are chosen as a
user would: the price of a test on a quarter of the train part, refitted on all of it, and the
test part read once. Table 6 of arXiv 2309.12701 chose on the test data; its figures are printed
beside ours. ``--rows`` makes numeric data of 20 features by a fixed seed (depth 4, 8 leaves).
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

import odt

PUBLISHED = {  # test accuracy and average tests of DPDT-2..., CART; seconds of DPDT-2...
    "bank": ("99.3, 3.3", "99.3, 3.4", 1.7),
    "bean": ("91.3, 5.2", "91.2, 6.1", 102.8),
    "bidding": ("99.4, 2.4", "99.4, 2.4", 1.8),
    "occupancy": ("99.5, 1.0", "99.5, 1.4", 6.8),
    "page": ("96.5, 4.5", "96.5, 7.7", 22.5),
    "raisin": ("85.6, 2.1", "88.9, 6.5", 8.7),
    "rice": ("93.4, 1.8", "93.7, 3.0", 20.2),
    "room": ("99.3, 2.3", "99.6, 4.1", 5.2),
    "segment": ("97.0, 5.1", "94.8, 5.0", 9.8),
    "wilt": ("86.0, 4.3", "84.8, 4.4", 2.3),
}
SCHEDULES = ("DPDT-2...", "DPDT-2+1...")
DEPTH = 10


def front_of(data: odt.Dataset, generator: str) -> odt.ParetoFront:
    problem = odt.Problem(data, shape=odt.Shape(max_depth=DEPTH))
    return odt.pareto(problem, generator=generator)


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def whole(name: str) -> None:
    """Print time, memory and the ends of the front on a whole dataset."""
    data = odt.datasets.load_dataset(f"continuous/{name}")
    for generator in SCHEDULES:
        started = time.process_time()
        front = front_of(data, generator)
        seconds, best = time.process_time() - started, front.points[0]
        print(
            f"{name:10} {generator:12} {data.n_samples:6} rows {seconds:7.2f} s {memory():6.0f} MiB"
            f" {front.stats['stored_states']:8} states {len(front.points):4} trees, most accurate "
            f"{1 - best.values['error']:.4f} with {best.values['expected_tests']:.2f} tests",
            flush=True,
        )


def chosen(name: str) -> None:
    """Print test accuracy and average tests of trees chosen on a validation part."""
    train = odt.datasets.load_dataset(f"split/{name}_train")
    test = odt.datasets.load_dataset(f"split/{name}_test")
    labels = np.array(train.classes)[train.y]
    held = np.random.default_rng(0).permutation(train.n_samples) < train.n_samples // 4
    part = odt.Dataset(train.X[~held], labels[~held])
    cells = []
    for generator in (*SCHEDULES, "cart_depth(1, 'gini')"):
        started = time.process_time()
        candidates = front_of(part, generator).points
        scores = [(p.tree.predict(train.X[held]) == labels[held]).mean() for p in candidates]
        best = candidates[max(i for i, score in enumerate(scores) if score == max(scores))]
        alpha = float(best.alphas[0]) if best.alphas else 0.0
        tree = front_of(odt.Dataset(train.X, labels), generator).best(alpha).tree
        truth = np.array(test.classes)[test.y]
        accuracy = (tree.predict(test.X) == truth).mean()
        tests = tree.node_depth[tree.apply(test.X)].mean()
        seconds = time.process_time() - started
        cells.append(f"{100 * accuracy:.1f}, {tests:.1f} ({seconds:.1f} s)")
    dpdt, cart, paper_s = PUBLISHED[name]
    print(
        f"{name:10} ours {' | '.join(cells)}   paper {dpdt} ({paper_s} s) | CART {cart}", flush=True
    )


def large(rows: int, threads: int) -> None:
    """Print time and memory of one run on made data."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20))
    noise = rng.random(rows) < 0.1
    y = (X[:, 0] * X[:, 1] > 0) ^ (X[:, 2] + X[:, 3] / 2 > 0.3) ^ noise
    wall, cpu = time.perf_counter(), time.process_time()
    problem = odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=4))
    budget = odt.Budget(n_threads=threads)
    result = odt.solve(problem, "dpdt", generator="cart_leaves(8)", budget=budget)
    print(
        f"{rows} rows x 20, depth 4, 8 leaves, {threads} threads: "
        f"{time.perf_counter() - wall:.0f} s wall, {time.process_time() - cpu:.0f} s CPU, "
        f"{memory():.0f} MiB, error {result.objective:.5f}, {dict(result.stats)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="bank,segment,room,occupancy")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    tiny = odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 0])
    front_of(tiny, "DPDT-2...")  # loads the kernels
    if options.rows:
        large(options.rows, options.threads)
        return
    for name in options.sets.split(","):
        (chosen if options.test else whole)(name)


if __name__ == "__main__":
    main()
