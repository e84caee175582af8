"""What is written into the boxes of a drawn tree, thresholds as short as they may be."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from odt.data.numerals import amount
from odt.model.testset import KNOWN
from odt.model.tree import Tree

_WIDTH, _MOST_LINES = 28, 4
_DIGITS = 17
_VALUE_DIGITS = 4
_OPEN_DIGITS = 3
"""Least digits of a threshold with training values on one side only."""


def caption(tree: Tree, node: int) -> tuple[str, ...]:
    """Return the lines of a node: its test, or its label and how many examples bear it out."""
    test = tree.tests[node]
    if test is None:
        value = tree.outcome(node)
        label = str(value) if tree.values is None else f"{value:.{_VALUE_DIGITS}g}"
        own = () if tree.counts is None else (_share(tree, node, tree.counts[node]),)
        return (*_wrapped(label), *own)
    if test.threshold is not None and abs(test.threshold) < KNOWN and tree.gaps is not None:
        test = replace(test, threshold=separating(test.threshold, *tree.gaps[node].tolist()))
    return _wrapped(test.describe(tree.schema))


def separating(threshold: float, low: float, high: float) -> float:
    """Return the threshold in as few digits as keep all values on their sides.

    Parameters
    ----------
    threshold : float
    low, high : float
        The largest value that passes and the smallest that does not; NaN where there is none.

    Examples
    --------
    >>> separating(2.4499999999, 2.4, 2.5), separating(1700000000.5, 1700000000, 1700000001)
    (2.4, 1700000000.0)
    """
    known = 2 - isnan(low) - isnan(high)
    if known:
        for digits in range(1 if known == 2 else _OPEN_DIGITS, _DIGITS):
            rounded = float(f"{threshold:.{digits}g}")
            if (isnan(low) or low <= rounded) and (isnan(high) or rounded < high):
                return rounded
    return threshold


def _share(tree: Tree, node: int, counts: NDArray[np.float64]) -> str:
    whole = f"of {amount(counts.sum())}"
    return whole if tree.values is not None else f"{amount(counts[tree.label[node]])} {whole}"


def _wrapped(text: str) -> tuple[str, ...]:
    lines = textwrap.wrap(text, _WIDTH) or [text]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1][: _WIDTH - 2]} …"]
    return tuple(lines)
