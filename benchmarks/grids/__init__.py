"""Benchmarks that are grids of runs: one file each, with what it prints."""
