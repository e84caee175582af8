"""Clause models of a complete tree."""
