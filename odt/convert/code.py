"""Trees as code that runs without odt: SQL, Python, and rules to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from odt.data.encode import MISSING
from odt.data.schema import Schema
from odt.errors import DataError
from odt.model.testset import KNOWN, Test
from odt.model.tree import Tree

DEEPEST_PYTHON = 90
"""Python refuses source with 100 levels of indentation."""
_PYTHON_HEAD = """\
def _missing(value):
    return value is None or value != value


def _known(row, name):
    value = row[name]
    if _missing(value):
        raise ValueError(f"{name!r} is missing, and the training data had no gaps there")
    return value


def predict(row):
"""


def to_rules(tree: Tree) -> tuple[str, ...]:
    """Return one rule for each leaf, such as ``if a <= 2 and b == red then yes``, left to right."""
    schema, rules = _schema(tree), []
    waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while waiting:
        node, conditions = waiting.pop()
        test = tree.tests[node]
        if test is None:
            premise = f"if {' and '.join(conditions)} then " if conditions else ""
            rules.append(f"{premise}{tree.outcome(node)}")
            continue
        no = (*conditions, test.describe(schema, negated=True))
        waiting.append((int(tree.right[node]), no))
        waiting.append((int(tree.left[node]), (*conditions, test.describe(schema))))
    return tuple(rules)


def to_sql(tree: Tree) -> str:
    """Return the tree as one SQL expression, a ``CASE`` over columns of the features' names.

    Numbers are compared as 64-bit floats; a column of a decimal or 32-bit type must be cast. NULL
    is a missing value; in a column that had no gaps in training, where odt refuses it, it fails
    every test.

    Raises
    ------
    DataError
        For labels or categories that are no text, number, boolean or None.
    """
    schema = _schema(tree)

    def write(node: int) -> str:
        test = tree.tests[node]
        if test is None:
            return _sql_value(tree.outcome(node))
        left, right = write(int(tree.left[node])), write(int(tree.right[node]))
        return f"CASE WHEN {_sql_test(test, schema)} THEN {left} ELSE {right} END"

    return write(0)


def to_python(tree: Tree) -> str:
    """Return source code of a function ``predict(row)``; a row maps feature names to values.

    None and NaN are missing values, refused with a ValueError where training had none.

    Raises
    ------
    DataError
        For a tree deeper than Python's limit on indentation, and for labels or categories that
        are no text, number, boolean or None.
    """
    schema = _schema(tree)
    if tree.depth > DEEPEST_PYTHON:
        raise DataError(
            f"The tree has depth {tree.depth}; Python code nests at most {DEEPEST_PYTHON} deep. "
            "Limit max_depth, or store the tree as JSON."
        )
    lines: list[str] = []

    def write(node: int, indent: str) -> None:
        test = tree.tests[node]
        if test is None:
            lines.append(f"{indent}return {_plain(tree.outcome(node), repr)}")
            return
        lines.append(f"{indent}if {_python_test(test, schema)}:")
        write(int(tree.left[node]), indent + " ")
        write(int(tree.right[node]), indent)

    write(0, "    ")
    return _PYTHON_HEAD + "\n".join(lines) + "\n"


def _schema(tree: Tree) -> Schema:
    if tree.schema is None:
        raise DataError("This tree has no names yet: call tree.fitted(dataset) first.")
    return tree.schema


def _plain(value: Any, write: Callable[[Any], str]) -> str:
    if not isinstance(value, str | int | float | None):
        raise DataError(
            f"The label or category {value!r} is a {type(value).__name__}, which has no literal. "
            "Make text of it before the dataset is built."
        )
    return write(value)


def _categories(test: Test, schema: Schema) -> tuple[list[Any], bool]:
    """Return the values that pass a test, and whether gaps do."""
    known = schema.categories[test.feature]
    values = [known[code] for code in test.categories or () if 0 <= code < len(known)]
    return values, schema.has_gaps[test.feature] and MISSING in values


def _sql_test(test: Test, schema: Schema) -> str:
    column = '"' + schema.feature_names[test.feature].replace('"', '""') + '"'
    if test.threshold is None:
        values, gaps_pass = _categories(test, schema)
        parts = [f"{column} IN ({', '.join(map(_sql_value, values))})"] if values else []
    else:
        gaps_pass = test.missing_left
        if test.threshold == KNOWN:
            parts = [f"{column} IS NOT NULL"]
        else:
            parts = [] if test.threshold < -KNOWN else [f"{column} <= {test.threshold!r}"]
    parts += [f"{column} IS NULL"] if gaps_pass else []
    return " OR ".join(parts) or "1 = 0"


def _sql_value(value: Any) -> str:
    def write(plain: Any) -> str:
        if plain is None:
            return "NULL"
        if isinstance(plain, str):
            return "'" + plain.replace("'", "''") + "'"
        return str(plain).upper() if isinstance(plain, bool) else repr(plain)

    return _plain(value, write)


def _python_test(test: Test, schema: Schema) -> str:
    name, has_gaps = schema.feature_names[test.feature], schema.has_gaps[test.feature]
    value = f"row[{name!r}]" if has_gaps else f"_known(row, {name!r})"
    if test.threshold is None:
        values, gaps_pass = _categories(test, schema)
        inside = f"{value} in ({''.join(_plain(v, repr) + ', ' for v in values)})"
        return f"_missing({value}) or {inside}" if gaps_pass else inside
    limit = 'float("-inf")' if test.threshold < -KNOWN else repr(test.threshold)
    if not has_gaps:
        return f"{value} <= {limit}"
    if test.missing_left:
        return f"_missing({value}) or {value} <= {limit}"
    return f"not _missing({value}) and {value} <= {limit}"
