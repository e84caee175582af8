"""Solvers in this home, by registry name."""

SOLVERS: dict[str, str] = {
    "cart": "heuristics.greedy:Cart",
    "custard-dqn": "heuristics.rl.solvers:CustardDqn",
    "custard-exact": "heuristics.rl.solvers:CustardExact",
    "custard-ppo": "heuristics.rl.solvers:CustardPpo",
    "dpdt": "heuristics.dpdt:Dpdt",
    "dqndt": "heuristics.rl.solvers:Dqndt",
    "oibmdp": "heuristics.rl.solvers:OibmdpExact",
    "support-set": "heuristics.support_set:SupportSetHeuristic",
}
