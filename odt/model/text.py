"""Trees as text, DOT and plain dictionaries (JSON)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odt.data.numerals import amount
from odt.data.schema import Schema
from odt.errors import DataError
from odt.model.stored import check_stored
from odt.model.testset import Test
from odt.model.tree import Tree

FORMAT, VERSION = "odt-tree", 1
MOST_LETTERS = 2**28
"""Length of a stored tree beyond which it is not read."""
MOST_NODES = 10**6
"""Nodes of a tree beyond which text is not read."""


def to_dict(tree: Tree) -> dict[str, Any]:
    """Return the tree as JSON-ready lists and numbers; `from_dict` is the inverse.

    Floats are written so that they read back to the same value.

    Raises
    ------
    DataError
        For labels or categories that are no text, number, boolean or None, such as dates: they
        would not read back as they were.
    """
    schema = tree.schema
    return {
        "format": FORMAT,
        "version": VERSION,
        "tests": [_test_to_dict(test) for test in tree.tests],
        "left": tree.left.tolist(),
        "right": tree.right.tolist(),
        "label": tree.label.tolist(),
        "counts": None if tree.counts is None else tree.counts.tolist(),
        "gaps": None if tree.gaps is None else _with_null(tree.gaps),
        **({} if tree.values is None else {"values": tree.values.tolist()}),
        "schema": None
        if schema is None
        else {
            "feature_names": list(schema.feature_names),
            "kinds": list(schema.kinds),
            "categories": [storable(c) for c in schema.categories],
            "classes": storable(schema.classes),
            "has_gaps": list(schema.has_gaps),
        },
    }


def from_dict(data: dict[str, Any]) -> Tree:
    """Return the tree described by `to_dict`.

    Raises
    ------
    DataError
        If ``data`` is not of this format and version, or describes no tree.
    """
    found = data.get("format"), data.get("version")
    if found != (FORMAT, VERSION):
        raise DataError(f"Expected a tree in the format {(FORMAT, VERSION)!r}. Got {found!r}.")
    if len(data["tests"]) > MOST_NODES:
        raise DataError(f"The tree has {len(data['tests'])} nodes; at most {MOST_NODES} are read.")
    tree = _tree(data)
    check_stored(tree)
    return tree


def _tree(data: dict[str, Any]) -> Tree:
    schema = data["schema"]
    return Tree(
        tests=tuple(_test_from_dict(test) for test in data["tests"]),
        left=np.array(data["left"], dtype=np.int64),
        right=np.array(data["right"], dtype=np.int64),
        label=np.array(data["label"], dtype=np.int64),
        counts=None if data["counts"] is None else np.array(data["counts"], dtype=np.float64),
        schema=None
        if schema is None
        else Schema(
            tuple(schema["feature_names"]),
            tuple(schema["kinds"]),
            tuple(tuple(c) for c in schema["categories"]),
            tuple(schema["classes"]),
            tuple(schema["has_gaps"]),
        ),
        gaps=_numbers(data.get("gaps")),
        values=_numbers(data.get("values")),
    )


def _numbers(stored: Any) -> NDArray[np.float64] | None:
    return None if stored is None else np.array(stored, dtype=np.float64)


def to_text(tree: Tree) -> str:
    """Return the tree as indented text, one line a node side."""
    if tree.tests[0] is None:
        return _leaf_text(tree, 0)
    lines: list[str] = []
    waiting = [(0, True, ""), (0, False, "")]
    while waiting:
        node, negated, indent = waiting.pop()
        test, child = tree.tests[node], int((tree.right if negated else tree.left)[node])
        assert test is not None
        head = f"{indent}if {test.describe(tree.schema, negated=negated)}:"
        if tree.tests[child] is None:
            lines.append(f"{head} {_leaf_text(tree, child)}")
        else:
            lines.append(head)
            waiting += [(child, True, indent + "|   "), (child, False, indent + "|   ")]
    return "\n".join(lines)


def to_dot(tree: Tree) -> str:
    """Return the tree in Graphviz's DOT language; left edges mean yes."""
    lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];']
    for node, test in enumerate(tree.tests):
        text = _leaf_text(tree, node) if test is None else test.describe(tree.schema)
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  {node} [label="{quoted}"];')
        if test is not None:
            lines.append(f'  {node} -> {tree.left[node]} [label="yes"];')
            lines.append(f'  {node} -> {tree.right[node]} [label="no"];')
    return "\n".join([*lines, "}"])


def _with_null(gaps: NDArray[np.float64]) -> list[list[float | None]]:
    return [[None if np.isnan(end) else end for end in gap] for gap in gaps.tolist()]


def storable(values: Sequence[Any]) -> list[Any]:
    """Return labels or categories that JSON can hold.

    Raises
    ------
    DataError
        For those that are no text, number, boolean or None.
    """
    for value in values:
        if not isinstance(value, str | int | float | None):
            raise DataError(
                f"The label or category {value!r} is a {type(value).__name__}, which JSON cannot "
                "hold. Make text of it before the dataset is built."
            )
    return list(values)


def _leaf_text(tree: Tree, node: int) -> str:
    text = outcome_text(tree, node)
    if tree.counts is None:
        return text
    weight = amount(tree.counts[node].sum())
    if tree.values is not None:
        return f"{text} (of {weight})"
    return f"{text} ({amount(tree.counts[node][tree.label[node]])} of {weight})"


def outcome_text(tree: Tree, node: int) -> str:
    """Return what a leaf predicts, in words: a class, or a value in six digits."""
    if tree.values is not None:
        return f"value {tree.values[node]:.6g}"
    return f"class {tree.outcome(node)}"


def _test_to_dict(test: Test | None) -> dict[str, Any] | None:
    if test is None:
        return None
    if test.threshold is not None:
        gaps = {"missing_left": True} if test.missing_left else {}
        return {"feature": test.feature, "threshold": test.threshold, **gaps}
    return {"feature": test.feature, "categories": list(test.categories or ())}


def _test_from_dict(data: dict[str, Any] | None) -> Test | None:
    if data is None:
        return None
    if "threshold" in data:
        gaps = data.get("missing_left", False)
        return Test(data["feature"], threshold=data["threshold"], missing_left=gaps)
    return Test(data["feature"], categories=tuple(data["categories"]))
