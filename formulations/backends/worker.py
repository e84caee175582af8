"""The other side of `formulations.backends.apart`: a process that solves what it is sent."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from typing import Any

from odt.core.run import Allowance
from odt.errors import OdtError


class Sender:
    """Sends what a library reports; see `formulations.backends.protocol.Listener`."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.failure: BaseException | None = None

    def incumbent(self, values: Any) -> None:
        """Send the values of a solution."""
        self.send("incumbent", values)

    def bound(self, bound: float) -> None:
        """Send a lower bound."""
        self.send("bound", bound)

    def check(self) -> None:
        """Do nothing: what goes wrong with a report is found on the other side."""

    def send(self, kind: str, content: Any) -> None:
        """Send a message."""
        with self._lock:
            pickle.dump((kind, content), self._channel, protocol=pickle.HIGHEST_PROTOCOL)
            self._channel.flush()


def serve() -> None:
    """Do the jobs that come on standard input until it is closed."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # prints must not disturb the messages
    jobs: queue.Queue[tuple[Any, Allowance]] = queue.Queue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    while True:
        job, limits = jobs.get()
        sender = Sender(channel)
        try:
            outcome = job.emitter.solve(job.program, job.hint, limits, sender)
            stopped_by = None if limits.stopped_by == "interrupt" else limits.stopped_by
            sender.send("done", (outcome, stopped_by))
        except Exception as error:
            sender.send("failed", _portable(error))
        del job


def _listen(jobs: queue.Queue[tuple[Any, Allowance]]) -> None:
    """Take jobs, and the word to stop the current one; end with the process that sends them."""
    limits: Allowance | None = None
    while True:
        try:
            message = pickle.load(sys.stdin.buffer)
        except EOFError:
            os._exit(0)
        if message == "stop":
            assert limits is not None
            limits.interrupt()
        else:
            limits = Allowance(message.budget, message.seed)
            jobs.put((message, limits))


def _portable(error: Exception) -> Exception:
    """Return an error that survives the way to the other side."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return OdtError(f"{type(error).__name__}: {error}")
    return error
