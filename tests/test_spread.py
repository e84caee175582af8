"""Runs on joblib, Dask and Ray: the same table as in one process, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import broken_solvers as broken
import pytest

import odt
from odt.errors import MissingDependencyError, ProblemError
from odt.experiments.ledger import read_rows
from odt.experiments.spread import engine

TIMES = ("time", "cpu", "memory", "trace", "started")
NEEDS = {"local": "odt", "joblib": "joblib", "dask": "distributed", "ray": "ray"}
GRID = {
    "data": ["iris"],
    "problems": [{"max_depth": [1, 2]}],
    "solvers": ["cart", broken.Aborts(), broken.Stump(seconds=0.2)],
}


@pytest.fixture(params=NEEDS)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the name of an engine; its workers find this folder."""
    if find_spec(NEEDS[request.param]) is None:
        pytest.skip(f"{NEEDS[request.param]} is not installed")
    root = Path(__file__).parent.parent
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (root, root / "tests"))))
    yield request.param
    if request.param == "ray":
        import ray

        ray.shutdown()


@pytest.fixture(scope="module")
def serial() -> Any:
    """Return the table of the grid, done here."""
    return odt.experiment(GRID)


def test_every_engine_gives_the_table_of_a_serial_run(
    name: str, serial: Any, tmp_path: Path
) -> None:
    """Two workers, crashes included: equal in all but times, and every row in the file once."""
    table = odt.experiment(GRID, tmp_path / "r.csv", engine=name, n_jobs=2)
    kept = [column for column in serial.columns if column not in (*TIMES, "reason")]
    assert table[kept].astype(str).equals(serial[kept].astype(str))
    assert len(read_rows(tmp_path / "r.csv")) == len(serial) == 6


def square(folder: Path, number: int) -> int:
    """Return the square; the process that is the first to square 3 kills itself."""
    mark = folder / "killed"
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    (folder / f"{number}-{len(list(folder.iterdir()))}").touch()
    return number * number


def test_an_item_of_a_killed_worker_is_done_again(name: str, tmp_path: Path) -> None:
    """SIGKILL in the middle: every result arrives once."""
    if name == "local":
        pytest.skip("threads of this process cannot be killed alone")
    found = list(engine(name).spread(partial(square, tmp_path), range(8), 2))
    assert sorted(found) == [0, 1, 4, 9, 16, 25, 36, 49]
    assert (tmp_path / "killed").exists()


def test_errors_of_engines_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown engine, an address without a use, and a package that is missing."""
    with pytest.raises(ProblemError, match="one of local, joblib, dask, ray"):
        engine("slurm")
    with pytest.raises(ProblemError, match="has no address"):
        engine("joblib", "tcp://x")
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingDependencyError, match=r"odt\[dask\]"):
        list(engine("dask").spread(abs, [1], 1))


@pytest.mark.slow
def test_two_dask_workers_nearly_halve_the_time() -> None:
    """Eight runs of 1.5 s that need no processor: 12 s one by one, 6 s and a little with two."""
    distributed = pytest.importorskip("distributed")
    grid = {"data": {"small": broken.small()}, "solvers": [broken.Stump(seconds=1.5)]}
    grid["problems"] = [{"max_depth": 1}]
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        odt.experiment(grid | {"seeds": [8, 9]}, engine="dask", n_jobs=2)  # starts the processes
        start = time.perf_counter()
        table = odt.experiment(grid | {"seeds": range(8)}, engine="dask", n_jobs=2)
        assert time.perf_counter() - start < 9.6  # four fifths
    assert table["status"].eq("feasible").all()
