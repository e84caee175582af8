"""The command ``python -m benchmarks``: list, run, and remake the ledger."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import odt
from benchmarks import ledger
from benchmarks.benchmark import Benchmark, Selection
from benchmarks.catalogue import Profile, named, names
from benchmarks.profile import text_of
from benchmarks.run import rows_of
from odt.cli.files import write_file
from odt.errors import OdtError

RESULTS = Path(__file__).resolve().parents[1] / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return its exit code."""
    options = _parsed(arguments)
    if options.command == "list":
        for name in names():
            print(f"{name:16} {named(name).title}")
        return 0
    lost = []
    for name in options.names or _chosen(options):
        try:
            body = _section(name, options)
        except (OdtError, subprocess.CalledProcessError) as error:
            lost.append(name)
            print(f"{name}: {error}", file=sys.stderr)
            continue
        if options.command == "run":
            print(f"## {named(name).title}\n\n{body}")
        else:
            _write(name, body, options)
    if lost:
        print(f"Not done: {', '.join(lost)}.", file=sys.stderr)
    return int(bool(lost))


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="names and titles")
    run = commands.add_parser("run", help="do benchmarks and print their tables")
    remake = commands.add_parser("ledger", help="do benchmarks and write their sections anew")
    remake.add_argument("--docs", type=Path, help="document to write to")
    for command in (run, remake):
        command.add_argument("names", nargs="*" if command is remake else "+", metavar="NAME")
        command.add_argument("--quick", action="store_true", help="a small part of each")
        command.add_argument("--data", nargs="+", default=(), help="patterns of labels")
        command.add_argument("--solvers", nargs="+", default=(), help="patterns of labels")
        command.add_argument(
            "--depths", nargs="+", type=int, default=(), help="values of max_depth"
        )
        command.add_argument("--time-limit", type=float, help="seconds a run")
        command.add_argument("--results", type=Path, default=RESULTS, help="folder of rows")
        command.add_argument("--jobs", type=int, default=1, help="runs at a time")
        command.add_argument("--engine", default="local", help="local, joblib, dask or ray")
        command.add_argument("--retry", action="store_true", help="do unanswered runs again")
    return parser.parse_args(arguments)


def _chosen(options: argparse.Namespace) -> Iterator[str]:
    """Yield all benchmarks; of those that are quick only those that can be."""
    for name in names():
        found = named(name)
        if not options.quick or isinstance(found, Benchmark) or found.quick is not None:
            yield name


def _section(name: str, options: argparse.Namespace) -> str:
    found = named(name)
    folder = options.results / "quick" if options.quick else options.results
    if isinstance(found, Profile):
        arguments = (found.quick or ()) if options.quick else found.arguments
        return text_of(found, arguments, folder / f"{name}.txt")
    do = partial(
        odt.experiment, n_jobs=options.jobs, engine=options.engine, retry=options.retry
    )  # fmt: skip
    rows = rows_of(found, _selection(found, options), folder / f"{name}.csv", do)
    if found.draw is not None and options.command == "ledger":
        found.draw(rows, _document(options).parent / "images" / f"{name}.png")
    command = f"python -m benchmarks run {name}{' --quick' if options.quick else ''}"
    return f"{ledger.provenance(command, rows)}\n\n{found.table(rows).strip()}\n"


def _selection(benchmark: Benchmark, options: argparse.Namespace) -> Selection:
    start = benchmark.quick if options.quick else Selection()
    return Selection(
        tuple(options.data) or start.data,
        tuple(options.solvers) or start.solvers,
        tuple(options.depths) or start.depths,
        options.time_limit or start.time_limit,
    )


def _document(options: argparse.Namespace) -> Path:
    """Return the ledger; a quick one stands beside its results."""
    quick = Path(options.results, "quick", "benchmarks.md")
    path: Path = options.docs or (quick if options.quick else ledger.LEDGER)
    (path.parent / "images").mkdir(parents=True, exist_ok=True)
    return path


def _write(name: str, body: str, options: argparse.Namespace) -> None:
    path = _document(options)
    if not path.exists():
        write_file(path, ledger.empty(names(), tuple(named(n).title for n in names())))
    write_file(path, ledger.with_section(path.read_text(), name, body))
    print(f"{path}: {name}")


if __name__ == "__main__":
    sys.exit(main())
