"""The raw rows of a proof, and how a proof is refused."""

from __future__ import annotations

import csv
import hashlib
from fractions import Fraction
from typing import Any

import numpy as np


class RefusedError(ValueError):
    """A proof that is malformed, of other data, or wrong; the message says where."""


def need(condition: object, message: str) -> None:
    """Refuse the proof unless a condition holds."""
    if not condition:
        raise RefusedError(message)


class Rows:
    """The raw rows: values, class codes and integer weights."""

    def __init__(self, header: dict[str, Any], lines: list[str]) -> None:
        fields = [line.split() for line in lines]
        self.y = np.array([int(f[0]) for f in fields])
        self.weights = [int(f[1]) for f in fields]
        self.X = np.array([[float(v) for v in f[2:]] for f in fields]).reshape(len(fields), -1)
        self.names = list(header["features"])
        self.kinds, self.costs = header["kinds"], [int(c) for c in header["test_costs"]]
        self.weight_unit, self.cost_unit = (
            Fraction(header[u]) for u in ("weight_unit", "cost_unit")
        )
        self.n_classes = int(header["n_classes"])
        self.gaps = [None if gap is None else float(gap) for gap in header["gaps"]]
        p, many = self.X.shape[1], (self.kinds, self.costs, self.names, self.gaps)
        need(all(len(one) == p for one in many), "features do not agree")
        need((-np.inf < self.X).all() and min(self.weights) > 0, "a row without value or weight")
        need(self.y.min() >= 0 and self.y.max() < self.n_classes, "a class that does not exist")
        need(self.weight_unit > 0 and self.cost_unit > 0, "a unit that is not positive")
        need(min(self.costs, default=0) >= 0, "a test cost that is negative")
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

    def compare_text(self, path: str) -> None:
        """Refuse a CSV file with other rows; its columns are found by name, the class is left."""
        with open(path, newline="") as file:
            table = list(csv.DictReader(file))
        need(len(table) == len(self.y), f"{path} has other rows")
        for f, name in enumerate(self.names):
            need(name in table[0], f"{path} has no column {name!r}")
            texts = [row[name].strip() for row in table]
            if self.kinds[f] == "categorical":  # a code for each text, and a text for each code
                pairs = set(zip(texts, self.X[:, f].tolist(), strict=True))
                same = len(pairs) == len(set(texts)) == len({code for _, code in pairs})
            else:
                same = [float(text) for text in texts] == self.X[:, f].tolist()
            need(same, f"the column {name!r} of {path} has other values")
