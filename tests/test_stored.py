"""Reading stored trees: whatever the text is, a tree that predicts or a DataError."""

from __future__ import annotations

import json
import random

import pandas as pd
import pytest

import odt
from odt import DataError, Dataset, Problem, Shape, Tree

ODD = (None, True, -1, 0, 10**30, 1e308, float("nan"), float("inf"), "", "a", [], {}, [[]], "?")


def stored() -> tuple[dict, pd.DataFrame]:
    """Return a tree over mixed columns with gaps as a dictionary, and rows for it."""
    frame = pd.DataFrame({"n": [1.0, None, 3.0, 4.0], "c": ["a", "b", None, "d"]})
    data = Dataset(frame, [0, 1, 0, 2], missing="learned")
    tree = odt.solve(Problem(data, shape=Shape(max_depth=2)), "dp").tree
    return json.loads(tree.to_json()), frame


def mutate(rng: random.Random, value: object) -> object:
    """Return a JSON value with one part replaced, removed or repeated."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        changed = {**value, key: mutate(rng, value[key])}
        if rng.random() < 0.1:
            del changed[key]
        return changed
    if isinstance(value, list) and value and rng.random() < 0.8:
        i = rng.randrange(len(value))
        middle = rng.choice([[mutate(rng, value[i])], [], [value[i]] * 2])
        return value[:i] + middle + value[i + 1 :]
    return rng.choice(ODD)


def test_ten_thousand_damaged_files() -> None:
    """Changed values and changed characters: no other exception, and what is read can be used."""
    rng, (data, frame) = random.Random(0), stored()
    read = refused = 0
    for i in range(10_000):
        if i % 2:
            text = json.dumps(mutate(rng, data))
        else:
            letters = list(json.dumps(data))
            for _ in range(rng.randrange(1, 4)):
                letters[rng.randrange(len(letters))] = chr(rng.randrange(32, 127))
            text = "".join(letters)
        try:
            tree = Tree.from_json(text)
        except DataError:
            refused += 1
            continue
        read += 1
        assert tree.to_text()
        try:
            tree.predict(frame)
        except DataError:  # a name, kind or gap was changed
            continue
    assert read > 200
    assert refused > 2000


def test_deep_and_other_texts_are_refused() -> None:
    """Nesting beyond the stack, other formats and versions, other JSON."""
    for text in ("[" * 100_000, "[]", "3", "null", "", "{}", '{"format": "odt-tree-1"}'):
        with pytest.raises(DataError):
            Tree.from_json(text)
    data, _ = stored()
    with pytest.raises(DataError, match="'odt-tree', 2"):
        Tree.from_json(json.dumps({**data, "version": 2}))
