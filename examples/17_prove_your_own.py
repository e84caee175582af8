"""A formulation of one's own whose optimum is certified, and the proof of a lie refused.

A solver may be wrong: a model that forgets a tree looks just like one that is right. Here the
template's model solves iris, and the proof of its optimum is checked from the raw rows by a program
that knows nothing of the model. A solver that errs is found out.
"""

from dataclasses import replace

import odt
from formulations.TEMPLATE import Template


def main():
    """Certify the result of the template, then a wrong bound."""
    iris = odt.datasets.load_dataset("iris")
    tests = odt.TestSet.quantiles(iris, 3)
    problem = odt.Problem(iris, "error + 0.002*size", odt.Shape(max_depth=2), tests)
    result = odt.solve(problem, Template())
    print(f"{result.solver}: {result.status.value}, objective {result.objective:.4f}")
    proof = result.proof()
    print(proof.check(iris))
    print(f"{len(proof.content):,} bytes, compressed")
    lie = replace(result, tree=None, cost=None, cost_bound=result.cost_bound + 1)
    try:
        odt.certify(lie)
    except odt.InconsistentSolutionError as error:
        print(error)


if __name__ == "__main__":
    main()
