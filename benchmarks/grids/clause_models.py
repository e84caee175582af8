"""Clause models on the smaller sets of Strong OCT's tables."""

from __future__ import annotations

from functools import partial

from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.data import STRONG_OCT_SEEDS, strong_oct_half
from benchmarks.tables import proofs
from odt.experiments import Grid

SETS = ("soybean-small", "monk3", "monk1", "hayes-roth", "house-votes-84", "monk2", "spect")


def grids() -> list[Grid]:
    splits = range(1, 1 + len(STRONG_OCT_SEEDS))
    data = {
        f"{name}/{split}": partial(strong_oct_half, name, split)
        for name in SETS
        for split in splits
    }
    solvers = [entrant("maxsat"), entrant("cp-sat")]
    return [Grid(data, solvers, [{"max_depth": [2, 3]}], time_limit=60)]


BENCHMARK = Benchmark("Clause models", grids, proofs, Selection(("*/1",), (), (2,), 10))
