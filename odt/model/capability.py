"""What a problem may need and a solver may support, beside the measures.

A problem lists its needs and a solver class what it supports; ``odt.solve`` refuses the pair when
something is missing and names the solvers that can. Support is opt-in: a solver lists what it was
written and tested for, so the sets below are closed. A new capability gets a new member, and no
solver claims it until its author says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from odt.model.measure import Measure


class Capability(Enum):
    """One thing a problem can ask for; ``value`` is the phrase used in messages and tables."""

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


Need = Measure | Capability
"""What a problem needs and a solver supports."""

COMBINATIONS = frozenset({Capability.WEIGHTED_SUM, Capability.LEXICOGRAPHIC})
"""Several measures in one objective."""

TESTS = frozenset({Capability.TEST_COSTS, Capability.CATEGORICAL, Capability.FIXED_TESTS})
"""Kinds of tests: with costs, of categories, from a given set."""

LEAF_LIMITS = frozenset({Capability.MIN_SAMPLES_LEAF, Capability.MIN_WEIGHT_LEAF})
"""Limits on every leaf."""

ERROR_LIMITS = frozenset({Capability.CONSISTENT, Capability.MAX_ERROR})
"""Limits on the error of the tree."""

STRUCTURE = frozenset({Capability.POSITIONS, Capability.CLASS_ERROR, Capability.FEATURE_BUDGET})
"""Structural constraints of a user's own."""

GROUPS: Mapping[str, tuple[Need, ...]] = {
    **{measure.short: (measure,) for measure in Measure},
    "sum": (Capability.WEIGHTED_SUM,),
    "lex": (Capability.LEXICOGRAPHIC,),
    "cat": (Capability.CATEGORICAL,),
    "cst": (Capability.TEST_COSTS,),
    "set": (Capability.FIXED_TESTS,),
    "any": (Capability.UNLIMITED_DEPTH,),
    "nod": (Capability.MAX_NODES,),
    "lea": (Capability.MIN_SAMPLES_LEAF, Capability.MIN_WEIGHT_LEAF),
    "mxe": (Capability.CONSISTENT, Capability.MAX_ERROR, Capability.CLASS_ERROR),
    "fea": (Capability.MAX_FEATURES, Capability.FEATURE_BUDGET),
    "pos": (Capability.POSITIONS,),
}
"""Columns of the tables of solvers, by their short titles."""


def support_mark(supports: frozenset[Need], group: tuple[Need, ...]) -> str:
    """Return an entry of a table of solvers: x for all of a group, o for some, . for none."""
    supported = sum(need in supports for need in group)
    return "x" if supported == len(group) else "o" if supported else "."
