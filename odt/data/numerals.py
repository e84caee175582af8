"""Numbers as text."""

from __future__ import annotations


def shortest(number: float) -> str:
    """Return the shortest decimal that reads back to the same float64.

    Thresholds and coefficients are printed so, because a rounded one is another number: rules on
    times in seconds would send examples to the wrong side.

    Parameters
    ----------
    number : float

    Examples
    --------
    >>> shortest(2.0), shortest(1700000000123.5)
    ('2', '1700000000123.5')
    """
    return repr(float(number)).removesuffix(".0")


def amount(number: float) -> str:
    """Return a count or a weight for people to read: whole numbers whole, others in six digits.

    Parameters
    ----------
    number : float
    """
    return f"{number:.0f}" if float(number).is_integer() else f"{number:g}"
