"""Checks of parameters, with one form of message: what was expected and what was got."""

from __future__ import annotations

from math import inf
from numbers import Integral, Real

from odt.errors import ProblemError


def is_int(value: object, least: int) -> bool:
    """Say whether a value is an integer (NumPy's included, booleans not) of at least ``least``."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def check_int(name: str, value: object, least: int, *, optional: bool = False) -> None:
    """Refuse anything but an integer of at least ``least``.

    Parameters
    ----------
    name : str
        Name of the parameter in the message.
    value : object
    least : int
    optional : bool, default False
        Whether None is accepted too.

    Raises
    ------
    ProblemError
    """
    if not (is_int(value, least) or (optional and value is None)):
        raise ProblemError(
            f"'{name}' must be an int >= {least}{_or_none(optional)}. Got {value!r} instead."
        )


def check_number(
    name: str, value: object, *, most: float = inf, zero: bool = True, optional: bool = False
) -> None:
    """Refuse anything but a finite number from 0 to ``most``.

    Parameters
    ----------
    name : str
        Name of the parameter in the message.
    value : object
    most : float, default inf
    zero : bool, default True
        Whether 0 itself is accepted.
    optional : bool, default False
        Whether None is accepted too.

    Raises
    ------
    ProblemError
    """
    if optional and value is None:
        return
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and 0 <= float(value) <= most and float(value) < inf and (zero or value != 0):  # type: ignore[arg-type]
        return
    expected = (
        f"a number {'>=' if zero else '>'} 0" if most == inf else f"a fraction in [0, {most:g}]"
    )
    raise ProblemError(f"'{name}' must be {expected}{_or_none(optional)}. Got {value!r} instead.")


def _or_none(optional: bool) -> str:
    return " or None" if optional else ""
