"""Solvers in this home, by registry name."""

SOLVERS = {
    "and-or": "formulations.and_or:AndOr",
    "cp-sat": "formulations.cp_sat:CpSat",
    "maxsat": "formulations.maxsat:MaxSat",
    "flow-oct": "formulations.flow_oct:FlowOct",
}
