"""Compiled loops of the DPDT engine: plain arrays in, plain arrays out, no Python objects."""
