"""What a model says about the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from odt.cli.model_file import ModelFile
from odt.cli.options import assignments, comma_list
from odt.data.delimited import MISSING_VALUES
from odt.data.schema import Schema
from odt.errors import DataError
from odt.model.explanation import explanation
from odt.model.tree import Tree

PREDICTION = "prediction"


def predictions(model: ModelFile, frame: Any, keep: str, proba: bool) -> Any:
    """Return a DataFrame with the kept columns, the prediction and, if wanted, the class shares.

    Raises
    ------
    DataError
        For columns to keep that do not exist or would occur twice; see `Schema.matrix` too.
    """
    import pandas as pd

    kept = comma_list(keep)
    lacking = [name for name in kept if name not in frame.columns]
    if lacking:
        columns = ", ".join(map(str, frame.columns))
        raise DataError(f"There is no column {lacking[0]!r} to keep. Columns: {columns}.")
    tree, schema = model.tree, model.tree.schema
    assert schema is not None
    leaf = tree.apply(schema.matrix(frame))
    found = {name: frame[name].to_numpy() for name in kept}
    found |= {PREDICTION: tree.outcomes[leaf]}
    if proba:
        shares = tree.class_shares[leaf]
        found |= {f"share of {label}": shares[:, k] for k, label in enumerate(schema.classes)}
    if len(found) < len(kept) + 1 + proba * len(schema.classes):
        raise DataError(f"A column to keep has the name of one of the predictions: {keep}.")
    return pd.DataFrame(found)


def share_right(model: ModelFile, frame: Any, found: Any) -> str:
    """Return how good the predictions are, in words; empty if the table does not hold the truth."""
    target = model.target or next((c for c in frame.columns if str(c).lower() == "class"), None)
    if target is None or target not in frame.columns or not len(frame):
        return ""
    truth = frame[target]
    known = truth.notna().to_numpy()
    if not known.any():
        return ""
    if model.tree.values is not None:
        return _distance(truth[known], found[PREDICTION][known], target)
    right = int((truth.to_numpy() == found[PREDICTION].to_numpy())[known].sum())
    total = int(known.sum())
    return f"{right} of {total} predictions agree with the column {target!r} ({right / total:.1%})."


def _distance(truth: Any, found: Any, target: str) -> str:
    """Return how far predicted numbers are from those of a column."""
    try:
        error = float(np.mean((truth.to_numpy(np.float64) - found.to_numpy()) ** 2))
    except ValueError:
        return ""  # the column of this table holds something else
    spread = float(truth.to_numpy(np.float64).var())
    explained = f" ({1 - error / spread:.1%} of its variance explained)" if spread else ""
    return f"The mean squared error against the column {target!r} is {error:.6g}{explained}."


def explain_rows(model: ModelFile, rows: Sequence[str], frame: Any) -> list[dict[str, Any]]:
    """Return the explanations of rows as plain values for JSON.

    Parameters
    ----------
    model : ModelFile
    rows : sequence of str
        Numbers of rows of ``frame``, or ``"name=value, ..."`` with a value for each feature that
        the tree asks on the way.
    frame : DataFrame or None

    Raises
    ------
    DataError
        For a row that is neither, or beyond the table; an unknown feature, one that is asked and
        not given, or a value of the wrong kind.
    """
    tree, schema = model.tree, model.tree.schema
    assert schema is not None
    records = []
    for text in rows:
        is_number = text.strip().isdigit()
        if is_number:
            row = schema.matrix(_row_of(frame, int(text)))
        else:
            row = _row_of_values(tree, schema, assignments(text))
        *conditions, _ = explanation(tree, schema, row[0])
        leaf = int(tree.apply(row)[0])
        records.append(
            {
                "row": int(text) if is_number else text,
                **_outcome(tree, leaf),
                "conditions": conditions,
            }
        )
    return records


def _outcome(tree: Tree, leaf: int) -> dict[str, Any]:
    if tree.values is not None:
        return {"value": tree.outcome(leaf)}
    share = float(tree.class_shares[leaf, tree.label[leaf]])
    return {"class": tree.outcome(leaf), "share": share}


def _row_of(frame: Any, number: int) -> Any:
    if frame is None:
        raise DataError(f"Row {number} of what? Name the table with --data, or give values: a=1.5.")
    if number >= len(frame):
        raise DataError(f"There is no row {number}: the table has the rows 0 to {len(frame) - 1}.")
    return frame.iloc[[number]]


def _row_of_values(tree: Tree, schema: Schema, given: dict[str, str]) -> Any:
    """Encode the given values; features that are not asked for them need none."""
    unknown = [name for name in given if name not in schema.feature_names]
    if unknown:
        names = ", ".join(schema.feature_names)
        raise DataError(f"The model has no feature {unknown[0]!r}. Features: {names}.")
    row = np.zeros((1, len(schema.feature_names)))
    for name, text in given.items():
        j = schema.feature_names.index(name)
        row[0, j] = schema.encoded(j, np.array([_value(text, schema, j)], dtype=object))[0]
    for node in np.flatnonzero(tree.decision_path(row)[0]):
        test = tree.tests[node]
        if test is not None and schema.feature_names[test.feature] not in given:
            asked = schema.feature_names[test.feature]
            raise DataError(f"The tree asks for {asked!r} here: give its value too.")
    return row


def _value(text: str, schema: Schema, feature: int) -> Any:
    """Read a value as a table of the training data would hold it."""
    if text in MISSING_VALUES:
        return None
    if schema.kinds[feature] == "categorical":
        return next((v for v in schema.categories[feature] if str(v) == text), text)
    try:
        return float(text)
    except ValueError:
        name = schema.feature_names[feature]
        raise DataError(f"{name!r} is a number. Got {text!r} instead.") from None
