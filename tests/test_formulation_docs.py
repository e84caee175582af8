"""docs/formulations.md says what the code does."""

from __future__ import annotations

from pathlib import Path

from formulations import SOLVERS
from formulations.capabilities import capability_table
from formulations.linear.base import BACKENDS

PAGE = (Path(__file__).parent.parent / "docs" / "formulations.md").read_text()


def test_capability_table_is_the_generated_one() -> None:
    """To update it: ``python -m formulations.capabilities``."""
    assert capability_table() in PAGE


def test_every_formulation_and_backend_is_described() -> None:
    """Each name occurs in the text, not only in the table."""
    text = PAGE.replace(capability_table(), "")
    assert [name for name in (*SOLVERS, *BACKENDS) if name not in text] == []
