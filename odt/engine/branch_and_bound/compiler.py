"""How the kernels of this package are compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

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


def inlined(function: Function) -> Function:
    """Compile a function that calls the recursive kernel it is called by, as part of its caller.

    Numba cannot load two functions that call each other from its cache.
    """
    return _compiled(function, no_cfunc_wrapper=True, inline="always")


def _compiled(function: Function, **options: Any) -> Function:
    """Compile on first call for the integer width of the data; release the GIL; keep on disk.

    Numba keeps machine code as long as the file of a function is unchanged, although it contains
    the code of functions it calls from other files. Here a change of any file of the room counts.
    """
    kernel = njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    index = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if index is not None:
        index._source_stamp = _SOURCES
    return cast(Function, kernel)
