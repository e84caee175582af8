"""Search engines of odt's own: dynamic programming and its relatives."""

SOLVERS = {
    "brute-force": "odt.engine.brute_force:BruteForce",
    "dp": "odt.engine.dp.solver:DynamicProgramming",
    "fpt": "odt.engine.fpt.solver:Fpt",
    "min-size": "odt.engine.min_size.solver:MinSize",
}
