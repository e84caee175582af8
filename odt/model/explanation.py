"""Why a row is classified as it is: what its path says about each feature, merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from odt.data.encode import GAP
from odt.data.schema import Schema
from odt.model.testset import KNOWN, Test
from odt.model.text import outcome_text

if TYPE_CHECKING:
    from odt.model.tree import Tree

Answer = tuple[Test, bool]


def explanation(tree: Tree, schema: Schema, row: NDArray[np.float64]) -> tuple[str, ...]:
    """Return one condition for each feature on the path of a row, in order of first use.

    Thresholds of one feature become one interval, or say that the value is missing; its sets of
    categories become one set; the last text is the class or value.

    Parameters
    ----------
    tree : Tree
    schema : Schema
        Names.
    row : ndarray of float64, shape (p,)
        Encoded.
    """
    answers: dict[int, list[Answer]] = {}
    node = 0
    while (test := tree.tests[node]) is not None:
        yes = bool(test.accepts(row[[test.feature]])[0])
        answers.setdefault(test.feature, []).append((test, yes))
        node = int(tree.left[node] if yes else tree.right[node])
    conditions = [
        condition
        for feature, asked in answers.items()
        for condition in (
            _interval(schema, feature, asked, bool(row[feature] == GAP)),
            _set(schema, feature, asked),
        )
        if condition
    ]
    return (*conditions, outcome_text(tree, node))


def _interval(schema: Schema, feature: int, asked: list[Answer], is_gap: bool) -> str:
    name = schema.feature_names[feature]
    numeric = [(t.threshold, yes) for t, yes in asked if t.threshold is not None]
    if not numeric:
        return ""
    if is_gap:
        return f"{name} is missing"
    below = [t for t, yes in numeric if yes and t < KNOWN]
    above = [t for t, yes in numeric if not yes]
    if below and above:
        return f"{_number(max(above))} < {name} <= {_number(min(below))}"
    if below:
        return f"{name} <= {_number(min(below))}"
    return f"{name} > {_number(max(above))}" if above else f"{name} is known"


def _set(schema: Schema, feature: int, asked: list[Answer]) -> str:
    name, known = schema.feature_names[feature], schema.categories[feature]
    inside = [set(t.categories) for t, yes in asked if t.categories is not None and yes]
    outside = [set(t.categories) for t, yes in asked if t.categories is not None and not yes]
    if not inside and not outside:
        return ""
    excluded = set().union(*outside)
    left = set.intersection(*inside) - excluded if inside else excluded
    values = [str(known[c]) if c < len(known) else str(c) for c in sorted(left)]
    if len(values) == 1:
        return f"{name} {'==' if inside else '!='} {values[0]}"
    return f"{name} {'in' if inside else 'not in'} {{{', '.join(values)}}}"


def _number(value: float) -> str:
    """Shortest text that is this number."""
    return repr(float(value)).removesuffix(".0")
