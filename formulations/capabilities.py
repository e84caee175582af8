"""The table of what each formulation can be asked, from the classes themselves.

``python -m formulations.capabilities`` prints it; docs/formulations.md holds a copy that the tests
compare.
"""

from __future__ import annotations

from collections.abc import Iterator

from formulations import SOLVERS
from odt.core.registry import solver_class
from odt.model.capability import Feature

COLUMNS: dict[str, frozenset[Feature]] = {
    "error": frozenset({Feature.ERROR}),
    "size": frozenset({Feature.SIZE}),
    "depth": frozenset({Feature.DEPTH}),
    "tests": frozenset({Feature.EXPECTED_TESTS}),
    "test costs": frozenset({Feature.TEST_COSTS}),
    "explanation": frozenset({Feature.EXPLANATION_SIZE}),
    "worst": frozenset({Feature.WORST_EXPLANATION}),
    "orders": frozenset({Feature.LEXICOGRAPHIC, Feature.WEIGHTED_SUM}),
    "max_nodes": frozenset({Feature.MAX_NODES}),
    "max_error": frozenset({Feature.MAX_ERROR, Feature.CONSISTENT}),
    "leaf limits": frozenset({Feature.MIN_SAMPLES_LEAF, Feature.MIN_WEIGHT_LEAF}),
    "max_features": frozenset({Feature.MAX_FEATURES}),
    "categories": frozenset({Feature.CATEGORICAL}),
    "test set": frozenset({Feature.FIXED_TESTS}),
    "any depth": frozenset({Feature.UNLIMITED_DEPTH}),
    "positions": frozenset({Feature.POSITIONS}),
    "class errors": frozenset({Feature.CLASS_ERROR}),
    "feature budget": frozenset({Feature.FEATURE_BUDGET}),
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
