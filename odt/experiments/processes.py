"""The processes that a process has started, and the processor time of all of them."""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from pathlib import Path


def descendants(process: int) -> list[int]:
    """Return the processes that a process started, and those that these started (Linux only)."""
    found: list[int] = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                found += [child, *descendants(child)]
    return found


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all that it started, those at work included.

    Programs that solvers keep for the next run count too; they are seen under Linux only.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + ended.ru_utime + ended.ru_stime
    return total + sum(map(_cpu_of, descendants(os.getpid())))


def _cpu_of(process: int) -> float:
    """Return the CPU time of another process and of those of its children that have ended."""
    with suppress(OSError, IndexError):  # it has just ended
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0
