"""The instance: numbers, labels or real targets, weights and names, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from odt.data.encode import GAP, MISSING, encode_columns, encode_labels, finite_numbers
from odt.data.schema import Schema
from odt.data.tables import Table
from odt.data.targets import Targets, real_targets
from odt.data.units import IntegerUnits, exact_units, integer_units
from odt.errors import DataError

Missing = Literal["error", "learned", "category"]
TaskKind = Literal["classification", "regression"]


@dataclass(frozen=True, eq=False)
class Conflict:
    """Rows that are equal in every feature and differ in their labels.

    Attributes
    ----------
    rows : tuple of int
        Row numbers of the dataset.
    labels : tuple
        The labels that occur among them.
    """

    rows: tuple[int, ...]
    labels: tuple[Any, ...]


class Dataset:
    """A set of examples with features, a class or a real-valued target, and a weight.

    Parameters
    ----------
    X : array-like or table of shape (n, p)
        A table is a DataFrame of pandas or polars, or a pyarrow Table; its text, boolean and
        categorical columns become categories.
    y : array-like of shape (n,)
        Labels of any type; for regression, finite numbers.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights, not all zero. Rows of weight zero are left out (``n_ignored``).
    feature_names : sequence of str, optional
        Names of the columns; a table brings its own.
    categorical : iterable of str or int, optional
        Columns to read as categories although they hold numbers.
    test_costs : array-like of shape (p,) or mapping of name to cost, optional
        Cost of asking for a feature once, 1 by default; see `odt.ExpectedTests`.
    missing : {"error", "learned", "category"}, default "error"
        What missing values mean. ``"error"``: they are refused. ``"category"``: a value of their
        own, the category ``"?"``; among numbers one that fails every test ``x <= t``, and whether
        a number is known is a test too. ``"learned"``: the same, and in addition every test comes
        in two forms, with gaps on either side, so that the best way is chosen at each branch.
    task : {"classification", "regression"}, default "classification"
        What ``y`` holds. For regression the objective is made of `odt.SquaredError` in place of
        `odt.Error`, and a leaf predicts the weighted mean of its examples.

    Attributes
    ----------
    X : ndarray of float64, shape (n, p)
        Read-only; categories are stored as codes 0..c-1, missing numbers as infinity.
    y : ndarray of int64, shape (n,)
        Class codes 0..K-1; all 0 for regression, which has one class, None.
    targets : Targets or None
        The targets of a regression.
    sample_weight : ndarray of float64, shape (n,)
        The weights as given.
    weights : ndarray of int64, shape (n,)
        The same as multiples of ``weight_unit``; all solvers work on these.
    weights_exact : bool
        False when the weights had no small common denominator and were rounded to ``2**-40`` of
        their total.
    test_costs : ndarray of float64, shape (p,)
    cost_units : ndarray of int64, shape (p,)
        The test costs as multiples of ``cost_unit``; always exact.
    schema : Schema
        Feature names, kinds and categories, and the classes.
    n_ignored : int
        Rows of weight zero that were left out.

    Raises
    ------
    DataError
        For missing values unless ``missing`` says what they mean, for infinity (naming the
        columns), no rows, lengths that differ, text in a numeric column, repeated names, sparse
        matrices, negative or all-zero weights, test costs with too many digits to be exact.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        categorical: Iterable[str | int] = (),
        test_costs: Any = None,
        missing: Missing = "error",
        task: TaskKind = "classification",
    ) -> None:
        _check_choice("missing", missing, get_args(Missing))
        _check_choice("task", task, get_args(TaskKind))
        self.missing = missing
        matrix, names, kinds, categories, has_gaps = encode_columns(
            X, feature_names, categorical, missing != "error"
        )
        values = real_targets(y) if task == "regression" else None
        codes, classes = encode_labels(y) if values is None else _one_class(len(values))
        if len(codes) != len(matrix):
            raise DataError(
                f"X and y must have one entry per example: X has {len(matrix)} rows and y has "
                f"{len(codes)} labels."
            )
        weight = _checked_weights(sample_weight, len(codes))
        used = weight > 0
        self.X, self.y = _frozen(matrix[used]), _frozen(codes[used])
        self.sample_weight = _frozen(weight[used])
        self.n_ignored = int(len(codes) - used.sum())
        self.schema = Schema(names, kinds, categories, classes, has_gaps)
        units = integer_units(self.sample_weight)
        self.weights, self.weight_unit, self.weights_exact = _frozen(units.counts), *units[1:]
        self.targets = None if values is None else Targets.of(_frozen(values[used]), self.weights)
        self.test_costs = _frozen(_checked_costs(test_costs, names))
        costs = _cost_units(self.test_costs)
        self.cost_units, self.cost_unit = _frozen(costs.counts), costs.unit

    @classmethod
    def from_frame(cls, frame: Any, target: str, **options: Any) -> Self:
        """Build from a table that holds the label in the column ``target``.

        Parameters
        ----------
        frame : table
            As for the constructor.
        target : str
            Name of the label column.
        **options
            As for the constructor.

        Raises
        ------
        DataError
            If there is no such column.
        """
        table = Table.of(frame)
        if target not in table.names:
            raise DataError(
                f"There is no column {target!r} to use as target. Columns: "
                f"{', '.join(map(str, table.names))}."
            )
        return cls(table.without(target), table[target], **options)

    def take(self, rows: ArrayLike) -> Dataset:
        """Return a dataset of some of the rows, with the same names, categories and classes.

        Parameters
        ----------
        rows : array-like of int
            Row numbers of this dataset, such as the training part of a split.

        Raises
        ------
        DataError
            For no rows, or a number that is none of a row.
        """
        chosen = np.asarray(rows, dtype=np.int64)
        if chosen.size == 0 or chosen.min() < 0 or chosen.max() >= self.n_samples:
            raise DataError(f"'rows' must be numbers from 0 to {self.n_samples - 1}, at least one.")
        part = copy(self)
        for name in ("total_weight", "merged", "conflicts"):  # worked out for all rows
            part.__dict__.pop(name, None)
        part.X, part.y = _frozen(self.X[chosen]), _frozen(self.y[chosen])
        part.sample_weight = _frozen(self.sample_weight[chosen])
        units = integer_units(part.sample_weight)
        part.weights, part.weight_unit, part.weights_exact = _frozen(units.counts), *units[1:]
        if self.targets is not None:
            part.targets = Targets.of(_frozen(self.targets.values[chosen]), part.weights)
        part.n_ignored = 0
        return part

    @property
    def n_samples(self) -> int:
        """Number of examples with positive weight."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """Number of features (columns)."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.schema.classes)

    @property
    def classes(self) -> tuple[Any, ...]:
        """Original labels; the code of a label is its position."""
        return self.schema.classes

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return self.schema.feature_names

    @property
    def kinds(self) -> tuple[str, ...]:
        """``"numeric"``, ``"binary"`` or ``"categorical"`` for each feature."""
        return self.schema.kinds

    @property
    def has_gaps(self) -> bool:
        """Whether some feature has missing values."""
        return any(self.schema.has_gaps)

    def learns_gaps(self, feature: int) -> bool:
        """Say whether tests of a feature exist with gaps on either side."""
        return self.missing == "learned" and self.schema.has_gaps[feature]

    def gap(self, feature: int) -> float:
        """Return what stands for a missing value in a column of ``X`` that has some."""
        known = self.schema.categories[feature]
        return known.index(MISSING) if self.kinds[feature] == "categorical" else GAP

    @cached_property
    def total_weight(self) -> int:
        """Sum of the integer weights."""
        return int(self.weights.sum())

    @cached_property
    def merged(self) -> Merged:
        """Equal rows merged into one row with a weight for each class."""
        return _merge(self)

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Groups of equal rows with different labels; no tree can separate them."""
        merged = self.merged
        by_group = np.argsort(merged.row_of, kind="stable")
        rows_of = np.split(by_group, np.cumsum(merged.rows)[:-1])
        mixed = np.flatnonzero((merged.weights > 0).sum(axis=1) > 1).tolist()
        return tuple(
            Conflict(
                tuple(rows_of[group].tolist()),
                tuple(self.classes[c] for c in np.flatnonzero(merged.weights[group])),
            )
            for group in mixed
        )

    def __repr__(self) -> str:
        what = f"{self.n_samples} examples, {self.n_features} features"
        if self.targets is not None:
            return f"Dataset({what}, real targets, {len(self.merged.X)} distinct rows)"
        n_conflicts = len(self.conflicts)
        contradictions = f", {n_conflicts} contradictory groups" if n_conflicts else ""
        return (
            f"Dataset({what}, {self.n_classes} classes, {len(self.merged.X)} distinct "
            f"rows{contradictions})"
        )


@dataclass(frozen=True, eq=False)
class Merged:
    """Distinct rows of a dataset.

    Attributes
    ----------
    X : ndarray of float64, shape (m, p)
        The distinct rows.
    weights : ndarray of int64, shape (m, K)
        Weight of each class on a row.
    rows : ndarray of int64, shape (m,)
        How many examples share the row.
    row_of : ndarray of int64, shape (n,)
        The distinct row of each example.
    moments : ndarray of int objects, shape (m, 3), or None
        Sums of the moments of the targets on a row (see `Targets`).
    """

    X: NDArray[np.float64]
    weights: NDArray[np.int64]
    rows: NDArray[np.int64]
    row_of: NDArray[np.int64]
    moments: NDArray[np.object_] | None = None


def _merge(dataset: Dataset) -> Merged:
    X = dataset.X + 0.0  # -0.0 becomes 0.0, so equal values have equal bytes
    distinct, row_of = np.unique(X, axis=0, return_inverse=True)
    row_of = row_of.reshape(-1)
    if dataset.n_features == 0:
        distinct, row_of = np.zeros((1, 0)), np.zeros(dataset.n_samples, dtype=np.int64)
    weights = np.zeros((len(distinct), dataset.n_classes), dtype=np.int64)
    np.add.at(weights, (row_of, dataset.y), dataset.weights)
    rows = np.bincount(row_of, minlength=len(distinct)).astype(np.int64)
    targets = dataset.targets
    moments = None if targets is None else summed(targets.moments, row_of, len(distinct))
    return Merged(_frozen(distinct), _frozen(weights), _frozen(rows), _frozen(row_of), moments)


def summed(
    moments: NDArray[np.object_], group_of: NDArray[np.integer[Any]], n_groups: int
) -> NDArray[np.object_]:
    """Return the sums of the moments of each group, shape (n_groups, 3)."""
    sums = np.zeros((n_groups, 3), dtype=object)
    np.add.at(sums, group_of, moments)
    return sums


def _one_class(n: int) -> tuple[NDArray[np.int64], tuple[None]]:
    return np.zeros(n, dtype=np.int64), (None,)


def _check_choice(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise DataError(
            f"'{name}' must be one of {', '.join(map(repr, known))}. Got {value!r} instead."
        )


def _checked_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n)
    weight = finite_numbers(sample_weight, "sample_weight")
    if weight.shape != (n,):
        raise DataError(f"sample_weight must have shape ({n},). Got {weight.shape} instead.")
    if (weight < 0).any():
        first = int(np.argmax(weight < 0))
        raise DataError(
            f"sample_weight must not be negative. Got {weight[first]:g} at row {first}."
        )
    if not (weight > 0).any():
        raise DataError("sample_weight is zero for every row: at least one must be positive.")
    return weight


def _checked_costs(test_costs: Any, names: tuple[str, ...]) -> NDArray[np.float64]:
    if test_costs is None:
        return np.ones(len(names))
    if hasattr(test_costs, "items"):
        unknown = [name for name, _ in test_costs.items() if name not in names]
        if unknown:
            raise DataError(f"test_costs names unknown features: {', '.join(map(str, unknown))}.")
        test_costs = [test_costs.get(name, 1.0) for name in names]
    costs = finite_numbers(test_costs, "test_costs")
    if costs.shape != (len(names),) or (costs < 0).any() or not (costs > 0).any():
        raise DataError(
            f"test_costs must be {len(names)} non-negative numbers, one per feature, not all "
            f"zero. Got {np.asarray(test_costs).tolist()!r} instead."
        )
    return costs


def _cost_units(costs: NDArray[np.float64]) -> IntegerUnits:
    units = exact_units(costs)
    if units is None:
        raise DataError(
            "test_costs cannot be written exactly as multiples of one unit: they have too many "
            f"digits for how far they lie apart. Got {costs.tolist()!r}. Round them to fewer "
            "digits."
        )
    return units


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array
