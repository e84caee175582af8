"""Least size and least depth on the published instances of the Witty benchmark.

    ODT_DATA=... python benchmarks/min_size.py --limit 60 --output size60.csv

Every instance runs for at most ``--limit`` seconds of CPU time (so that other work on the machine
does not count) on one thread. The CSV grows by one
line an instance, and a run with the same ``--output`` skips those it holds, so that a long run can
be stopped and resumed. ``--summary`` only prints the tables of a finished or unfinished CSV:
instances solved by time, ours beside Witty's (AAAI-25, its own machine, Gurobi, one hour), and
agreement with every optimum that Witty proved.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import signal
import time
import zipfile
from pathlib import Path

import numpy as np
from resumable import append, rows_of

import odt

FIELDS = ["instance", "objective", "status", "branches", "depth", "objective_value", "bound"]
FIELDS += ["wall_seconds", "cpu_seconds", "limit", "work", "programs"]
TIMES = (0.1, 1, 10, 60, 300, 600, 3600)


def load(archive: zipfile.ZipFile, name: str) -> odt.Dataset:
    """Return an instance: one row per line, label first."""
    lines = archive.read(f"{name}.txt").decode().splitlines()
    table = np.array([line.split() for line in lines], dtype=np.float64)
    return odt.Dataset(table[:, 1:], table[:, 0].astype(int))


def run(data: odt.Dataset, name: str, objective: str, limit: float, solver: str) -> dict:
    """Solve one instance and return a line of the CSV."""
    problem = odt.Problem(data, objective, odt.Shape(max_error=0.0))
    wall, cpu = time.perf_counter(), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, limit)
    result = odt.solve(problem, solver)
    signal.setitimer(signal.ITIMER_PROF, 0)
    if result.tree is not None:
        result.certificate()
    return {
        "instance": name,
        "objective": objective,
        "status": result.status.value,
        "branches": result.tree.n_branches if result.tree else "",
        "depth": result.tree.depth if result.tree else "",
        "objective_value": result.objective,
        "bound": result.bound,
        "wall_seconds": f"{time.perf_counter() - wall:.3f}",
        "cpu_seconds": f"{time.process_time() - cpu:.3f}",
        "limit": limit,
        "work": result.stats.get("work", ""),
        "programs": result.stats.get("programs", ""),
    }


def choose(names: list[str], published: dict, args: argparse.Namespace) -> list[str]:
    """Return the instances asked for, the ones that Witty solves fastest first."""
    if args.repetition is not None:
        names = [n for n in names if n.endswith(f"_{args.repetition}")]
    if args.easy is not None:
        names = [n for n in names if float(published[n]["witty_seconds"]) <= args.easy]
    if args.sample is not None:
        names = random.Random(0).sample(sorted(names), min(args.sample, len(names)))
    return sorted(names, key=lambda n: (float(published[n]["witty_seconds"]), n))


def summary(lines: list[dict], published: dict) -> None:
    """Print instances solved by time, agreement, and times on the easy instances."""
    for objective in sorted({line["objective"] for line in lines}):
        here = [line for line in lines if line["objective"] == objective]
        solved = [line for line in here if line["status"] == "optimal"]
        print(f"\n{objective}: {len(solved)} of {len(here)} solved "
              f"({100 * len(solved) / len(here):.1f}%)")  # fmt: skip
        witty = [published[line["instance"]] for line in here]
        print("  seconds (CPU)  " + "".join(f"{t:>8g}" for t in TIMES))
        print("  odt            " + "".join(
            f"{sum(float(s['cpu_seconds']) <= t for s in solved):>8}" for t in TIMES))  # fmt: skip
        if objective != "size":
            continue
        print("  Witty          " + "".join(
            f"{sum(w['solved'] == '1' and float(w['witty_seconds']) <= t for w in witty):>8}"
            for t in TIMES))  # fmt: skip
        known = [s for s in solved if published[s["instance"]]["opt_inner"]]
        wrong = [s for s in known
                 if int(s["branches"]) != int(published[s["instance"]]["opt_inner"])]  # fmt: skip
        print(f"  optima that Witty proved too: {len(known)}, different: {len(wrong)}")
        for line in wrong:
            print(f"    {line['instance']}: {line['branches']}")
        missed = [line["instance"] for line in here if line["status"] != "optimal"
                  and published[line["instance"]]["solved"] == "1"]  # fmt: skip
        print(f"  solved by Witty in an hour but not here: {', '.join(missed) or 'none'}")
        easy = [float(line["cpu_seconds"]) for line in here
                if published[line["instance"]]["solved"] == "1"
                and float(published[line["instance"]]["witty_seconds"]) <= 10]  # fmt: skip
        if easy:
            print(f"  the {len(easy)} that take Witty <= 10 s: median {np.median(easy):.3f} s, "
                  f"largest {max(easy):.3f} s, total {sum(easy):.1f} s")  # fmt: skip


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("min_size.csv"))
    parser.add_argument("--objective", default="size")
    parser.add_argument("--solver", default="min-size")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds for one instance")
    parser.add_argument("--repetition", type=int, help="only the instances NAME_<repetition>")
    parser.add_argument("--easy", type=float, help="only those that take Witty at most this long")
    parser.add_argument("--sample", type=int, help="a random sample of this many")
    parser.add_argument("--only", nargs="*", help="only these instances")
    parser.add_argument("--summary", action="store_true", help="print tables, run nothing")
    args = parser.parse_args()
    folder = Path(os.environ.get("ODT_DATA", "../shared/data")) / "minsize"
    with (folder / "published.csv").open() as file:
        published = {line["instance"]: line for line in csv.DictReader(file)}
    unknown = sorted(set(args.only or ()) - published.keys())
    if unknown:
        parser.error(f"no instance {', '.join(unknown)}; {folder / 'published.csv'} lists them")
    names = args.only or choose(list(published), published, args)
    lines = rows_of(args.output)
    done = {(line["instance"], line["objective"]) for line in lines}
    if not args.summary:
        signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
        archive = zipfile.ZipFile(folder / "instances.zip")
        first = load(archive, next(iter(published)))
        run(first, "", args.objective, 600, args.solver)  # loads the kernels
        for name in names:
            if (name, args.objective) in done:
                continue
            line = run(load(archive, name), name, args.objective, args.limit, args.solver)
            append(args.output, FIELDS, line)
            lines.append({key: str(value) for key, value in line.items()})
            print(*line.values(), flush=True)
    if lines:
        summary(lines, published)


if __name__ == "__main__":
    main()
