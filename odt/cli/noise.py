"""Standard output is for answers: what solvers print goes to standard error."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

_STDOUT, _STDERR = 1, 2


@contextmanager
def noise_to_stderr() -> Iterator[None]:
    """Send to standard error what is printed meanwhile, by Python or by a native library.

    Banners of native libraries bypass ``sys.stdout``, so the file descriptor itself is turned.
    """
    sys.stdout.flush()
    kept = os.dup(_STDOUT)
    try:
        os.dup2(_STDERR, _STDOUT)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        ctypes.CDLL(None).fflush(None)  # or what a library has buffered comes out later
        os.dup2(kept, _STDOUT)
        os.close(kept)
