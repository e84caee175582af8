"""Every line of a proof against the true value of its state, and files that nobody vouches for."""

from __future__ import annotations

import gzip
import json
import random
import re
import resource
import zlib
from functools import cache

import numpy as np
import pytest

import odt
from odt.proof import Proof, RefusedError
from odt.proof.checker.file import LONGEST_TEXT

Rows = frozenset[int]


class Truth:
    """Values of states by trying every tree: errors and nodes of raw rows, nothing shared."""

    def __init__(self, X: np.ndarray, y: np.ndarray, node: int, error: int) -> None:
        self.X, self.y, self.node, self.error = X, y, node, error
        self.cuts = [np.unique(column)[:-1] for column in X.T]
        self.value = cache(self._value)

    def sides(self, rows: Rows, feature: int, cut: int) -> tuple[Rows, Rows]:
        left = frozenset(i for i in rows if self.X[i, feature] <= self.cuts[feature][cut])
        return left, rows - left

    def _value(self, rows: Rows, depth: int) -> int:
        labels = [int(self.y[i]) for i in rows]
        most = max(map(labels.count, set(labels)))
        best = self.error * (len(labels) - most) + self.node
        for feature, cuts in enumerate(self.cuts if depth else ()):
            for cut in range(len(cuts)):
                left, right = self.sides(rows, feature, cut)
                if left and right:
                    below = self.value(left, depth - 1) + self.value(right, depth - 1)
                    best = min(best, below + self.node)
        return best


def made(seed: int) -> tuple[Proof, Truth]:
    """Return a proof of depth 3 with lines of several levels, and the truth about it."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, (14, 2)).astype(float)
    y = rng.integers(0, 2, 14)
    data = odt.Dataset(X, y)
    objective = "error" if seed % 2 else "error + 0.03*size"
    problem = odt.Problem(data, objective, odt.Shape(max_depth=3))
    prices = problem.costs.prices
    proof = odt.solve(problem, "dp").proof()
    return proof, Truth(data.X, data.y, prices.nodes, prices.errors)


def split(proof: Proof) -> tuple[str, dict, list[str], list[str]]:
    """Return the first line, the header, the rows and the table of a proof."""
    first, stated, *lines = proof.text.splitlines()
    n = json.loads(stated)["n_rows"]
    return first, json.loads(stated), lines[:n], lines[n:]


def joined(first: str, stated: dict, rows: list[str], table: list[str]) -> Proof:
    """Return the proof of these parts."""
    return Proof(gzip.compress("\n".join([first, json.dumps(stated), *rows, *table]).encode()))


def states(table: list[str], truth: Truth) -> list[Rows]:
    """Return the rows of each line, from what the earlier ones say of it."""
    features = [f for f, cuts in enumerate(truth.cuts) if len(cuts)]
    found = {0: frozenset(range(len(truth.y)))}
    for number, line in enumerate(table):
        for chain in line.split(" ")[4:]:
            g = re.match(r"\d+", chain).group()  # type: ignore[union-attr]
            for sign, cuts in re.findall(r"([<>])([^<>]*)", chain):
                for cut, other in re.findall(r"(\d+)=(\d+)", cuts):
                    sides = truth.sides(found[number], features[int(g)], int(cut))
                    found[int(other)] = sides[sign == ">"]
    return [found[i] for i in range(len(table))]


def raise_bounds(n_problems: int, n_mutations: int) -> tuple[int, int]:
    """Raise bounds of one or two lines; return how many made a claim false, how many did not."""
    rng, false, true = random.Random(3), 0, 0
    for seed in range(n_problems):
        proof, truth = made(seed)
        first, stated, rows, table = split(proof)
        if not table:
            continue
        sets = states(table, truth)
        fields = [line.split(" ") for line in table]
        values = [truth.value(rows, int(own[0])) for rows, own in zip(sets, fields, strict=True)]
        assert all(int(f[1]) <= value for f, value in zip(fields, values, strict=True))
        for _ in range(n_mutations):
            changed = [list(own) for own in fields]
            for i in rng.sample(range(len(table)), min(len(table), rng.choice([1, 2]))):
                changed[i][1] = str(int(changed[i][1]) + rng.choice([1, 1, 2, 5]))
            is_false = any(int(f[1]) > v for f, v in zip(changed, values, strict=True))
            mutant = joined(first, stated, rows, [" ".join(own) for own in changed])
            if is_false:
                false += 1
                with pytest.raises(RefusedError, match=r"line \d+: .*(costs|is not proved)"):
                    mutant.check()
            less = stated | {"bound": stated["bound"] - rng.randint(0, 3)}
            assert joined(first, less, rows, table).check().bound == less["bound"]
            true += 1
    return false, true


def test_a_line_above_the_value_of_its_state_is_refused() -> None:
    """The truth of each line is found by trying every tree of its rows."""
    false, true = raise_bounds(8, 12)
    assert false > 60
    assert true > 60


@pytest.mark.slow
def test_a_thousand_false_lines_are_refused() -> None:
    """1,000 mutations that make a line false, and as many claims that stay true."""
    false, true = raise_bounds(40, 40)
    assert min(false, true) > 1000


# ---- files that nobody vouches for --------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> Proof:
    """A proof with a few lines."""
    return made(1)[0]


def bomb(start: bytes, unit: bytes, size: int) -> Proof:
    """Return a small file of much text."""
    stream = zlib.compressobj(1, wbits=31)
    block = unit * ((1 << 20) // len(unit))
    parts = [stream.compress(start), *(stream.compress(block) for _ in range(size >> 20))]
    return Proof(b"".join([*parts, stream.flush()]))


@pytest.mark.parametrize(
    ("start", "unit", "said"),
    [
        (b"", b"\0", "no proof in the format"),
        (b"odt-proof 1\n", b" ", "bytes of text"),
        (b"odt-proof 1\n{}\n", b"0 1 5\n", "bytes of text"),
    ],
)
def test_bombs_are_refused(start: bytes, unit: bytes, said: str) -> None:
    """A few hundred kB that stand for more than may be read take no more memory than that."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(RefusedError, match=said):
        bomb(start, unit, LONGEST_TEXT + (1 << 21)).check()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 3 * LONGEST_TEXT / 1024  # kB


@pytest.mark.parametrize(
    "changes",
    [
        {"n_classes": 10**12},
        {"n_rows": 10**15},
        {"n_rows": -1},
        {"weight_unit": "1e1000000000"},
        {"objective": [[["error", "1e999999999"]]]},
        {"objective": [[["error", "9" * 400]]]},
        {"radices": [10**4000]},
        {"test_costs": [10**4000] * 2},
        {"bound": float("nan")},
        {"bound": float("inf")},
        {"gaps": ["nan", "nan"]},
        {"tests": [[0, [1]]] * 20},
        {"limits": {}},
        {"tree": [[0, 5.0]] * 1000},
        {"cases": [[3, None, 10**30]]},
    ],
)
def test_headers_that_cannot_be_are_refused(small: Proof, changes: dict) -> None:
    """Huge sizes and numbers, no numbers, what is missing: one error, at once."""
    first, stated, rows, table = split(small)
    with pytest.raises(RefusedError):
        joined(first, stated | changes, rows, table).check()


def test_files_that_are_cut_or_longer_are_refused(small: Proof) -> None:
    """Truncated, followed by something, with a wrong checksum, of another version, not packed."""
    content, text = small.content, small.text
    for wrong in (
        b"", content[: len(content) // 2], content[:-1], content + b"x", content * 2,
        content[:-8] + b"12345678", text.encode(),
        gzip.compress(text.replace("odt-proof 1", "odt-proof 2", 1).encode()),
        gzip.compress(text.encode() + b"1 0 0 -\n"),
        gzip.compress(b"odt-proof 1\n" + b"[" * 10**6 + b"\n1\n"),
    ):  # fmt: skip
        with pytest.raises(RefusedError):
            Proof(wrong).check()


def garbled(proof: Proof, rng: random.Random) -> Proof:
    """Return a proof with a few bytes changed, of the file or of its text."""
    if rng.random() < 0.3:
        content = bytearray(proof.content)
        content[rng.randrange(len(content))] = rng.randrange(256)
        return Proof(bytes(content))
    text = bytearray(proof.text.encode())
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(text))
        text[i : i + rng.choice([0, 1, 1, 9])] = rng.choice(
            [b"9" * 30, b"-", b"1e99", b"null", b"NaN", b"inf", b"[]", b'"', b"\n", b"\xff", b"=0"]
        )
    return Proof(gzip.compress(bytes(text)))


def garble_many(proof: Proof, n: int) -> int:
    """Return how many of some garbled proofs are refused; any other error is a failure."""
    rng, refused = random.Random(4), 0
    for _ in range(n):
        try:
            garbled(proof, rng).check()
        except RefusedError:
            refused += 1
    return refused


def test_garbled_files_are_refused_with_one_error(small: Proof) -> None:
    """Whatever the bytes, the answer is a verdict or `RefusedError`."""
    assert garble_many(small, 300) > 250


@pytest.mark.slow
def test_many_garbled_files_are_refused_with_one_error(small: Proof) -> None:
    """5,000 of them."""
    assert garble_many(small, 5000) > 4000
