"""How every kernel of this package is compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])

_SOURCES = tuple(
    (path.name, path.stat().st_mtime_ns, path.stat().st_size)
    for path in sorted(Path(__file__).parent.glob("*.py"))
)


def compiled(function: Function) -> Function:
    """Compile a function that only other kernels call."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def entry(function: Function) -> Function:
    """Compile a function that Python calls too; unpacking its arguments takes machine code."""
    return _compiled(function, no_cfunc_wrapper=True)


def _compiled(function: Function, **options: bool) -> Function:
    """Compile on first call, keep the machine code on disk, and release the GIL while running.

    Numba keeps machine code as long as the file of a function is unchanged, although it contains
    the code of functions it calls from other files. Here a change of any kernel file counts.
    """
    kernel = njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    index = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if index is not None:
        index._source_stamp = _SOURCES
    return cast(Function, kernel)
