"""The table of what each formulation can be asked, from the classes themselves.

``python -m formulations.capabilities`` prints it; docs/formulations.md holds a copy that the tests
compare.
"""

from __future__ import annotations

from collections.abc import Iterator

from formulations import SOLVERS
from odt.core.registry import solver_class
from odt.model.capability import Capability, Need
from odt.model.measure import Measure

COLUMNS: dict[str, frozenset[Need]] = {
    "error": frozenset({Measure.ERROR}),
    "size": frozenset({Measure.SIZE}),
    "depth": frozenset({Measure.DEPTH}),
    "tests": frozenset({Measure.EXPECTED_TESTS}),
    "test costs": frozenset({Capability.TEST_COSTS}),
    "explanation": frozenset({Measure.EXPLANATION_SIZE}),
    "worst": frozenset({Measure.WORST_EXPLANATION}),
    "orders": frozenset({Capability.LEXICOGRAPHIC, Capability.WEIGHTED_SUM}),
    "max_nodes": frozenset({Capability.MAX_NODES}),
    "max_error": frozenset({Capability.MAX_ERROR, Capability.CONSISTENT}),
    "leaf limits": frozenset({Capability.MIN_SAMPLES_LEAF, Capability.MIN_WEIGHT_LEAF}),
    "max_features": frozenset({Capability.MAX_FEATURES}),
    "categories": frozenset({Capability.CATEGORICAL, Capability.MISSING}),
    "test set": frozenset({Capability.FIXED_TESTS}),
    "any depth": frozenset({Capability.UNLIMITED_DEPTH}),
    "positions": frozenset({Capability.POSITIONS}),
    "class errors": frozenset({Capability.CLASS_ERROR}),
    "feature budget": frozenset({Capability.FEATURE_BUDGET}),
}
"""Columns of the table and the features that each stands for."""


def capability_table() -> str:
    """Return the table as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| formulation | " + " | ".join(COLUMNS) + " |"
    yield "|---" * (len(COLUMNS) + 1) + "|"
    for name in sorted(SOLVERS):
        supports = solver_class(name).supports
        marks = ["yes" if features <= supports else "-" for features in COLUMNS.values()]
        yield f"| `{name}` | " + " | ".join(marks) + " |"


if __name__ == "__main__":
    print(capability_table())
