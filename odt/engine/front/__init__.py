"""All trade-offs of a restricted search in one pass, on compiled kernels."""
