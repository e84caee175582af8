"""Solvers in this home, by registry name."""

SOLVERS = {
    "and-or": "formulations.linear.and_or:AndOr",
    "benders-oct": "formulations.linear.benders_oct:BendersOct",
    "bin-oct": "formulations.linear.bin_oct:BinOct",
    "cp-sat": "formulations.clause.cp_sat:CpSat",
    "flow-oct": "formulations.linear.flow_oct:FlowOct",
    "flow-stump": "formulations.linear.flow_stump:FlowStump",
    "maxsat": "formulations.clause.maxsat:MaxSat",
    "oct": "formulations.linear.oct:Oct",
    "oct-q": "formulations.linear.oct_q:OctQ",
    "paths": "formulations.linear.paths:Paths",
}
