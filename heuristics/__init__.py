"""Solvers in this home, by registry name."""

SOLVERS: dict[str, str] = {
    "cart": "heuristics.greedy:Cart",
    "dpdt": "heuristics.dpdt:Dpdt",
    "support-set": "heuristics.support_set:SupportSetHeuristic",
}
