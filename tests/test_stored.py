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


@pytest.mark.filterwarnings("ignore::odt.DataWarning")
@pytest.mark.parametrize("n", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_damaged_files_are_read_or_refused(n: int) -> None:
    """Changed values and changed characters: no other exception, and what is read can be used."""
    rng, (data, frame) = random.Random(0), stored()
    read = refused = 0
    for i in range(n):
        if i % 2:
            text = json.dumps(mutate(rng, data))
        else:
            letters = list(json.dumps(data))
            for _ in range(rng.randrange(1, 4)):
                letters[rng.randrange(len(letters))] = chr(
                    rng.choice([rng.randrange(32, 127), rng.randrange(256)])
                )
            text = "".join(letters).encode("latin-1" if i % 4 else "utf-8")
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
    assert read > n / 100
    assert refused > n / 5


def test_deep_and_other_texts_are_refused() -> None:
    """Nesting beyond the stack, other formats and versions, other JSON."""
    for text in ("[" * 100_000, "[]", "3", "null", "", "{}", '{"format": "odt-tree-1"}'):
        with pytest.raises(DataError):
            Tree.from_json(text)
    data, _ = stored()
    with pytest.raises(DataError, match="'odt-tree', 2"):
        Tree.from_json(json.dumps({**data, "version": 2}))


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the most letters and nodes nothing is built."""
    data, _ = stored()
    text = json.dumps(data)
    monkeypatch.setattr("odt.model.text.MOST_LETTERS", len(text) - 1)
    with pytest.raises(DataError, match="longer than"):
        Tree.from_json(text)
    monkeypatch.setattr("odt.model.text.MOST_LETTERS", len(text))
    monkeypatch.setattr("odt.model.text.MOST_NODES", 2)
    with pytest.raises(DataError, match="at most 2"):
        Tree.from_json(text)


def test_deep_trees_are_written_and_read() -> None:
    """A chain of 3,000 tests, deeper than Python's stack."""
    depth = 3000
    data = Dataset([[float(i)] for i in range(depth + 1)], [i % 2 for i in range(depth + 1)])
    tests, labels = [], []
    for i in range(depth):
        tests += [odt.Test(0, threshold=i + 0.5), None]
        labels += [-1, i % 2]
    tree = Tree.preorder([*tests, None], [*labels, depth % 2]).fitted(data)
    back = Tree.from_json(tree.to_json().encode())
    assert back == tree
    assert back.to_text().count("if ") == 2 * depth
    assert back.predict(data.X).tolist() == data.y.tolist()
    assert len(back.explain(data.X[-1])) == 2


def test_the_command_line_refuses_damaged_trees_in_one_line(tmp_path, capsys) -> None:
    """Bytes of no encoding, nesting without end, other JSON: exit code 2 and no traceback."""
    from odt.cli import main

    for content in (b"\xff\xfe\x00", b"\x80abc", b"[" * 10**5, b"{}", b""):
        path = tmp_path / "tree.json"
        path.write_bytes(content)
        assert main(["explain", "iris", "--tree", str(path)]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert "Traceback" not in told.err
