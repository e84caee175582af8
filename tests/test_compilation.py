"""Compilation of kernels: never against a limit, never silent for long, kept where it can be."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core import caching, config
from numpy.typing import NDArray

import odt
from odt.cli.kernels import compile_kernels
from odt.core.run import Budget, Run
from odt.core.stopwatch import COMPILING, Stopwatch
from odt.engine import compilation
from odt.engine.compilation import ENTRIES, entry, inner, keep, own_folder, stamp
from odt.engine.lending import lend
from odt.testing import random_problem

ROOT = Path(__file__).parent.parent
FIRST_FIT = """
from numba.core import caching
places = caching.CacheImpl._locator_classes
places[:] = [place for place in places if "UserProvided" in place.__name__]
import odt
from odt.engine import compilation
compilation.PATIENCE = 0.0
problem = odt.Problem(odt.datasets.load_dataset("iris"), "error", odt.Shape(max_depth=2))
result = odt.solve(problem, "cart")
print(result.runtime["compile"], result.objective)
"""


def first_fit(folder: Path) -> tuple[float, float, str]:
    """Fit in a fresh process where Numba finds no place for machine code, our folder aside."""
    environment = {
        **os.environ, "NUMBA_CACHE_DIR": "/proc/none", "HOME": "/nonexistent",
        "TMPDIR": str(folder), "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FIT], env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    compiling, objective = done.stdout.split()  # and nothing else
    return float(compiling), float(objective), done.stderr


def test_a_first_fit_is_announced_on_stderr_and_the_second_is_silent(tmp_path: Path) -> None:
    """Nothing can be written but a folder for temporary files: no "no locator available"."""
    compiling, objective, announced = first_fit(tmp_path)
    assert compiling > 0.1
    assert announced.count("\n") == 1
    assert "compiling kernels, once on this machine" in announced
    assert first_fit(tmp_path) == (0, objective, "")


@pytest.fixture
def no_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A machine where only `tmp_path` can be written."""
    places = caching.CacheImpl._locator_classes
    own = [place for place in places if "UserProvided" in place.__name__]
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", own)
    monkeypatch.setattr(config, "CACHE_DIR", "/proc/none")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own_folder.cache_clear()
    yield tmp_path
    own_folder.cache_clear()


def _kernel() -> numba.core.dispatcher.Dispatcher:
    return numba.njit(lambda x: x + 1)


def test_machine_code_goes_to_a_folder_of_ours(no_place: Path) -> None:
    """Where Numba raises "no locator available", and its setting is as before afterwards."""
    kernel = _kernel()
    keep(kernel)
    assert Path(kernel.stats.cache_path).is_relative_to(no_place)
    assert kernel(1) == 2
    assert list(no_place.rglob("*.nbi"))
    assert config.CACHE_DIR == "/proc/none"


@pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
def test_a_folder_that_others_can_write_is_not_used(no_place: Path) -> None:
    """Machine code is run as it is read; then each process compiles for itself."""
    folder = no_place / f"odt-kernels-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    kernel = _kernel()
    keep(kernel)
    assert kernel(1) == 2
    assert not kernel.stats.cache_path
    assert list(folder.iterdir()) == []


def test_a_changed_import_makes_machine_code_stale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`one` links `three` through `two`; Numba itself looks at the file of a function only."""
    monkeypatch.setattr(compilation, "_ENGINE", tmp_path)
    (tmp_path / "one.py").write_text("from odt.engine.two import f\n")
    (tmp_path / "two.py").write_text("from odt.engine.room.three import (\n    g,\n)\n")
    (tmp_path / "room").mkdir()
    stamps = set()
    for text in ("def g(): return 1\n", "def g(): return 2\n"):
        (tmp_path / "room" / "three.py").write_text(text)
        stamp.cache_clear()
        stamps.add(stamp(tmp_path / "one.py"))
    stamp.cache_clear()
    assert len(stamps) == 2


def test_every_entry_is_compiled_beforehand_for_all_problems() -> None:
    """After `odt kernels` no engine compiles anything, whatever the problem."""
    names = [name for name, _, _ in compile_kernels()]
    assert len(names) == len(set(names)) > 3
    linked = "odt.engine.branch_and_bound.lanes."  # Python calls them in tests only
    assert [
        name
        for name, kernel in ENTRIES.items()
        if name.startswith("odt") and not name.startswith(linked) and not kernel.signatures
    ] == []
    before = COMPILING.seconds
    for seed in range(12):
        problem = random_problem(seed)
        for solver in ("dp", "cart", "dpdt", "min-size"):
            if problem.needs <= odt.solver_class(solver).supports:
                odt.solve(problem, solver, budget=Budget(time_limit=5))
    X = np.arange(12.0)[:, None]
    real = odt.Dataset(X, X[:, 0] ** 2, task="regression")
    odt.solve(odt.Problem(real, "squared_error", odt.Shape(max_depth=2)), "dpdt")
    assert COMPILING.seconds == before


def test_the_clock_of_a_run_stands_still_while_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also during the compilation: another thread polls the limit meanwhile."""
    now = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    run = Run(odt.Problem(odt.Dataset([[0.0], [1.0]], [0, 1])), Budget(time_limit=10))
    now[0] += 4
    COMPILING.start()
    now[0] += 60
    assert (run.elapsed, run.remaining(), run.compiling) == (4, 6, 60)
    assert not run.should_stop()
    COMPILING.stop()
    now[0] += 6
    assert run.should_stop()


def test_intervals_inside_each_other_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel is compiled while its caller is."""
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr("time.thread_time", lambda: now[0] / 2)
    watch = Stopwatch()
    for _ in range(3):
        watch.start()
        now[0] += 1
    for _ in range(3):
        now[0] += 1
        watch.stop()
    now[0] += 5
    assert watch.seconds == 6
    assert watch.cpu == 3


@inner
def _shifted(x, by):
    return x + by


@entry
def _both(x):
    return _shifted(x, 1) + _shifted(x, 2) + _shifted(x, x)


def test_literals_and_numbers_share_machine_code() -> None:
    """(5 + 1) + (5 + 2) + (5 + 5) = 23, from one version of the inner kernel."""
    assert _both(5) == 23
    assert len(_shifted.signatures) <= 1  # none where the machine code was kept


def test_python_cannot_call_an_inner_kernel() -> None:
    """It has no machine code of its own; the error comes at once."""
    _both(5)
    with pytest.raises(TypeError, match="not tuple"):
        _shifted(1, 2)


class _Pair(NamedTuple):
    numbers: NDArray[np.int64]
    factor: int


@inner
def _scaled(pair, depth):
    if depth == 0:
        return pair.numbers[1] * pair.factor
    return _scaled(pair, depth - 1) + 1


@entry
def _lent(pair):
    return _scaled(lend(pair), 2)


def test_inner_kernels_read_what_an_entry_lends() -> None:
    """Two levels down: 7 * 3 + 1 + 1 = 23, and with other numbers 5 * 2 + 2 = 12."""
    assert _lent(_Pair(np.array([0, 7]), 3)) == 23
    assert _lent(_Pair(np.array([0, 5]), 2)) == 12


def test_compiling_kernels_leaves_the_compiler_of_others_alone() -> None:
    """Signatures are recalled inside kernels only; closures and array sums work elsewhere."""
    before = numba.types.Function.get_call_type
    _lent(_Pair(np.array([0, 7]), 3))
    assert numba.types.Function.get_call_type is before

    @numba.njit  # type: ignore[untyped-decorator]
    def total(x: NDArray[np.int64]) -> int:
        return int((x + x).sum()) + sum([i * i for i in range(3)])

    assert total(np.array([1, 2])) == 11  # 2 + 4 + 0 + 1 + 4
