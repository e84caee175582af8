"""All benchmarks by name, in the order of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module

from benchmarks.benchmark import Benchmark
from odt.errors import ProblemError

GRIDS = (
    "strong_oct", "clause_models", "measures", "time_limits", "oct_published", "formulations",
    "relaxations", "flow_oct", "dpdt_table1", "oct_table4", "iris_states", "ser_dt",
    "explanation_gap", "min_size", "contree", "binary", "optimality_gap", "anytime",
)  # fmt: skip
"""Modules of ``benchmarks.grids``."""


@dataclass(frozen=True)
class Profile:
    """A script of ``benchmarks.profiles``: what is no grid of runs.

    Parameters
    ----------
    title : str
    module : str
    arguments : tuple of str
    quick : tuple of str, optional
        Arguments of a quick run; None leaves it out.
    """

    title: str
    module: str
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] | None = None


PROFILES: Mapping[str, Profile] = {
    "proofs": Profile("Proofs", "proofs", (), ("iris",)),
    "alphas": Profile("All prices of a test", "alphas", (), ("--sets", "bank")),
    "fronts": Profile("Depth 10", "fronts", (), ("--sets", "bank")),
    "chosen": Profile("Depth 10, trees chosen by validation", "fronts", ("--test",)),
    "million": Profile("A million rows", "fronts", ("--rows", "1000000", "--threads", "2")),
    "first_fit": Profile("First fit", "first_fit"),
    "support_sets": Profile("Support sets", "support_sets"),
    "lying_solvers": Profile("False claims", "lying_solvers", (), ("4",)),
    "oibmdp_toy": Profile("Bounding processes, toy tasks", "oibmdp_toy", ("--runs", "1")),
    "oibmdp_uci": Profile("Bounding processes, UCI data", "oibmdp_uci", (), ("--sets", "iris")),
}


def names() -> tuple[str, ...]:
    """Return all names."""
    return (*GRIDS, *PROFILES)


def named(name: str) -> Benchmark | Profile:
    """Return a benchmark by name.

    Raises
    ------
    ProblemError
        If there is none of this name.
    """
    if name in PROFILES:
        return PROFILES[name]
    if name not in GRIDS:
        close = get_close_matches(name, names(), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ProblemError(f"No benchmark is called {name!r}.{hint} Known: {', '.join(names())}.")
    found: Benchmark = import_module(f"benchmarks.grids.{name}").BENCHMARK
    return found
