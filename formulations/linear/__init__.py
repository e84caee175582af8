"""Linear models of a tree, one paper a file."""
