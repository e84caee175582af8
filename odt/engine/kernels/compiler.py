"""How every kernel of this package is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile on first call, keep the machine code on disk, and release the GIL while running."""
    return cast(Function, njit(cache=True, nogil=True, error_model="numpy")(function))
