"""From a policy on boxes of feature bounds to a tree, on iris.

Usage: python examples/14_from_boxes_to_a_tree.py [output.png]
"""

import sys

import odt
from heuristics.rl.custard import policy_gradient
from heuristics.rl.learning import q_learning
from heuristics.rl.process import OIBMDP


def main() -> None:
    data = odt.datasets.load_dataset("iris")
    process = OIBMDP.of(data, zeta=0.6, max_depth=3)
    print(f"{process.boxes.n_states} boxes, {process.boxes.n_questions} questions in each")

    best = process.solve()
    learned = q_learning(process, seed=0)
    climbed = policy_gradient(process, natural=True).policy
    for name, policy in (("exact", best), ("Q-learning", learned), ("policy gradient", climbed)):
        asked = policy.questions
        print(
            f"{name:16} return {policy.returned:.4f}, regret {best.returned - policy.returned:.4f},"
            f" {asked.n_questions} questions, accuracy {asked.accuracy:.4f}"
        )

    print("\nThe first question of the policy, on the scaled feature and as a test:")
    root = best.questions.root
    print(f"  coordinate {root.column} <= {root.threshold}: {root.test.describe(data.schema)}")
    print(f"\n{best.tree.fitted(data)}")

    problem = odt.Problem(data, "error + 0.05*expected_tests", odt.Shape(max_depth=3))
    print("\nThe same tree, found by name and evaluated by the core:")
    print(odt.solve(problem, "oibmdp", zeta=0.6).objective)

    if len(sys.argv) > 1:
        odt.plot_tree(best.tree.fitted(data)).figure.savefig(sys.argv[1], dpi=150)
        print(f"Drawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
