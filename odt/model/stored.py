"""Whether what was read from a file is a tree that can be used; nothing in a file is trusted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from odt.data.schema import KINDS, Schema
from odt.errors import DataError
from odt.model.feasibility import malformed
from odt.model.tree import Tree


def check_stored(tree: Tree) -> None:
    """Refuse a tree whose parts do not fit together.

    Raises
    ------
    DataError
        Says what is wrong first.
    """
    strange = malformed(tree) or next(_misfits(tree), "")
    if strange:
        raise DataError(f"The stored tree cannot be used: {strange}.")


def _misfits(tree: Tree) -> Iterator[str]:
    counts, gaps, schema, values = tree.counts, tree.gaps, tree.schema, tree.values
    if (tree.label[[test is None for test in tree.tests]] < 0).any():
        yield "a leaf has no class"
    if gaps is not None and gaps.shape != (tree.n_nodes, 2):
        yield f"'gaps' has shape {gaps.shape} for {tree.n_nodes} nodes"
    if values is not None and (values.shape != (tree.n_nodes,) or not np.isfinite(values).all()):
        yield f"'values' are not {tree.n_nodes} finite numbers"
    if counts is not None:
        if counts.ndim != 2 or len(counts) != tree.n_nodes or counts.shape[1] <= tree.label.max():
            yield f"'counts' has shape {counts.shape} for {tree.n_nodes} nodes"
        elif not np.isfinite(counts).all() or (counts < 0).any():
            yield "'counts' holds weights that are negative or not finite"
    if schema is not None:
        yield from _schema_misfits(tree, schema)
        if counts is not None and counts.shape[1] != len(schema.classes):
            yield f"'counts' is of {counts.shape[1]} classes, there are {len(schema.classes)}"


def _schema_misfits(tree: Tree, schema: Schema) -> Iterator[str]:
    n = len(schema.feature_names)
    if not len(schema.kinds) == len(schema.categories) == len(schema.has_gaps) == n:
        yield "the parts of the schema differ in length"
        return
    if not all(isinstance(name, str) for name in schema.feature_names):
        yield "a feature name is no text"
    if not all(kind in KINDS for kind in schema.kinds):
        yield f"a kind of feature is none of {', '.join(KINDS)}"
    if not all(isinstance(gaps, bool) for gaps in schema.has_gaps):
        yield "'has_gaps' is not of booleans"
    for values in (*schema.categories, schema.classes):
        if not all(isinstance(value, str | int | float | None) for value in values):
            yield "a label or category is no text, number, boolean or null"
    if tree.label.max() >= len(schema.classes):
        yield f"a leaf has the class code {tree.label.max()}, there are {len(schema.classes)}"
    for test in tree.tests:
        if test is not None and test.feature >= n:
            yield f"a test asks for feature {test.feature}, there are {n}"
        elif test is not None and test.is_numeric == (schema.kinds[test.feature] == "categorical"):
            yield f"the test '{test.describe()}' does not fit the kind of its feature"
