"""A problem as sorted, packed columns: the input of the compiled kernels.

A numeric feature is one column whose cuts are its candidate thresholds, or two where gaps may go
either way; a categorical test is a column of its own. Equal rows of one class are one kernel row
with a weight. All candidate tests of a problem can be reached as (column, cut), so a tree found by
a kernel uses no other test.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.engine.front.kernels.layout import (
    CLASS_BITS,
    CODE_SHIFT,
    ENTROPY,
    GINI,
    ROW_BITS,
    SQUARED,
    Data,
    digests,
)
from odt.engine.squares import centred_means
from odt.errors import DataError
from odt.model.measure import Amounts
from odt.model.problem import Problem
from odt.model.testset import (
    Test,
    TestSet,
    category_sets,
    given_chains,
    seen_by,
    threshold_chains,
)

CRITERIA = {"gini": GINI, "entropy": ENTROPY, "squared": SQUARED}
_TABLE = 1 << 22
_FIXED_POINT_BITS = 61


@dataclass(frozen=True)
class Column:
    """One sorted column: codes of the rows, the value of each code, and the test of each cut."""

    feature: int
    codes: NDArray[np.int64]
    values: NDArray[np.float64]
    thresholds: NDArray[np.float64] | None
    categories: tuple[int, ...] | None = None
    missing_left: bool = False

    def test(self, cut: int) -> Test:
        """Return the test that holds for the codes up to `cut`."""
        if self.thresholds is None:
            return Test(self.feature, categories=self.categories)
        threshold = float(self.thresholds[cut])
        return Test(self.feature, threshold=threshold, missing_left=self.missing_left)


@dataclass(frozen=True, eq=False)
class Columns:
    """The rows and columns of a problem.

    Attributes
    ----------
    problem : Problem
    group, label : ndarray of int64, shape (rows,)
        The distinct row (of ``dataset.merged``) and the class of each kernel row.
    weight, count : ndarray of int64, shape (rows,)
        Weight units and number of examples of each kernel row.
    columns : tuple of Column
        Only those with at least two codes.
    """

    problem: Problem
    group: NDArray[np.int64]
    label: NDArray[np.int64]
    weight: NDArray[np.int64]
    count: NDArray[np.int64]
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, problem: Problem) -> Columns:
        """Return the columns of a problem.

        Raises
        ------
        DataError
            If there are too many rows or classes for a packed entry.
        """
        data, merged = problem.dataset, problem.dataset.merged
        group, label = np.nonzero(merged.weights)
        counts = np.zeros_like(merged.weights)
        np.add.at(counts, (merged.row_of, data.y), 1)
        if len(group) > 1 << ROW_BITS or data.n_classes > 1 << CLASS_BITS:
            raise DataError(
                f"The compiled kernels take at most {1 << ROW_BITS} distinct rows and "
                f"{1 << CLASS_BITS} classes. Got {len(group)} and {data.n_classes}."
            )
        tests = problem.tests
        if tests is None or tests.complete:
            found = _all_columns(data, merged.X)
        else:
            found = _given_columns(tests, merged.X)
        columns = [c for c in found if len(c.values) > 1]
        return cls(problem, group, label, merged.weights[group, label], counts[group, label],
                   tuple(columns))  # fmt: skip

    @property
    def n_rows(self) -> int:
        """Number of kernel rows."""
        return len(self.group)

    def test(self, column: int, cut: int) -> Test:
        """Return the candidate test of a column's cut."""
        return self.columns[column].test(cut)

    def largest_class(self, rows: NDArray[np.intp]) -> int:
        """Return the class of largest weight among kernel rows, the first of equals."""
        return int(np.bincount(self.label[rows], weights=self.weight[rows]).argmax())

    def centred(self, column: int, low: int, high: int) -> int:
        """Return the cut nearest below the midpoint of two codes that it must separate."""
        values = self.columns[column].values
        point = values[low] / 2 + values[high] / 2
        cut = int(np.searchsorted(values[low:high], point, side="right")) - 1 + low
        return max(low, min(cut, high - 1))

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Codes, shape (columns, rows)."""
        codes = np.empty((len(self.columns), self.n_rows), dtype=np.int32)
        for f, column in enumerate(self.columns):
            codes[f] = column.codes[self.group]
        return codes

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Packed entries, every column sorted, shape (columns, rows)."""
        low = (self.label << ROW_BITS) | np.arange(self.n_rows)
        keys = (self.codes.astype(np.int64) << CODE_SHIFT) | low
        keys.sort(axis=1)
        return keys

    def data(self, prices: Amounts, criteria: frozenset[str]) -> Data:
        """Return the arrays of the kernels.

        Parameters
        ----------
        prices : Amounts
        criteria : frozenset of str
            Criteria in use.
        """
        problem, features = self.problem, [c.feature for c in self.columns]
        targets, moments = problem.dataset.targets, problem.dataset.merged.moments
        total = problem.dataset.total_weight
        table, bit = _xlogx(total if "entropy" in criteria else 0)
        sizes = [len(c.values) for c in self.columns]
        return Data(
            keys=self.keys,
            weight=self.weight,
            rows=self.count,
            target=centred_means(targets, moments)
            if targets is not None and moments is not None
            else np.empty(0),
            digest=digests(self.n_rows),
            values=np.concatenate([np.empty(0), *(c.values for c in self.columns)]),
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            attribute=np.array(features, dtype=np.int64),
            test_price=prices.tests * problem.dataset.cost_units[features],
            feature_price=np.full(len(features), prices.explanation, dtype=np.int64),
            branch_price=2 * prices.nodes,
            xlogx=table,
            xlogx_scale=bit,
            classes=problem.dataset.n_classes,
            total=total,
            unit=bool((self.weight == 1).all() and (self.count == 1).all()),
            min_count=problem.limits.leaf_rows,
            min_weight=problem.limits.leaf_weight if problem.limits.leaf_weight > 1 else 0,
            scale=1.0,
        )


def _all_columns(data: Dataset, X: NDArray[np.float64]) -> list[Column]:
    columns = []
    for f in range(data.n_features):
        if data.kinds[f] == "categorical":
            columns += _categorical(category_sets(data, f), f, X)
            continue
        values, codes = np.unique(X[:, f], return_inverse=True)
        for gaps_pass, thresholds in threshold_chains(values, data.learns_gaps(f)):
            own = codes % len(values[:-1]) if gaps_pass else codes
            kept = values[:-1] if gaps_pass else values
            columns.append(Column(f, own.astype(np.int64), kept, thresholds, None, gaps_pass))
    return columns


def _given_columns(tests: TestSet, X: NDArray[np.float64]) -> list[Column]:
    columns = []
    for f in range(X.shape[1]):
        mine = [t for t in tests if t.feature == f]
        for gaps_pass, thresholds in given_chains(mine):
            seen = seen_by(X[:, f], gaps_pass)
            codes = np.searchsorted(thresholds, seen, side="left")
            values = np.concatenate([[-np.inf], thresholds])
            np.maximum.at(values, codes, seen)
            if codes.min() != codes.max():
                columns.append(Column(f, codes, _finite(values), thresholds, None, gaps_pass))
        columns += _categorical([t.categories for t in mine if t.categories is not None], f, X)
    return columns


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace the value of a first code without numbers by the next one."""
    return np.where(np.isneginf(values), values[1], values)


def _categorical(
    groups: list[tuple[int, ...]], feature: int, X: NDArray[np.float64]
) -> list[Column]:
    columns = []
    for categories in groups:
        fails = (~np.isin(X[:, feature], categories)).astype(np.int64)
        if fails.min() != fails.max():
            columns.append(Column(feature, fails, np.arange(2.0), None, categories))
    return columns


def _xlogx(total: int) -> tuple[NDArray[np.int64], float]:
    """Table of x * log2(x) in fixed point up to `total`, and the units of one bit."""
    bits = int(np.log2(max(total, 2) * np.log2(max(total, 2))))
    scale = 2.0 ** (_FIXED_POINT_BITS - 1 - bits)
    x = np.arange(min(total, _TABLE) + 1, dtype=np.float64)
    return np.rint(x * np.log2(np.maximum(x, 1.0)) * scale).astype(np.int64), scale
