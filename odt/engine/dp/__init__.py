"""Exact dynamic programming over sets of examples."""
