"""How every kernel of every engine is compiled, kept, measured and announced.

A kernel is a function over plain arrays and NamedTuples of them, compiled by Numba at its first
call without the interpreter lock, with C's division, and without checks of bounds::

    from odt.engine.compilation import entry, inner

    @inner                       # called by kernels only; Python cannot call it
    def add(a, b): ...

    @entry                       # called by Python, by kernels too
    def total(values): ...

Few entries and many inner kernels compile fast: an inner kernel is turned into LLVM code once for
each combination of argument types, and optimised and translated with the entry that it ends up in.
A literal argument counts as int64, and tuples of arrays are lent (`odt.engine.lending`). What makes
compiling long is the number of kernels, of types they are called with, and of NumPy's functions;
`np.empty` is cheaper than `np.zeros`.

Machine code is kept on disk (see `keep`) as long as no file changes that the kernel's file imports
from the engine. Compiling stops the clock of runs (`odt.core.stopwatch`); `odt.solve` states it as
``runtime["compile"]``. Once it has taken a second, one line on stderr says so. ``odt kernels``
compiles all entries beforehand: a new engine adds a line to `odt.cli.kernels`.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import config, event
from numba.core.dispatcher import Dispatcher

from odt.core.stopwatch import COMPILING
from odt.engine.linking import EntryCompiler, InnerCompiler

Function = TypeVar("Function", bound=Callable[..., Any])
ENTRIES: dict[str, Dispatcher] = {}
"""Every entry by the dotted name of its function."""
PATIENCE = 1.0
"""Seconds of compiling before it is announced."""
_ENGINE = Path(__file__).parent
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def inner(function: Function) -> Function:
    """Compile a function that only other kernels call."""
    compiler = numba.njit(**_OPTIONS, no_cpython_wrapper=True, pipeline_class=InnerCompiler)
    return cast(Function, _widened(compiler(function)))


def entry(function: Function) -> Function:
    """Compile a function that Python calls too, and keep its machine code on disk."""
    kernel = _widened(numba.njit(**_OPTIONS, pipeline_class=EntryCompiler)(function))
    if isinstance(kernel, Dispatcher):  # not under NUMBA_DISABLE_JIT
        keep(kernel)
        ENTRIES[f"{function.__module__}.{function.__name__}"] = kernel
    return cast(Function, kernel)


def _widened(kernel: Any) -> Any:
    """Let kernels pass a literal as an int64; Numba would compile the callee anew for each."""
    if isinstance(kernel, Dispatcher):
        template: Callable[..., Any] = kernel.get_call_template

        def get_call_template(args: Any, kws: Any) -> Any:
            return template(tuple(types.unliteral(kind) for kind in args), kws)

        setattr(kernel, "get_call_template", get_call_template)  # noqa: B010  (a method to mypy)
    return kernel


# ---- on disk ------------------------------------------------------------------------------


def keep(kernel: Dispatcher) -> None:
    """Let the machine code of a kernel be kept where Numba finds a place, or in `own_folder`.

    Numba looks into ``NUMBA_CACHE_DIR``, beside the source, and in the user's cache. Where none
    of them can be written, and no folder of our own can, each process compiles anew.
    """
    try:
        kernel.enable_caching()
    except RuntimeError:
        folder, before = own_folder(), config.CACHE_DIR
        if folder is None:
            return
        config.CACHE_DIR = str(folder)
        try:
            kernel.enable_caching()
        except RuntimeError:
            return
        finally:
            config.CACHE_DIR = before
    # Numba's own stamp sees the file of the function only, not those of kernels linked into it.
    stored: Any = getattr(kernel, "_cache")  # noqa: B009  (no type checker knows it)
    stored._cache_file._source_stamp = stamp(Path(kernel.py_func.__code__.co_filename))


@cache
def own_folder() -> Path | None:
    """Return a folder for machine code among the temporary files; None if it is not ours alone.

    What is read from it is run, so nobody else may be able to write there.
    """
    owner = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"odt-kernels-{owner}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    is_ours = not folder.is_symlink() and (os.name == "nt" or found.st_uid == owner)
    return folder if is_ours and (os.name == "nt" or not found.st_mode & 0o022) else None


@cache
def stamp(path: Path) -> str:
    """Return a digest of a file and of all files of the engine that it imports."""
    seen: set[Path] = set()
    pending = [path, _ENGINE / "compilation.py"]
    while pending:
        source = pending.pop()
        if source in seen or not source.exists():
            continue
        seen.add(source)
        for name in re.findall(r"^from odt\.engine\.([\w.]+) import", source.read_text(), re.M):
            place = _ENGINE.joinpath(*name.split("."))
            pending += place.glob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    digest = hashlib.sha256()
    for source in sorted(seen):
        digest.update(source.read_bytes())
    return digest.hexdigest()


# ---- while compiling ----------------------------------------------------------------------


class _Watch(event.Listener):  # type: ignore[misc]
    """Runs the stopwatch while an entry is compiled, and announces it after a second."""

    def __init__(self) -> None:
        self._depth = 0
        self._is_announced = False
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        """Begin to count if the outermost kernel is one of ours."""
        if not self._depth and event.data["dispatcher"] not in ENTRIES.values():
            return
        self._depth += 1
        COMPILING.start()
        if self._depth == 1 and not self._is_announced:
            self._timer = threading.Timer(max(0.0, PATIENCE - COMPILING.seconds), self._announce)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stop to count when the outermost kernel is done."""
        if not self._depth:
            return
        self._depth -= 1
        COMPILING.stop()
        if not self._depth and self._timer is not None:
            self._timer.cancel()

    def _announce(self) -> None:
        self._is_announced = True
        once = "once on this machine ('odt kernels' does it beforehand)"
        if not all(kernel.stats.cache_path for kernel in ENTRIES.values()):
            once = "in each process, since no cache folder can be written: set NUMBA_CACHE_DIR"
        print(f"odt: compiling kernels, {once}", file=sys.stderr, flush=True)


event.register("numba:compile", _Watch())
