"""Solvers in this home, by registry name."""

SOLVERS: dict[str, str] = {
    "cart": "heuristics.greedy:Cart",
    "dpdt": "heuristics.dpdt:Dpdt",
    "ser-dt": "heuristics.ser_dt:SerDt",
    "support-set": "heuristics.support_set:SupportSetHeuristic",
}
