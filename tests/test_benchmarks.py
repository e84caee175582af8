"""Benchmarks run on whatever data they are given, and no lie of another package gets by."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import lying_peer
import pytest
import sklearn

import odt
from benchmarks import ledger, tables
from benchmarks.__main__ import main
from benchmarks.benchmark import Benchmark, Selection, entrant
from benchmarks.catalogue import GRIDS, PROFILES, named
from benchmarks.peers.sklearn import SklearnPeer
from benchmarks.run import judged, rows_of
from odt.errors import DataError, InconsistentSolutionError, ProblemError
from odt.experiments import Grid
from odt.experiments.ledger import read_rows

needs_data = pytest.mark.needs_data
DATA = odt.Dataset([[0.0], [1.0]], ["a", "b"])


@needs_data
@pytest.mark.skipif("ODT_DATA" not in os.environ, reason="needs ODT_DATA")
@pytest.mark.parametrize("name", GRIDS)
def test_every_grid_makes_sense(name: str) -> None:
    """Data, problems, solvers and options of a quick run are those that the runner takes."""
    benchmark = named(name)
    assert isinstance(benchmark, Benchmark)
    runs = [run for grid in benchmark.quick.of(benchmark.grids()) for run in grid.trials()]
    assert len({run.digest for run in runs}) == len(runs) > 0


def test_profiles_are_modules() -> None:
    """Each name of the catalogue is a file."""
    folder = Path(lying_peer.__file__).parents[1] / "benchmarks" / "profiles"
    assert all((folder / f"{profile.module}.py").exists() for profile in PROFILES.values())


def test_the_ledger_has_a_section_for_each_benchmark() -> None:
    """One command remakes all of it: no benchmark without marks, no marks without a benchmark."""
    held = ledger.sections(ledger.LEDGER.read_text())
    assert sorted(held) == sorted([*GRIDS, *PROFILES])


def test_a_benchmark_is_run_resumed_and_written(tmp_path: Path, capsys) -> None:
    """One command makes the section; the same again does no run twice; the rest stays as it is."""
    docs = tmp_path / "b.md"
    docs.write_text("before\n<!-- begin iris_states -->\nold\n<!-- end iris_states -->\nafter\n")
    command = ["ledger", "iris_states", "--solvers", "cart_leaves(8)", "top(3,*"]
    command += ["--results", str(tmp_path), "--docs", str(docs)]
    for _ in range(2):
        assert main(command) == 0
        assert len(read_rows(tmp_path / "iris_states.csv")) == 2
    text = docs.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| `top(3, last_level='same')` | 14 | 0.9800 |" in text
    assert "`python -m benchmarks run iris_states`: 2 runs" in text
    assert main(["run", "iris_state"]) == 1
    assert "Did you mean 'iris_states'" in capsys.readouterr().err


def test_min_size_needs_no_instance_of_a_certain_name(tmp_path: Path, monkeypatch, capsys) -> None:
    """A folder with one instance of any name: it is proved, with the published optimum."""
    folder = tmp_path / "minsize"
    folder.mkdir()
    with zipfile.ZipFile(folder / "instances.zip", "w") as archive:
        archive.writestr("mine_0.5_0.txt", "0 1 5\n1 2 5\n0 3 5\n")  # x0: two cuts, so 2 branches
    (folder / "published.csv").write_text(
        "instance,solved,opt_inner,witty_seconds\nmine_0.5_0,1,2,0.1\n"
    )
    monkeypatch.setenv("ODT_DATA", str(tmp_path))
    assert main(["run", "min_size", "--results", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "Optima that Witty proved too: 1; different: 0." in shown
    assert {row["size"] for row in read_rows(tmp_path / "min_size.csv")} == {"5"}


def test_a_selection_keeps_what_was_asked_for() -> None:
    """Labels by patterns, depths by value; nothing left is an error, not an empty table."""
    solvers = [entrant("cart"), entrant("dpdt", "DPDT-4", generator="DPDT-4")]
    grid = Grid({"a": DATA, "b": DATA}, solvers, [{"max_depth": [1, 2]}, {"max_depth": 3}])
    (left,) = Selection(("a",), ("DPDT*",), (2, 3), 5.0).of([grid])
    assert (list(left.data), left.time_limit) == (["a"], 5.0)
    assert [one["label"] for one in left.solvers] == ["DPDT-4"]
    assert left.problems == [{"max_depth": [2]}, {"max_depth": [3]}]
    lazy = Grid({"a": lambda: DATA, "b": None}, solvers, [{"max_depth": 1}])
    assert Selection(("a",)).of([lazy])[0].data == {"a": DATA}
    with pytest.raises(ProblemError, match="leaves nothing"):
        Selection(depths=(9,)).of([grid])


@pytest.fixture(scope="module")
def peers(tmp_path_factory) -> dict[str, dict[str, object]]:
    """Rows by solver of one grid with peers that lie in different ways, and one that is honest."""
    benchmark = Benchmark("peers", lambda: [lying_peer.grid()], tables.proofs, Selection())
    rows = rows_of(benchmark, Selection(), tmp_path_factory.mktemp("peers") / "r.csv")
    return {row["solver"]: row for row in tables.records(rows)}


@pytest.mark.parametrize(
    ("solver", "status", "reason"),
    [
        ("honest", "optimal", ""),
        ("miscounts", "refused", "it says 0 errors, but its tree has 1"),
        ("too deep", "refused", "breaks the limits"),
        ("too sure", "refused", "found a tree of cost 0"),
        ("aborts", "failed", "json ended with SIGABRT: the last words"),
        ("absent", "not installed", "ODT_PEERS"),
        ("elsewhere", "not installed", "is no program"),
        ("dp", "optimal", ""),
    ],
)
def test_a_lie_of_a_peer_is_a_row_that_says_so(peers, solver, status, reason) -> None:
    """The least error is 0; whatever is false is refused, whatever breaks is told."""
    assert peers[solver]["status"] == status, peers[solver]["reason"]
    assert reason in peers[solver]["reason"]
    assert (peers[solver]["cost_bound"] is not None) == (status == "optimal")


def test_our_own_false_claim_stops_the_benchmark() -> None:
    """Only other packages are told off in a row; a wrong bound of ours is an error."""
    names = {"instance": "i", "data": "d", "status": "optimal"}
    rows = [
        {**names, "run": "1", "solver": "right", "cost": "3", "cost_bound": "3"},
        {**names, "run": "2", "solver": "wrong", "cost": "5", "cost_bound": "4"},
    ]
    with pytest.raises(InconsistentSolutionError):
        judged(rows, peers=["1"])
    told = {row["run"]: row["status"] for row in tables.records(judged(rows, peers=["2"]))}
    assert told == {"1": "optimal", "2": "refused"}


def test_the_tree_of_scikit_learn_is_evaluated_here() -> None:
    """A real package in a process of its own: its tree has the errors that it says, in seconds."""
    data = odt.datasets.load_dataset("iris")
    problem = odt.Problem(data, "error", odt.Shape(max_depth=2))
    result = odt.solve(problem, SklearnPeer(python=sys.executable), check=False)
    assert result.cost == 6
    assert result.stats["peer_cpu"] < 10
    assert result.stats["peer_versions"] == {"scikit-learn": sklearn.__version__}


def test_a_ledger_without_marks_is_refused() -> None:
    """A section is never put where nobody asked for it."""
    with pytest.raises(DataError, match="once each"):
        ledger.with_section("text", "contree", "body")
