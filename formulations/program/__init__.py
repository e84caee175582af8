"""The two kinds of program: linear rows and clauses. No solver, no tree."""
