"""Capability names: what a problem may need and what a solver may support."""

from __future__ import annotations

from enum import Enum


class Feature(Enum):
    """One thing a problem can ask for; ``value`` is the phrase used in messages and tables.

    A problem lists the features it needs, a solver class those it supports; ``odt.solve`` refuses
    the pair when something is missing and names the solvers that can.
    """

    ERROR = "error"
    SIZE = "size"
    DEPTH = "depth"
    EXPECTED_TESTS = "expected_tests"
    EXPLANATION_SIZE = "explanation_size"
    WORST_EXPLANATION = "worst_explanation_size"
    WEIGHTED_SUM = "weighted sum"
    LEXICOGRAPHIC = "lexicographic"
    TEST_COSTS = "test costs"
    CATEGORICAL = "categorical tests"
    FIXED_TESTS = "given test set"
    UNLIMITED_DEPTH = "no max_depth"
    MAX_NODES = "max_nodes / max_leaf_nodes"
    MIN_SAMPLES_LEAF = "min_samples_leaf"
    MIN_WEIGHT_LEAF = "min_weight_leaf"
    CONSISTENT = "max_error=0"
    MAX_ERROR = "max_error>0"
    MAX_FEATURES = "max_features"
    POSITIONS = "forced / forbidden tests"
    CLASS_ERROR = "max_class_error"
    FEATURE_BUDGET = "feature_budget"


MEASURES = frozenset(
    {
        Feature.ERROR,
        Feature.SIZE,
        Feature.DEPTH,
        Feature.EXPECTED_TESTS,
        Feature.EXPLANATION_SIZE,
        Feature.WORST_EXPLANATION,
    }
)
"""The six measures an objective may combine (explanation size as a mean and as a maximum)."""

STRUCTURE = frozenset({Feature.POSITIONS, Feature.CLASS_ERROR, Feature.FEATURE_BUDGET})
"""Structural constraints of a user's own."""

ALL = frozenset(Feature)
"""Everything: for solvers without restrictions."""
