"""`bnb` and `dp` beside STreeD, GOSDT, DL8.5 and pytrees-rs on binary sets."""

from __future__ import annotations

from typing import Any

from benchmarks.benchmark import Benchmark, Selection, entrant, peer
from benchmarks.tables import across, ratios, remarks
from odt.experiments import Grid

SETS = (
    "anneal", "australian-credit", "diabetes", "german-credit", "kr-vs-kp", "mushroom", "yeast"
)  # fmt: skip
PEERS = (
    peer("streed:STreeDPeer", "STreeD"),
    peer("gosdt:GOSDTPeer", "GOSDT"),
    peer("pydl85:DL85Peer", "DL8.5"),
    peer("pytrees:PytreesDL85Peer", "pytrees-rs"),
)


def grids() -> list[Grid]:
    data = {name: f"binary/{name}" for name in SETS}
    solvers = [entrant("bnb"), entrant("dp"), *PEERS]
    return [Grid(data, solvers, [{"max_depth": [3, 4]}], time_limit=600, check=False)]


def table(rows: Any) -> str:
    return "\n\n".join([across(rows), ratios(rows, "bnb"), remarks(rows)])


BENCHMARK = Benchmark("Binary sets", grids, table, Selection(("anneal", "yeast"), (), (3,), 30))
