"""Other packages as solvers of a grid, each in an environment of its own."""
