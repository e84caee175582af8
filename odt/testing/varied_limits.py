"""Random limits and test sets for given data, those that are just kept or just broken above all."""

from __future__ import annotations

from typing import Any

import numpy as np

from odt.data.dataset import Dataset
from odt.data.encode import GAP
from odt.model.capability import COMBINATIONS, TESTS, Capability, Need
from odt.model.shape import Charge, Shape
from odt.model.testset import Test, TestSet

POSITIONS = ("", "", "L", "R", "LR")
LIMITS = frozenset(Capability) - COMBINATIONS - TESTS - {Capability.UNLIMITED_DEPTH}
FEW_ROWS = 5
"""Up to so many rows a problem may have no ``max_depth``, so that all trees can be enumerated."""


def varied_tests(rng: np.random.Generator, dataset: Dataset) -> TestSet:
    """Return a test set with equal, dominated, useless and missing tests.

    Thresholds lie anywhere between two values, twice in the same gap too, or beyond all values;
    tests of categories name several of them, the complement of others, or none that occurs.

    Parameters
    ----------
    rng : numpy.random.Generator
    dataset : Dataset
    """
    tests: list[Test] = []
    for test in TestSet.all(dataset):
        copies = int(rng.choice([0, 1, 1, 2]))
        tests += [_alike(rng, dataset, test) for _ in range(copies)]
    for feature, kind in enumerate(dataset.kinds):
        values = np.unique(dataset.X[:, feature])
        if rng.random() < 0.2:
            tests.append(Test(feature, threshold=float(rng.choice([values[0] - 1, values[-1]]))))
        are_codes = bool((values == values.round()).all() and abs(values).max() < 10)
        if are_codes and rng.random() < (0.6 if kind == "categorical" else 0.1):
            codes = rng.choice(values, int(rng.integers(1, len(values) + 1)), replace=False)
            tests.append(Test(feature, categories=tuple(int(c) for c in codes)))
    order = rng.permutation(len(tests))
    return TestSet(tuple(tests[i] for i in order))


def varied_shape(
    rng: np.random.Generator,
    dataset: Dataset,
    tests: TestSet | None,
    supports: frozenset[Need],
    max_depth: int,
) -> Shape:
    """Return limits of any kind that is supported, several at once.

    Parameters
    ----------
    rng : numpy.random.Generator
    dataset : Dataset
    tests : TestSet or None
        What may be forced or forbidden; all tests if None.
    supports : frozenset of Measure and Capability
    max_depth : int
    """
    limits: dict[str, Any] = {"max_depth": int(max(rng.integers(0, max_depth + 1, 2)))}
    few = dataset.n_samples <= FEW_ROWS
    if few and Capability.UNLIMITED_DEPTH in supports and rng.random() < 0.5:
        limits["max_depth"] = None

    focus = 4 if len(supports & LIMITS) <= 2 else 1

    def wanted(need: Capability, share: float) -> bool:
        return bool(need in supports and rng.random() < share * focus)

    if wanted(Capability.MAX_NODES, 0.2):
        name, most = str(rng.choice(["max_nodes", "max_leaf_nodes"])), 9
        limits[name] = int(rng.integers(1, most if name == "max_nodes" else most // 2 + 2))
    if wanted(Capability.MIN_SAMPLES_LEAF, 0.12):
        limits["min_samples_leaf"] = int(rng.integers(2, 4))
    if wanted(Capability.MIN_WEIGHT_LEAF, 0.2):
        limits["min_weight_leaf"] = _some_weight(rng, dataset)
    if wanted(Capability.CONSISTENT, 0.15 if Capability.MAX_ERROR in supports else 0.85):
        limits["max_error"] = 0.0
    elif wanted(Capability.MAX_ERROR, 0.2):
        share = _some_weight(rng, dataset) / float(dataset.sample_weight.sum())
        limits["max_error"] = float(rng.choice([0.2, 0.34, min(share, 1.0)]))
    if wanted(Capability.MAX_FEATURES, 0.15):
        limits["max_features"] = int(rng.integers(0, 3))
    if wanted(Capability.CLASS_ERROR, 0.15):
        shares = rng.choice([0.0, 1 / 3, 0.6, 1.0], dataset.n_classes)
        limits["max_class_error"] = dict(zip(dataset.classes, shares.tolist(), strict=True))
    if wanted(Capability.FEATURE_BUDGET, 0.15):
        limits |= _budget(rng, dataset)
    if wanted(Capability.POSITIONS, 0.2):
        limits |= _demands(rng, dataset, tests)
    return Shape(**limits)


def splits(dataset: Dataset, test: Test) -> bool:
    """Say whether some rows of a dataset answer yes to a test and others no."""
    yes = test.holds(dataset.X)
    return bool(yes.any() and not yes.all())


def _alike(rng: np.random.Generator, dataset: Dataset, test: Test) -> Test:
    """Return a test that splits the data as another does: anywhere in the same gap."""
    if test.threshold is None:
        return test
    column = dataset.X[:, test.feature]
    known = column[column != GAP]
    if not len(known) or not known.min() <= test.threshold < known.max():
        return test  # it separates gaps from numbers
    low, high = known[known <= test.threshold].max(), known[known > test.threshold].min()
    threshold = low / 2 + high / 2 if rng.random() < 0.3 else low + rng.random() * (high - low)
    chosen = float(threshold if low <= threshold < high else low)
    return Test(test.feature, threshold=chosen, missing_left=test.missing_left)


def _some_weight(rng: np.random.Generator, dataset: Dataset) -> float:
    """Return the weight of some examples: a limit that they just reach."""
    some = rng.random(dataset.n_samples) < 0.3
    weight = float(dataset.sample_weight[some].sum())
    return weight if weight else float(dataset.sample_weight.min()) / 2


def _budget(rng: np.random.Generator, dataset: Dataset) -> dict[str, Any]:
    columns = range(dataset.n_features)
    if rng.random() < 0.3:
        return {"feature_budget": float(rng.integers(0, 3))}
    prices = rng.choice([0.5, 2.0, 0.1, 0.2, 1 / 3], 2).tolist()
    charges = (
        Charge(frozenset(columns[:2]), prices[0]),
        Charge(frozenset(columns[1:3]), prices[1]),
    )
    limit = float(rng.choice([0.0, prices[0], prices[1], prices[0] + prices[1]]))
    return {"feature_budget": limit, "feature_charges": charges}


def _demands(rng: np.random.Generator, dataset: Dataset, tests: TestSet | None) -> dict[str, Any]:
    """Force or forbid a test or a feature at one or two positions near the root."""
    candidates = (TestSet.all(dataset) if tests is None else tests).tests
    chosen: dict[str, dict[str, Any]] = {"forced": {}, "forbidden": {}}
    for _ in range(int(rng.integers(1, 3))):
        demand: Any = int(rng.integers(dataset.n_features))
        if candidates and rng.random() < 0.6:
            demand = candidates[int(rng.integers(len(candidates)))]
            if splits(dataset, demand):
                demand = _alike(rng, dataset, demand)  # the same test by another name
        position = str(rng.choice(POSITIONS))
        if rng.random() < 0.4:
            chosen["forced"][position] = demand
        else:
            chosen["forbidden"][position] = [demand]
    return chosen
