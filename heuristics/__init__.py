"""Solvers in this home, by registry name."""

SOLVERS: dict[str, str] = {
    "alphabetic": "heuristics.alphabetic:Alphabetic",
    "c45": "heuristics.c45:C45",
    "cart": "heuristics.greedy:Cart",
    "dpdt": "heuristics.dpdt:Dpdt",
    "ec2": "heuristics.ec2:Ec2",
    "ser-dt": "heuristics.ser_dt:SerDt",
    "support-set": "heuristics.support_set:SupportSetHeuristic",
}
