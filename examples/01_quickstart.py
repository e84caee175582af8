"""State a problem on iris, solve it exactly, and look at the tree, the proof and a path."""

import odt


def main() -> None:
    data = odt.datasets.load_dataset("iris")
    problem = odt.Problem(data, "error + 0.01*expected_tests", odt.Shape(max_depth=3))
    print(data)

    greedy = odt.solve(problem, "cart")
    print(f"\nGreedy: objective {greedy.objective:.4f}, nothing proved.")

    best = odt.solve(problem, "dp", budget=odt.Budget(time_limit=60))
    print(f"Exact: objective {best.objective:.4f}, bound {best.bound:.4f}, {best.status.value}.\n")
    print(best.tree)

    certificate = best.certificate()  # recomputed from the tree and the raw rows
    print("\nMeasures:", {name: round(v, 4) for name, v in certificate.measures.items()})
    print("\nWhy the last flower is what it is:")
    for step in best.tree.explain(data.X[-1]):
        print("  ", step)


if __name__ == "__main__":
    main()
