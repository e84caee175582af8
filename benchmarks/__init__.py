"""Benchmarks: grids of runs and the tables made of them; ``python -m benchmarks`` runs them."""
