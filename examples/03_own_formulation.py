"""A formulation of one's own: take a model, add one idea, and measure what the idea is worth.

`formulations/TEMPLATE.py` is a small model of complete trees. Here it learns that no test is worth
asking twice on a path. The optimum must stay the same; the search should become smaller.

Usage: python examples/03_own_formulation.py [output.png]
"""

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import odt
from formulations.TEMPLATE import Template, TemplateModel
from formulations.tree.positions import ancestors


class NoRepeatModel(TemplateModel):
    """The template's model with: asks[n, t] + asks[a, t] <= 1 for every position a above n."""

    def _choose_tests(self):
        super()._choose_tests()
        for n in range(2, len(self._split)):
            for above in ancestors(n):
                self.program.at_most_one(np.stack([self._asks[n], self._asks[above]], axis=1))


@dataclass(frozen=True)
class NoRepeat(Template):
    """A solver is a class with a name; everything else is inherited."""

    name: ClassVar[str] = "no-repeat"

    def build(self, problem, goal, stop):
        """Write the model with the new constraints."""
        return NoRepeatModel(problem, goal, stop)


def main():
    iris = odt.datasets.load_dataset("iris")
    few = odt.TestSet.quantiles(iris, 4)
    problem = odt.Problem(iris, "error + 0.002*size", odt.Shape(max_depth=3), few)
    results = {}
    for solver in (Template(), NoRepeat(), "cp-sat", "dp"):
        result = odt.solve(problem, solver, budget=odt.Budget(time_limit=20))
        results[result.solver] = result
        effort = result.stats.get("conflicts")
        print(
            f"{result.solver:10} {result.status.value:8} objective {result.objective:.4f}  "
            f"{result.runtime['total']:6.2f} s  {'' if effort is None else f'{effort} conflicts'}"
        )
    print()
    print(result.tree)

    if len(sys.argv) > 1:
        odt.plot_trace(results).figure.savefig(sys.argv[1], dpi=150)
        print(f"Drawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
