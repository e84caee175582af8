"""One problem, nine ways to prove its optimum: change the formulation or the solver by a word.

Usage: python examples/10_swap_formulations.py [seconds, 20 by default] [output.png]
"""

import sys
import time

import odt

LIMIT = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
EXACT = "and-or cp-sat maxsat paths bin-oct flow-stump flow-oct flow-oct[cbc] oct"

iris = odt.datasets.load_dataset("iris")
# few thresholds, so that the weaker formulations have a chance
tests = odt.TestSet.quantiles(iris, 5)
problem = odt.Problem(iris, "error + 0.01*size", odt.Shape(max_depth=2), tests)
print(f"{problem.objective} on iris, depth 2, {len(tests)} tests, {LIMIT:g} s each\n")
print("formulation     status    objective    bound  seconds    rows")
results = {}
for name in EXACT.split():
    started = time.perf_counter()
    try:
        result = odt.solve(problem, name, budget=odt.Budget(time_limit=LIMIT))
    except odt.MissingDependencyError as missing:
        print(f"{name:15s} {missing}")
        continue
    results[name] = result
    seconds = time.perf_counter() - started
    print(
        f"{name:15s} {result.status.value:9s} {result.objective:9.4f} {result.bound:8.4f} "
        f"{seconds:8.2f} {result.stats.get('rows', ''):>7}"
    )

if len(sys.argv) > 2:
    odt.plot_trace(results).figure.savefig(sys.argv[2], dpi=150)
    print(f"Drawn: {sys.argv[2]}")
