"""Branch and bound over thresholds of raw numeric data."""
