"""Smallest and lowest consistent trees: reductions, staircase search, dual bounds, solver."""
