"""The fixed-parameter algorithm for smallest and lowest consistent trees, as a readable oracle."""
