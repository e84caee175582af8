"""The raw rows of a proof, and how a proof is refused."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from fractions import Fraction
from typing import Any

import numpy as np

_GAPS = ("", "?", "na", "n/a", "nan", "null", "none")
_FRACTION = re.compile(r"[0-9]{1,400}(/[0-9]{1,400})?")


class RefusedError(ValueError):
    """A proof that is malformed, of other data, or wrong; the message says where."""


def need(condition: object, message: str) -> None:
    """Refuse the proof unless a condition holds."""
    if not condition:
        raise RefusedError(message)


def fraction(text: Any) -> Fraction:
    """Read ``12`` or ``1/3``; some hundred digits and ``2**400`` are the most."""
    need(isinstance(text, str) and _FRACTION.fullmatch(text), f"{text!r:.50} is no fraction")
    found = Fraction(text)
    need(found < 2**400, f"{text:.50} is too large")
    return found


class Rows:
    """The raw rows: values, class codes and integer weights."""

    def __init__(self, header: dict[str, Any], lines: list[str]) -> None:
        p = len(header["features"])
        self.weights: list[int] = []
        self.y, self.X = np.zeros(len(lines), dtype=np.int64), np.zeros((len(lines), p))
        for i, line in enumerate(lines):
            label, weight, *values = line.split()
            need(len(values) == p, f"row {i} has {len(values)} values, not {p}")
            self.y[i], self.X[i] = int(label), np.array([float(v) for v in values])
            self.weights.append(int(weight))
        self.names = list(header["features"])
        self.kinds, self.costs = header["kinds"], [int(c) for c in header["test_costs"]]
        self.weight_unit, self.cost_unit = (
            fraction(header[u]) for u in ("weight_unit", "cost_unit")
        )
        self.n_classes = int(header["n_classes"])
        self.gaps = [None if gap is None else float(gap) for gap in header["gaps"]]
        many = (self.kinds, self.costs, self.names, self.gaps)
        need(all(len(one) == p for one in many), "features do not agree")
        for gap, kind in zip(self.gaps, self.kinds, strict=True):
            is_one = gap == np.inf if kind != "categorical" else np.isfinite(gap or 0)
            need(gap is None or is_one, f"a {kind} feature has no gaps such as {gap}")
        need((-np.inf < self.X).all() and min(self.weights) > 0, "a row without value or weight")
        need(self.y.min() >= 0 and self.y.max() < self.n_classes, "a class that does not exist")
        need(self.weight_unit > 0 and self.cost_unit > 0, "a unit that is not positive")
        need(all(0 <= cost < 2**63 for cost in self.costs), "a test cost that is out of range")
        self.digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        need(header["digest"] == self.digest, "the digest of the rows does not agree")

    def compare(self, dataset: Any) -> None:
        """Refuse other data."""
        features = range(dataset.n_features)
        gaps = [dataset.gap(f) if dataset.learns_gaps(f) else None for f in features]
        same = (
            np.array_equal(self.X, dataset.X)
            and np.array_equal(self.y, dataset.y)
            and self.weights == dataset.weights.tolist()
            and self.weight_unit == dataset.weight_unit
            and self.costs == dataset.cost_units.tolist()
            and self.cost_unit == dataset.cost_unit
            and list(self.kinds) == list(dataset.kinds)
            and self.gaps == gaps
        )
        need(same, "the proof is about other data")

    def compare_text(self, text: str) -> None:
        """Refuse a CSV file with other rows, classes or weights.

        Features are found by name. Some other column must hold the classes and, unless all weights
        are equal, another the weights.
        """
        table = list(csv.DictReader(io.StringIO(text)))
        need(len(table) == len(self.y), "the table has another number of rows")
        columns = {name: [(row[name] or "").strip() for row in table] for name in table[0]}
        for f, name in enumerate(self.names):
            need(name in columns, f"the table has no column {name!r}")
            own, texts = self.X[:, f].tolist(), columns.pop(name)
            if self.kinds[f] == "categorical":
                same = _correspond(texts, own)
            else:
                same = own == [np.inf if t.lower() in _GAPS else float(t) for t in texts]
            need(same, f"the column {name!r} of the table has other values")
        classes = any(_correspond(texts, self.y.tolist()) for texts in columns.values())
        need(classes, "no column of the table has these classes")
        units = [float(weight * self.weight_unit) for weight in self.weights]
        weights = any(_are(texts, units) for texts in columns.values())
        need(weights or len(set(units)) == 1, "no column of the table has these weights")


def _correspond(texts: list[str], codes: list[Any]) -> bool:
    """Say whether each text has one code and each code one text."""
    pairs = set(zip(texts, codes, strict=True))
    return len(pairs) == len(set(texts)) == len(set(codes))


def _are(texts: list[str], numbers: list[float]) -> bool:
    try:
        return [float(text) for text in texts] == numbers
    except ValueError:
        return False
