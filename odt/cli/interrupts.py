"""Termination does what Ctrl-C does: the incumbent is printed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does."""

    def handler(number: int, frame: FrameType | None) -> None:
        signal.raise_signal(signal.SIGINT)

    with _handling(signal.SIGTERM, handler):
        yield


@contextmanager
def finishing() -> Iterator[Callable[[], None]]:
    """Let nothing be cut short once there is an answer: it is printed and written in full.

    Yields what to call when there is one. Before, Ctrl-C raises KeyboardInterrupt as ever; after,
    it ends a solver that runs (`odt.solve`) and is ignored otherwise.
    """
    is_held = is_lost = False

    def hold() -> None:
        nonlocal is_held, is_lost
        is_held = True
        if is_lost:  # a library's callback has swallowed the exception
            is_lost = False
            signal.raise_signal(signal.SIGINT)

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal is_lost
        if not is_held:
            is_lost = True
            raise KeyboardInterrupt

    with _handling(signal.SIGINT, handler):
        yield hold


@contextmanager
def _handling(number: int, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, previous)
