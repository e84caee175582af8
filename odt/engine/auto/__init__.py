"""The solver ``auto``: the engine that fits a problem, behind one name."""
