"""Instances with known optima, random problems and the conformance suite for solvers."""
