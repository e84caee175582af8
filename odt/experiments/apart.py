"""Runs in processes of their own, with hard limits; what ends a process is a row, not our end.

A process serves one run after the other, so that starting it is paid for once. It is replaced
when a run failed, or left much memory behind.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Pipe

from odt.core.run import machine_memory, resident_memory
from odt.experiments.processes import descendants
from odt.experiments.record import Row, lost
from odt.experiments.trial import Trial
from odt.model.checks import check_number

_START = "from odt.experiments.worker import serve; serve({}, {})"
_POLL_SECONDS = 0.05
_PREPARATION_SECONDS = 900.0
"""Most that reading the data and finding the initial tree may take."""
_LEFT_BEHIND = 256.0
"""MiB by which a process may grow before it is replaced."""
_LAST_WORDS = 400
_CLEAN = ("optimal", "feasible", "infeasible", "unknown", "unsupported", "not installed")


@dataclass(frozen=True)
class Guards:
    """Hard limits: a run that passes them is ended with its process.

    Parameters
    ----------
    grace : float, default 10.0
        Seconds beyond the time limit. Compiling kernels is not counted.
    memory : float, optional
        MiB of a run's processes together; by default one and a half times the memory limit and
        512 MiB, or 90 % of this machine's memory without a memory limit.
    """

    grace: float = 10.0
    memory: float | None = None

    def __post_init__(self) -> None:
        check_number("grace", self.grace)
        check_number("memory", self.memory, zero=False, optional=True)

    def memory_of(self, trial: Trial) -> float:
        """Return the MiB at which a run is ended."""
        if self.memory is not None:
            return self.memory
        limit = trial.budget.memory_limit
        return 0.9 * machine_memory() if limit is None else 1.5 * limit + 512


def run_apart(trial: Trial, guards: Guards) -> Row:
    """Do a run in another process and return its row, whatever becomes of that process."""
    worker = _POOL.take()
    row = worker.work(trial, guards)
    _POOL.give_back(worker)
    return row


class Worker:
    """Our side of one process."""

    def __init__(self) -> None:
        ours, theirs = Pipe()
        life, self._lifeline = os.pipe()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        fds = (theirs.fileno(), life)
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START.format(*fds)],
            stdin=subprocess.DEVNULL,
            stdout=self._words,
            stderr=self._words,
            pass_fds=fds,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONFAULTHANDLER": "1"},
            start_new_session=True,  # Ctrl-C is for us
        )
        theirs.close()
        os.close(life)
        self._connection = ours
        self._memory_at_first: float | None = None
        self.is_clean = True

    def work(self, trial: Trial, guards: Guards) -> Row:
        """Send a run and wait for its row, or for the end of the process."""
        self.is_clean = False
        self._words.seek(0)
        self._words.truncate()
        watch = _Watch(trial, guards, self.process.pid)
        try:
            self._connection.send(trial)
            while not (excess := watch.excess()):
                if self._connection.poll(_POLL_SECONDS):
                    kind, content = self._connection.recv()
                    if kind == "row":
                        return self._finish(content, watch)
                    watch.note(kind, content)
        except (EOFError, OSError):
            return lost(trial, "crashed", self._farewell(), watch.elapsed, watch.memory)
        self.kill()
        return lost(trial, excess, watch.message(excess), watch.elapsed, watch.memory)

    def kill(self) -> None:
        """Kill the process and all that it started; whoever waits for it notices."""
        for process in (self.process.pid, *descendants(self.process.pid)):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process and let go of what belongs to it."""
        self.kill()
        self.process.wait()
        self._connection.close()
        self._words.close()
        os.close(self._lifeline)

    def _finish(self, row: Row, watch: _Watch) -> Row:
        memory = resident_memory(self.process.pid)
        first = self._memory_at_first = self._memory_at_first or memory
        self.is_clean = row["status"] in _CLEAN and memory - first < _LEFT_BEHIND
        return row | {"memory": max(watch.memory, row["memory"])}

    def _farewell(self) -> str:
        """Say how the process ended, with the last that it wrote."""
        code = self.process.wait()
        self._words.seek(0)
        words = last_words(self._words.read().decode(errors="replace"))
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"its process ended with {name}" + (f": {words}" if words else "")


def last_words(written: str) -> str:
    """Return the end of what a process wrote, on one line.

    Of Python's own report of a fatal error only the head and the innermost call are kept.
    """
    before, fatal, after = written.partition("Fatal Python error")
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    words = " | ".join(lines)[-_LAST_WORDS:]
    if not fatal:
        return words
    innermost = after.rpartition("Current thread")[2].splitlines()
    call = next((line.strip() for line in innermost if "File " in line), "")
    report = f"{fatal}{after.splitlines()[0] if after else ''}"
    return " | ".join(part for part in (words, report, call) if part)


class _Watch:
    """What a run has used up, seen from outside."""

    def __init__(self, trial: Trial, guards: Guards, process: int) -> None:
        self.memory = 0.0
        self._process = process
        self._seconds = trial.budget.time_limit
        self._grace = guards.grace
        self._most_memory = guards.memory_of(trial)
        self._start = time.monotonic()
        self._begins: float | None = None
        self._compiled = self._compiled_before = 0.0
        self._next_look = self._start + _POLL_SECONDS

    @property
    def elapsed(self) -> float:
        """Seconds since the solver began, or the run was sent; those of compiling left out."""
        compiling = self._compiled - self._compiled_before
        return time.monotonic() - (self._begins or self._start) - compiling

    def note(self, kind: str, compiled: float) -> None:
        """Take in that the solver begins, or how long kernels have been compiled so far."""
        self._compiled = compiled
        if kind == "begins":
            self._begins, self._compiled_before = time.monotonic(), compiled

    def excess(self) -> str:
        """Return how the run passed its hard limits; empty if it did not."""
        allowed = _PREPARATION_SECONDS
        if self._begins is not None:
            allowed = inf if self._seconds is None else self._seconds + self._grace
        if self.elapsed > allowed:
            return "over time"
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + _POLL_SECONDS
            family = (self._process, *descendants(self._process))
            self.memory = max(self.memory, sum(map(resident_memory, family)))
        return "over memory" if self.memory > self._most_memory else ""

    def message(self, excess: str) -> str:
        """Say what was passed."""
        if excess == "over memory":
            return f"ended at {self.memory:,.0f} MiB; {self._most_memory:,.0f} MiB were allowed"
        stage = "the solver" if self._begins is not None else "reading the data"
        return f"ended {self.elapsed:.1f} s after {stage} began; it did not stop by itself"


class _Pool:
    """Processes that wait for work, and those at work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()

    def take(self) -> Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.process.poll() is None:
                    break
                worker.close()
            else:
                worker = Worker()
            self._busy.add(worker)
        return worker

    def give_back(self, worker: Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if worker.is_clean:
                self._idle.append(worker)
                return
        worker.close()

    def end(self) -> None:
        with self._lock:
            for worker in self._busy:
                worker.kill()
            while self._idle:
                self._idle.pop().close()


_POOL = _Pool()
atexit.register(_POOL.end)
os.register_at_fork(after_in_child=lambda: globals().update(_POOL=_Pool()))


def end_workers() -> None:
    """End all processes, those at work too: their runs are lost."""
    _POOL.end()
