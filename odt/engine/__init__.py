"""Search engines of odt's own: dynamic programming and its relatives."""

SOLVERS = {
    "auto": "odt.engine.auto.solver:Auto",
    "brute-force": "odt.engine.brute_force:BruteForce",
    "bnb": "odt.engine.branch_and_bound.solver:BranchAndBound",
    "dp": "odt.engine.dp.solver:DynamicProgramming",
    "fpt": "odt.engine.fpt.solver:Fpt",
    "min-size": "odt.engine.min_size.solver:MinSize",
}
