"""Seconds in which the process compiled kernels: they belong to no run and to no limit."""

from __future__ import annotations

import threading
import time


class Stopwatch:
    """Seconds spent between `start` and `stop`, calls inside each other counted once.

    Attributes
    ----------
    cpu : float
        Processor seconds of the thread that began each interval, once that has ended.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._since = 0.0
        self._spent = 0.0
        self._cpu_since = 0.0
        self.cpu = 0.0

    @property
    def seconds(self) -> float:
        """Seconds so far, those of an open interval included."""
        with self._lock:
            return self._spent + (time.perf_counter() - self._since if self._depth else 0.0)

    def start(self) -> None:
        """Begin an interval, or one inside another."""
        with self._lock:
            if not self._depth:
                self._since, self._cpu_since = time.perf_counter(), time.thread_time()
            self._depth += 1

    def stop(self) -> None:
        """End the interval begun last."""
        with self._lock:
            self._depth -= 1
            if not self._depth:
                self._spent += time.perf_counter() - self._since
                self.cpu += max(0.0, time.thread_time() - self._cpu_since)


COMPILING = Stopwatch()
"""What `odt.engine.compilation` measures and each run takes off its own time."""
