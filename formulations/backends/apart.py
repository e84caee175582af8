"""Solver libraries in a process of their own, which can be ended whatever they are doing.

HiGHS and SAT solvers may take many seconds to notice that they must stop, in which a thread would
hold up the end of the program and keep its memory. A process is told to stop, and killed if it does
not; what it reported before is kept. It serves one solve after the other, so that starting it is
paid for once. A crash of the library is a result too, not the end of the user's program.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple

from formulations.backends.outcome import Outcome
from formulations.backends.protocol import Emitter, Listener, P_contra
from formulations.program.base import Values
from odt.core.run import Allowance, Budget
from odt.core.solver import Status

_GRACE = 0.3
"""Seconds a library has to hand over its last values after it was told to stop."""
_START = "from formulations.backends.worker import serve; serve()"
_idle: list[Worker] = []


class Job(NamedTuple):
    """What a worker is asked to do: ``emitter.solve(program, hint, ...)``."""

    emitter: Any
    program: Any
    hint: Values | None
    budget: Budget
    seed: int


@dataclass(frozen=True)
class Apart(Generic[P_contra]):
    """An emitter that works in another process.

    Parameters
    ----------
    emitter : Emitter
        Picklable, as its programs must be.
    """

    emitter: Emitter[P_contra]

    def solve(
        self, program: P_contra, hint: Values | None, run: Allowance, progress: Listener
    ) -> Outcome:
        """Minimise ``program`` within ``run``; see `formulations.backends.protocol.Emitter`."""
        worker = _take()
        run.helpers.add(worker.process.pid)
        try:
            left = run.remaining()
            budget = Budget(max(left, 1e-3) if left < float("inf") else None, None, run.n_threads)
            job = Job(self.emitter, program, hint, budget, run.seed)
            outcome, stopped_by = run.call(lambda: worker.work(job, progress), worker.stop)
            run.stopped_by = run.stopped_by or stopped_by
            return outcome
        finally:
            run.helpers.discard(worker.process.pid)
            _give_back(worker)


class Worker:
    """Our side of one process.

    Attributes
    ----------
    process : subprocess.Popen
    owner : int
        The process that started it; a copy of ours, made by a fork, must not use it.
    """

    def __init__(self) -> None:
        paths = os.pathsep.join(path or "." for path in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,  # Ctrl-C is for the run
        )
        self.owner = os.getpid()
        self.is_free = True
        self._is_killed = False
        self._job = 0
        self._writing = threading.Lock()

    def work(self, job: Job, progress: Listener) -> tuple[Outcome, str | None]:
        """Send a job and wait for its outcome, passing on what is reported."""
        self.is_free = False
        self._job += 1
        with suppress(BrokenPipeError):
            self._send(job)
        while True:
            try:
                kind, content = pickle.load(self.process.stdout)  # type: ignore[arg-type]
            except (EOFError, pickle.UnpicklingError):
                return self._ended(), None
            if kind == "incumbent":
                progress.incumbent(content)
            elif kind == "bound":
                progress.bound(content)
            else:
                self.is_free = True
                if kind == "failed":
                    raise content
                return content  # type: ignore[no-any-return]

    def stop(self) -> None:
        """Tell the library to stop; soon after, end the process."""
        timer = threading.Timer(_GRACE, self._end_job, [self._job])
        timer.daemon = True
        timer.start()
        if self._writing.acquire(timeout=_GRACE):  # a job may be on its way
            self._writing.release()
            with suppress(BrokenPipeError):
                self._send("stop")

    def end(self) -> None:
        """Kill the process, and those that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _send(self, message: Any) -> None:
        assert self.process.stdin is not None
        with self._writing:
            pickle.dump(message, self.process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()

    def _end_job(self, number: int) -> None:
        if number == self._job and not self.is_free:
            self._is_killed = True
            self.end()

    def _ended(self) -> Outcome:
        code = self.process.wait()
        way = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        how = f"its process ended with {way}"
        if self._is_killed:
            how = f"it did not stop within {_GRACE} s of being told, so its process was ended"
        return Outcome(Status.UNKNOWN, stats={"backend_status": how})


def _take() -> Worker:
    while _idle:
        worker = _idle.pop()
        if worker.owner == os.getpid() and worker.process.poll() is None:
            return worker
    return Worker()


def _give_back(worker: Worker) -> None:
    if worker.is_free and worker.process.poll() is None:
        _idle.append(worker)
    else:
        worker.end()


def end_workers() -> None:
    """End the processes that wait for work; the end of the program does it by itself."""
    while _idle:
        worker = _idle.pop()
        if worker.owner == os.getpid():
            worker.end()


atexit.register(end_workers)
