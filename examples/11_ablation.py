"""What are the rows of a formulation worth? Switch them off one by one and count.

Usage: python examples/11_ablation.py [seconds, 30 by default] [output.png]
"""

import sys

import odt

LIMIT = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
VARIANTS = {
    "flow-oct": {},
    "  without dominance": {"dominance": False},
    "  without symmetry": {"symmetry": False},
    "  without both": {"dominance": False, "symmetry": False},
    "  no tree to start from": {"start": "none"},
    "  cost at most that of the start": {"cutoff": True},
}

iris = odt.datasets.load_dataset("iris")
problem = odt.Problem(iris, "error", odt.Shape(max_depth=2), odt.TestSet.quantiles(iris, 4))
print(f"error on iris, depth 2, {len(problem.candidate_tests)} tests\n")
print(f"{'variant':33s} {'status':9s} {'errors':>6s} {'bound':>6s} {'nodes':>6s} {'seconds':>8s}")
results = {}
for name, options in VARIANTS.items():
    result = odt.solve(problem, "flow-oct", budget=odt.Budget(time_limit=LIMIT), **options)
    results[name.strip()] = result
    print(
        f"{name:33s} {result.status.value:9s} {result.cost!s:>6} {result.cost_bound!s:>6} "
        f"{result.stats.get('nodes', 0):6} {result.runtime['solve']:8.2f}"
    )

if len(sys.argv) > 2:
    odt.plot_trace(results).figure.savefig(sys.argv[2], dpi=150)
    print(f"Drawn: {sys.argv[2]}")
