"""How far CART, DPDT and SER-DT are from the proven optimum: errors per set, and the gap.

    ODT_DATA=... python benchmarks/optimality_gap.py --folder split --depth 3
    ODT_DATA=... python benchmarks/optimality_gap.py --folder continuous --depth 3

With ``--folder split`` the sets are the train splits of Table 1 of the DPDT paper (Kohler, Akrour
and Preux, arXiv 2309.12701), and the last column is the optimum of Quant-BnB published there, at
depth 3 (accuracy in %). An optimum that the time limit left open is given with its bound.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from dpdt_table1 import PUBLISHED

import odt

SETS = "bank,raisin,wilt,bidding,segment,room,page,rice,occupancy,bean"
HEURISTICS = ("cart", "dpdt", "ser-dt")


def lines(folder: str, names: list[str], depth: int, limit: float) -> Iterator[str]:
    """Yield one line a set: the optimum, and errors and gap of each heuristic."""
    for name in names:
        full = f"{folder}/{name}{'_train' if folder == 'split' else ''}"
        data = odt.datasets.load_dataset(full)
        problem = odt.Problem(data, "error", odt.Shape(max_depth=depth))
        budget = odt.Budget(time_limit=limit)
        exact = odt.solve(problem, "bnb", budget=budget)
        assert exact.cost is not None
        proved = exact.status is odt.Status.OPTIMAL
        optimum = f"{exact.cost}" if proved else f"{exact.cost} (at least {exact.cost_bound})"
        accuracy = 1 - exact.cost / data.total_weight
        cells = [name, str(data.n_samples), optimum, f"{100 * accuracy:.2f}"]
        for solver in HEURISTICS:
            errors = odt.solve(problem, solver, budget=budget).cost
            assert errors is not None
            cells += [str(errors), f"{100 * (errors / max(exact.cost, 1) - 1):.1f}"]
        if folder == "split" and depth == 3:
            cells.append(str(PUBLISHED[name][0]))
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="split", choices=("split", "continuous"))
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600)
    args = parser.parse_args()
    heads = [f"{solver} {what}" for solver in HEURISTICS for what in ("errors", "% above")]
    heads += ["published optimum %"] if args.folder == "split" and args.depth == 3 else []
    print(f"| set | rows | optimum | accuracy % | {' | '.join(heads)} |")
    print("|---" * (4 + len(heads)) + "|")
    for line in lines(args.folder, args.sets.split(","), args.depth, args.limit):
        print(line, flush=True)


if __name__ == "__main__":
    main()
