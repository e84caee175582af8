"""Solvers in this home, by registry name."""

SOLVERS: dict[str, str] = {
    "alphabetic": "heuristics.alphabetic:Alphabetic",
    "c45": "heuristics.c45:C45",
    "cart": "heuristics.greedy:Cart",
    "custard-dqn": "heuristics.rl.solvers:CustardDqn",
    "custard-exact": "heuristics.rl.solvers:CustardExact",
    "custard-ppo": "heuristics.rl.solvers:CustardPpo",
    "dpdt": "heuristics.dpdt:Dpdt",
    "dqndt": "heuristics.rl.solvers:Dqndt",
    "ec2": "heuristics.ec2:Ec2",
    "oibmdp": "heuristics.rl.solvers:OibmdpExact",
    "ser-dt": "heuristics.ser_dt:SerDt",
    "support-set": "heuristics.support_set:SupportSetHeuristic",
}
