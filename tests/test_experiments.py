"""Experiments: every run a row, whatever ends it, and no row lost or done twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import broken_solvers as broken
import numpy as np
import pandas as pd
import pytest

import odt
from odt.compare import compare
from odt.errors import DataError, InconsistentSolutionError, OdtError, ProblemError
from odt.experiments.apart import Guards, last_words
from odt.experiments.grid import Grid
from odt.experiments.ledger import Ledger, read_rows
from odt.experiments.record import FIELDS
from odt.experiments.table import tabulate

ROOT = Path(__file__).parent.parent
TIMES = ("time", "cpu", "memory", "trace", "started")
DATA = {"small": broken.small()}


def same(first: object, second: object) -> bool:
    """Say whether two tables are equal but for times."""
    kept = [name for name in first.columns if name not in TIMES]  # type: ignore[attr-defined]
    return first[kept].astype(str).equals(second[kept].astype(str))  # type: ignore[index]


def test_the_table_is_that_of_compare() -> None:
    """The same columns and values as `compare` has for one problem, gaps to the best included."""
    data = odt.datasets.load_dataset("iris")
    for objective in ("error", "error, size"):
        table = odt.experiment(
            {
                "data": ["iris"],
                "problems": [{"objective": objective, "max_depth": 2}],
                "solvers": ["cart", "dp"],
            }
        )
        problem = odt.Problem(data, objective, odt.Shape(max_depth=2))
        reference = compare(problem, ["cart", "dp"])
        for name in reference.columns:
            if name != "time":
                pd.testing.assert_series_equal(table[name], reference[name], check_dtype=False)


@pytest.fixture(scope="module")
def wreck() -> dict[str, dict[str, object]]:
    """Rows by solver of one experiment in which most solvers are broken."""
    solvers = [broken.Aborts(), broken.Eats(), broken.Ignores(), broken.Raises(), broken.Lies()]
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": [*solvers, broken.Stump()]}
    table = odt.experiment(grid | {"time_limit": 2.0}, guards=Guards(grace=0.5, memory=300))
    return {row["solver"]: row for row in table.to_dict("records")}


@pytest.mark.parametrize(
    ("solver", "status", "reason"),
    [
        ("aborts", "crashed", "SIGABRT: the last words"),
        ("eats", "over memory", "300 MiB were allowed"),
        ("ignores", "over time", "did not stop by itself"),
        ("raises", "failed", "ZeroDivisionError: a fault | of two lines"),
        ("lies", "refused", "the bound 2 exceeds the cost 0 of another tree"),
        ("stump", "feasible", ""),
    ],
)
def test_whatever_a_solver_does_is_a_row(
    wreck: dict[str, dict[str, object]], solver: str, status: str, reason: str
) -> None:
    """An abort, a leak, an endless loop, an exception and a lie end one run, and say why."""
    assert wreck[solver]["status"] == status
    assert reason in str(wreck[solver]["reason"])


def test_a_run_over_its_limits_says_when_it_was_ended(wreck: dict[str, dict[str, object]]) -> None:
    """The loop is ended after 2 s and a grace of 0.5 s; the memory is what was seen."""
    assert 2.5 <= float(str(wreck["ignores"]["time"])) < 10
    assert wreck["ignores"]["stopped_by"] == "time"
    assert float(str(wreck["eats"]["memory"])) > 300


def test_finished_runs_are_not_done_again_and_changed_ones_are(tmp_path: Path) -> None:
    """Told apart by the whole definition: seed, limits, options, and the rows of the data."""
    output, done = tmp_path / "r.csv", []
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": [broken.Stump()]}

    def runs(**changes: object) -> int:
        done.clear()
        odt.experiment(grid | changes, output, on_row=done.append)
        return len(done)

    assert runs() == 1
    assert runs() == 0
    assert runs(seeds=[0, 1]) == 1
    assert runs(time_limit=9.0) == 1
    assert runs(solvers=[broken.Stump(seconds=0.001)]) == 1
    assert runs(problems=[{"max_depth": 2}]) == 1
    other = odt.Dataset([[0.0], [1.0], [2.0], [3.5]], ["a", "a", "b", "b"])
    assert runs(data={"small": other}) == 1
    assert runs() == 0
    assert len({row["run"] for row in read_rows(output)}) == 6


def test_a_changed_file_is_run_again(tmp_path: Path) -> None:
    """The content counts, not the name."""
    file, output = tmp_path / "d.csv", tmp_path / "r.csv"
    grid = {"data": [str(file)], "solvers": ["cart"], "problems": [{"max_depth": 1}]}
    for rows in ("0,a\n1,b\n", "0,a\n1,b\n2,b\n"):
        file.write_text(f"x,class\n{rows}")
        odt.experiment(grid, output)
    assert [float(row["size"]) for row in read_rows(output)] == [3.0, 3.0]


def test_unanswered_runs_are_repeated_on_demand(tmp_path: Path) -> None:
    """Without 'retry' a crash is a finished row; with it the row is replaced."""
    output = tmp_path / "r.csv"
    solvers = [broken.AbortsOnce(file=str(tmp_path / "mark")), broken.Stump()]
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": solvers}
    for retry, expected in ((False, "crashed"), (False, "crashed"), (True, "feasible")):
        table = odt.experiment(grid, output, retry=retry)
        assert table["status"].tolist() == [expected, "feasible"]
    assert len(read_rows(output)) == 2


def test_a_torn_last_line_is_removed_and_its_run_repeated(tmp_path: Path) -> None:
    """At whatever byte the last write was cut off, resuming gives the whole file."""
    output = tmp_path / "r.csv"
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": [broken.Stump()]}
    table = odt.experiment({**grid, "seeds": [0, 1]}, output)
    whole = output.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in (start + 1, (start + len(whole)) // 2, len(whole) - 1, 10):
        output.write_bytes(whole[:cut])
        assert len(read_rows(output)) == (0 if cut == 10 else 1) if cut != 10 else True
        again = odt.experiment({**grid, "seeds": [0, 1]}, output)
        assert same(table, again)
        assert len(read_rows(output)) == 2


def test_text_of_solvers_stays_in_its_cell(tmp_path: Path) -> None:
    """Commas, quotes, line ends and NUL in a reason do not break the file."""
    path = tmp_path / "r.csv"
    with Ledger(path) as ledger:
        ledger.append({"run": "x", "reason": 'a, "b"\nc\r\0;\u2028d', "objective": (0.5, 3.0)})
    (row,) = read_rows(path)
    assert row["reason"] == 'a, "b" | c;\u2028d'
    assert row["objective"] == "[0.5, 3.0]"


def test_two_experiments_do_not_write_to_one_file(tmp_path: Path) -> None:
    """The second one is refused, not interleaved."""
    with Ledger(tmp_path / "r.csv"), pytest.raises(DataError, match="another experiment"):
        Ledger(tmp_path / "r.csv")


def test_other_files_are_never_overwritten(tmp_path: Path) -> None:
    """A file of something else, and a line that is no row, are refused and stay as they are."""
    path = tmp_path / "r.csv"
    for content, message in (
        ("a,b\n1,2\n", "no file of an experiment"),
        (",".join(FIELDS) + "\n1,2\n", "Line 2 .* has 2 fields"),
    ):
        path.write_text(content)
        with pytest.raises(DataError, match=message):
            Ledger(path)
        assert path.read_text() == content


def test_parts_train_and_test_on_all_rows_once() -> None:
    """Folds: the test errors of a leaf add up to the minority; splits: the asked share is left."""
    grid = {"data": ["iris"], "solvers": [broken.Stump()], "problems": [{"max_depth": 0}]}
    folds = odt.experiment(grid | {"folds": 3})
    assert folds["part"].tolist() == ["fold 1/3", "fold 2/3", "fold 3/3"]
    assert folds["test_error"].mean() == pytest.approx(2 / 3)  # three classes of equal size
    assert folds["instance"].nunique() == 3
    splits = Grid(**grid, splits=2, test_size=0.2).trials()
    data = odt.datasets.load_dataset("iris")
    assert splits[0].part is not None
    train, test = splits[0].part.of_data(data)
    assert (train.n_samples, test.n_samples) == (120, 30)
    assert np.bincount(test.y).tolist() == [10, 10, 10]


def test_published_test_files_are_a_pair_with_the_training_file(tmp_path: Path) -> None:
    """Train x <= 1 is a, else b. Of the test rows 0 a, 5 b, 7 c the last is wrong: error 1/3.

    Codes of the two files differ: in the test file alone, b has the code 1 of three.
    """
    (tmp_path / "d.train.csv").write_text("x,class\n0,a\n1,a\n4,b\n5,b\n")
    (tmp_path / "d.test.csv").write_text("x,class\n0,a\n5,b\n7,c\n")
    (tmp_path / "grid.toml").write_text(
        'data = [{name = "d.train.csv", test = "d.test.csv"}]\nsolvers = ["cart"]\n'
        "[[problems]]\nmax_depth = 1\n"
    )
    (row,) = odt.experiment(tmp_path / "grid.toml").to_dict("records")
    assert row["test_error"] == pytest.approx(1 / 3)
    pair = (odt.Dataset([[0.0], [4.0]], ["b", "c"]), odt.Dataset([[0.0], [5.0]], ["c", "c"]))
    grid = {"data": {"pair": pair}, "solvers": ["cart"], "problems": [{"max_depth": 1}]}
    assert odt.experiment(grid)["test_error"].tolist() == [0.5]
    with pytest.raises(ProblemError, match="test data of their own"):
        odt.experiment(grid | {"folds": 2})
    other = odt.Dataset([[0.0, 1.0]], ["b"])
    with pytest.raises(DataError, match="features"):
        odt.experiment(grid | {"data": {"pair": (pair[0], other)}})


def test_loading_a_solver_is_no_part_of_its_first_run() -> None:
    """A process calls a solver once on a few rows before the first run; stats are in the row."""
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": [broken.Counts()]}
    table = odt.experiment(grid | {"seeds": [0, 1]})
    assert table["stats"].tolist() == ['{"calls": 2}', '{"calls": 3}']


def test_compiling_is_in_no_time_of_a_run() -> None:
    """Neither on the wall nor of the processor: it is done once on a machine."""
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": [broken.Compiles()]}
    (row,) = odt.experiment(grid).to_dict("records")
    assert row["cpu"] < 0.2
    assert row["time"] < 0.3


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks into /proc")
def test_programs_that_a_solver_keeps_are_in_its_processor_time() -> None:
    """Each of two runs lets one helper, which lives on, work for 0.3 s."""
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": [broken.Delegates()]}
    table = odt.experiment(grid | {"seeds": [0, 1]})
    assert table["status"].tolist() == ["feasible", "feasible"]
    assert table["cpu"].between(0.25, 0.6).all()


def test_part_of_a_dataset_keeps_its_codes() -> None:
    """A class or category that a part lacks keeps its code, so that trees fit both parts."""
    data = odt.Dataset([["u"], ["v"], ["w"]], ["a", "b", "c"], [1, 0.5, 0.25])
    assert data.merged.X.shape == (3, 1)
    part = data.take([2, 0])
    assert part.y.tolist() == [2, 0]
    assert part.X.tolist() == [[2.0], [0.0]]
    assert part.classes == data.classes
    assert (part.weights * float(part.weight_unit)).tolist() == [0.25, 1.0]
    assert part.merged.X.shape == (2, 1)
    assert part.total_weight == 5
    for rows in ([], [3], [-1]):
        with pytest.raises(DataError, match="numbers from 0 to 2"):
            data.take(rows)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"solvers": ["crat"]}, "Did you mean 'cart'"),
        ({"solvers": [{"name": "cart", "options": {"nonsense": 1}}]}, "no option 'nonsense'"),
        ({"solvers": [{"name": "cart", "initials": "dp"}]}, "Did you mean 'initial'"),
        ({"solvers": ["cart", "cart"]}, "Give them labels"),
        ({"solvers": "cart"}, "must be a list"),
        ({"solvers": ["broken_solvers:Missing"]}, "no solver at"),
        ({"data": ["irsi"]}, "Did you mean 'iris'"),
        ({"data": [broken.small()]}, "need labels"),
        ({"problems": [{"max_dept": 2}]}, "Did you mean 'max_depth'"),
        ({"problems": [{"max_depth": -1}]}, "max_depth"),
        ({"problems": [{"objective": "eror"}]}, "eror"),
        ({"problems": [{}, {}]}, "repeats itself"),
        ({"folds": 1}, "folds"),
        ({"folds": 99}, "cannot be divided"),
        ({"folds": 2, "splits": 2}, "not both"),
        ({"seeds": [-1]}, "seeds"),
        ({"seed": [1]}, "Did you mean 'seeds'"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused_at_once(
    changes: dict[str, object], message: str
) -> None:
    """Everything that can be checked without running is, before the first run."""
    with pytest.raises(OdtError, match=message):
        Grid.of({"data": ["iris"], "solvers": ["cart"], **changes}).trials()


def test_solvers_of_a_script_are_refused() -> None:
    """A class that another process cannot import is told at once."""

    class Mine(broken.Stump):
        pass

    with pytest.raises(ProblemError, match="top of a module"):
        Grid(data=["iris"], solvers=[Mine()]).trials()


def test_proofs_that_contradict_each_other_stop_the_table() -> None:
    """A bound of one row above the tree of another is an error that names both."""
    names = {"instance": "i", "data": "d", "status": "optimal"}
    rows = [
        {**names, "solver": "right", "cost": "3", "cost_bound": "3"},
        {**names, "solver": "wrong", "cost": "5", "cost_bound": "4"},
    ]
    with pytest.raises(InconsistentSolutionError, match=r"'wrong' claims .* 4, but 'right'"):
        tabulate(rows)
    with pytest.raises(InconsistentSolutionError, match="no tree keeps the limits"):
        tabulate([rows[0], {**names, "solver": "no", "status": "infeasible"}])
    assert len(tabulate([rows[0], {**rows[1], "instance": "another"}])) == 2


def test_last_words_are_those_of_the_library() -> None:
    """Python's report of a fatal error is cut to its head and the innermost call."""
    written = (
        "assertion failed\n\nFatal Python error: Aborted\n\nThread 0x1 (most recent call first):\n"
        '  File "a.py", line 1 in f\n\nCurrent thread 0x2 (most recent call first):\n'
        '  File "b.py", line 2 in g\n  File "c.py", line 3 in h\n\nExtension modules: x'
    )
    assert last_words(written) == (
        'assertion failed | Fatal Python error: Aborted | File "b.py", line 2 in g'
    )
    assert last_words("a\n\nb\n") == "a | b"


def kill_and_resume(folder: Path, times: int) -> None:
    """Kill an experiment at random moments, then let it end: every run is there once."""
    grid, output = folder / "grid.toml", folder / "r.csv"
    grid.write_text(
        'data = ["iris"]\nseeds = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\nsolvers = ["cart", "dp", "bnb"]\n'
        "[[problems]]\nmax_depth = [1, 2]\n"
    )
    command = [sys.executable, "-m", "odt", "experiment", str(grid), "-o", str(output)]
    command += ["--jobs", "2"]
    rng = random.Random(15)
    for _ in range(times):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.5, 4.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if output.exists() and rng.random() < 0.5:  # and a write that was cut off
            with output.open("ab") as file:
                file.write(b"torn,line")
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    rows = read_rows(output)
    wanted = [trial.digest for trial in Grid.load(grid).trials()]
    assert sorted(row["run"] for row in rows) == sorted(wanted)
    assert {row["status"] for row in rows} == {"feasible", "optimal"}
    assert all(odt.Tree.from_json(row["tree"]).n_nodes == int(float(row["size"])) for row in rows)


KILLED = """
import os, signal, sys, threading
import broken_solvers as broken, odt
def kill_soon(row, after=[float(sys.argv[2])]):
    if after:  # the first row
        threading.Timer(after.pop(), os.kill, (os.getpid(), signal.SIGKILL)).start()
odt.experiment(broken.short_runs(), sys.argv[1], n_jobs=2, on_row=kill_soon)
"""


def test_killed_and_resumed(tmp_path: Path) -> None:
    """SIGKILL amid short runs loses no finished row, writes none twice, leaves none corrupt."""
    output, grid = tmp_path / "r.csv", broken.short_runs()
    command = [sys.executable, "-c", KILLED, str(output), str(random.Random(15).uniform(0.1, 0.4))]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    killed = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths})
    assert killed.returncode == -signal.SIGKILL
    before = [row["run"] for row in read_rows(output)]
    wanted = [trial.digest for trial in Grid.of(grid).trials()]
    assert 0 < len(before) < len(wanted)
    odt.experiment(grid, output)
    rows = read_rows(output)
    assert [row["run"] for row in rows][: len(before)] == before
    assert sorted(row["run"] for row in rows) == sorted(wanted)


@pytest.mark.slow
def test_killed_twenty_times_and_resumed(tmp_path: Path) -> None:
    """The same on real solvers and on the command line, at moments from start to end."""
    kill_and_resume(tmp_path, 20)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks into /proc")
def test_no_process_outlives_a_killed_experiment(tmp_path: Path) -> None:
    """When the experiment is killed, the kernel ends its processes, whatever they are doing."""
    code = (
        "import broken_solvers as b, odt\n"
        "odt.experiment({'data': {'s': b.small()}, 'solvers': [b.Ignores()]},"
        f" {str(tmp_path / 'r.csv')!r})"
    )
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    process = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": paths})
    worker = wait_for(lambda: _children(process.pid))[0]
    time.sleep(2)
    process.kill()
    process.wait()
    wait_for(lambda: not Path(f"/proc/{worker}").exists() or _is_zombie(worker))


def _children(process: int) -> list[int]:
    from odt.experiments.processes import descendants

    return descendants(process)


def _is_zombie(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_for(claim):  # type: ignore[no-untyped-def]
    """Return the first true value of a function; fail after a minute."""
    for _ in range(600):
        found = claim()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("a minute passed")


def test_warm_processes_cost_little() -> None:
    """Two hundred short runs: the processor time of this process and its workers is small."""
    started = time.process_time()
    grid = {"data": DATA, "solvers": [broken.Stump()], "problems": [{"max_depth": 0}]}
    table = odt.experiment(grid | {"seeds": range(200)})
    assert table["status"].eq("feasible").all()
    assert (time.process_time() - started) / 200 < 0.03  # about 0.003 s here
    assert table["cpu"].sum() / 200 < 0.03


def test_ctrl_c_keeps_the_rows_so_far(tmp_path: Path) -> None:
    """An interrupt ends the experiment soon, and resuming does the rest."""
    output, rows = tmp_path / "r.csv", []
    solvers = [broken.Stump(), broken.Ignores(), broken.Stump(seconds=0.001)]
    grid = {"data": DATA, "problems": [{"max_depth": 1}], "solvers": solvers}

    def interrupt(row: dict[str, object]) -> None:
        rows.append(row)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        odt.experiment(grid, output, on_row=interrupt)
    assert [row["solver"] for row in rows] == ["stump"]
    assert [row["solver"] for row in read_rows(output)] == ["stump"]
    table = odt.experiment(grid | {"solvers": [solvers[0], solvers[2]]}, output)
    assert len(table) == len(read_rows(output)) == 2


def test_the_command_line_takes_files_beside_the_grid(tmp_path: Path) -> None:
    """A grid names data files relative to itself; options of reading go with the name."""
    (tmp_path / "d.csv").write_text("x,y\n0,a\n1,b\n")
    (tmp_path / "grid.toml").write_text(
        'data = [{name = "d.csv", target = "y"}]\nsolvers = ["cart"]\n[[problems]]\nmax_depth = 1\n'
    )
    command = [sys.executable, "-m", "odt", "experiment", str(tmp_path / "grid.toml")]
    command += ["-o", str(tmp_path / "r.csv")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "1 runs: 1 feasible" in done.stdout
    (row,) = read_rows(tmp_path / "r.csv")
    assert (row["data"], row["error"]) == ("d.csv", "0.0")
