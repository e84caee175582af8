"""Benchmarks that are no grids of runs: profiles of kernels, processes and proofs."""
