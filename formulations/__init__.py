"""Solvers in this home, by registry name."""

SOLVERS = {
    "cp-sat": "formulations.cp_sat:CpSat",
    "maxsat": "formulations.maxsat:MaxSat",
}
