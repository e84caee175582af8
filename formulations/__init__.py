"""Solvers in this home, by registry name."""

SOLVERS = {
    "and-or": "formulations.and_or:AndOr",
    "benders-oct": "formulations.benders_oct:BendersOct",
    "bin-oct": "formulations.bin_oct:BinOct",
    "cp-sat": "formulations.cp_sat:CpSat",
    "flow-oct": "formulations.flow_oct:FlowOct",
    "flow-stump": "formulations.flow_stump:FlowStump",
    "maxsat": "formulations.maxsat:MaxSat",
    "oct": "formulations.oct:Oct",
    "oct-q": "formulations.oct_q:OctQ",
    "paths": "formulations.paths:Paths",
}
