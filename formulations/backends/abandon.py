"""Calls of native libraries that react late when they are told to stop."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import Any

from odt.core.run import Run

_GRACE = 0.25
_LAST_WAIT = 30.0
_left: list[threading.Thread] = []


def call_patiently(run: Run, native: Callable[[], Any], stop: Callable[[], None]) -> bool:
    """Run a blocking call like ``run.call``, but do not wait for ever after ``stop``.

    A library that does not come back soon is left to end by itself in its thread; nothing of it
    may be used then. What it reported before is kept by the run.

    Parameters
    ----------
    run : Run
    native : callable
        Blocks until done or stopped; must release the interpreter lock.
    stop : callable
        Makes ``native`` return, sooner or later.

    Returns
    -------
    bool
        Whether ``native`` has come back.
    """
    failure: list[BaseException] = []
    stopped = threading.Event()

    def body() -> None:
        try:
            native()
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=body, daemon=True)

    def wait() -> None:
        while thread.is_alive() and not stopped.is_set():
            thread.join(0.02)
        thread.join(_GRACE)

    def tell() -> None:
        stop()
        stopped.set()

    thread.start()
    run.call(wait, tell)
    if failure:
        raise failure[0]
    if thread.is_alive():
        _left.append(thread)
    return not thread.is_alive()


def wait_for_stragglers() -> None:
    """Wait for calls that were left behind, so that nothing runs on at the end of the process."""
    while _left:
        _left.pop().join(_LAST_WAIT)


atexit.register(wait_for_stragglers)
