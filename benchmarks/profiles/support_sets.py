"""Support sets: differences, counts, and what restricting a problem to one costs.

    ODT_DATA=... python -m benchmarks.profiles.support_sets --limit 10

For each dataset: rows, features, delta_max, size of a smallest support set, number of minimal
support sets of at most ``--size`` features, and the least branches and depth with all features
and within the best of ``--tried`` smallest support sets ("<=" where the time ran out).
"""

from __future__ import annotations

import argparse
from itertools import islice

from sklearn.datasets import load_iris, load_wine

import odt
from odt.testing.consistent import alternating_with_hint, indexed_parity, parity_with_hint
from odt.transform import SupportSets, resolve, restrict

UCI = ("monks-1_train", "monks-3_train", "monks-1_onehot", "soybean-small", "house-votes-84_onehot")


def instances() -> dict[str, odt.Dataset]:
    """Return the families of the paper and some UCI sets."""
    found = {f"L_{k}": parity_with_hint(k) for k in range(2, 6)}
    found |= {f"Ld_{k}": indexed_parity(k) for k in (2, 4)}
    found |= {f"Ln_{n}": alternating_with_hint(n) for n in (5, 10, 20)}
    found["iris"] = odt.Dataset(*load_iris(return_X_y=True))
    found["wine"] = odt.Dataset(*load_wine(return_X_y=True))
    for name in UCI:
        try:
            data = odt.datasets.load_dataset(name)
        except odt.OdtError as error:
            print(f"left out {name}: {error}")
            continue
        found[name] = resolve(data, "majority") if data.conflicts else data
    return found


def least(problem: odt.Problem, limit: float) -> tuple[float, bool]:
    """Return the least branches (or depth) found, and whether it is proved."""
    result = odt.solve(problem, "min-size", budget=odt.Budget(time_limit=limit))
    tree = result.tree
    value = tree.n_branches if odt.Measure.SIZE in problem.needs else tree.depth
    return value, result.status is odt.Status.OPTIMAL


def shown(found: list[tuple[float, bool]]) -> str:
    """Return the best of several results as text."""
    best = min(value for value, _ in found)
    return f"{'' if all(proved for _, proved in found) else '<='}{best}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for one solve")
    parser.add_argument("--size", type=int, default=6, help="largest support sets to enumerate")
    parser.add_argument("--tried", type=int, default=5, help="support sets to solve within")
    args = parser.parse_args()
    print(f"{'data':22s} {'n':>5} {'d':>4} {'delta':>5} {'min':>4} {'sets':>6} "
          f"{'size':>6} {'on SS':>6} {'depth':>6} {'on SS':>6}")  # fmt: skip
    for name, data in instances().items():
        problem = odt.Problem(data, "size", odt.Shape(max_error=0.0))
        sets = SupportSets(problem)
        smallest = sets.smallest(time_limit=args.limit)
        minimal = sets.minimal(max(args.size, len(smallest.features)))
        columns = []
        for objective in ("size", "depth"):
            whole = odt.Problem(data, objective, odt.Shape(max_error=0.0))
            tried = [restrict(whole, s) for s in islice(minimal, args.tried)]
            columns += [
                shown([least(whole, args.limit)]),
                shown([least(p, args.limit) for p in tried]),
            ]
        print(f"{name:22s} {len(data.merged.X):5d} {data.n_features:4d} {sets.delta_max:5d} "
              f"{len(smallest.features):4d} {len(minimal):6d} "
              + " ".join(f"{c:>6}" for c in columns), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
