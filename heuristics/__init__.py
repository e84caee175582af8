"""Solvers in this home, by registry name."""

SOLVERS: dict[str, str] = {}
