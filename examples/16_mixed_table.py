"""A real table of numbers, categories and gaps in a pipeline, and a grid over what gaps mean.

The breast cancer data of Ljubljana (UCI): does the cancer come back within five years? Ages and
sizes are ranges such as 30-39, the other columns are words, and nine rows have gaps. Set ODT_DATA
to the folder that holds categorical/breast-cancer.csv.gz.

Usage: python examples/16_mixed_table.py [output.png]
"""

import os
import sys
import warnings
from pathlib import Path

from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import odt
from odt.data.files import read_frame

RANGES = ["age", "tumor_size", "inv_nodes"]


def lower_ends(table):
    """Return the table with the lower end of each range as a number; gaps stay gaps."""
    ends = {name: table[name].str.split("-").str[0].astype(float) for name in RANGES}
    return table.assign(**ends)


def main():
    if "ODT_DATA" not in os.environ:
        sys.exit("Set ODT_DATA to the folder that holds categorical/breast-cancer.csv.gz.")
    warnings.simplefilter("ignore", odt.DataWarning)  # a fold may lack the only gap of a column
    table = read_frame(Path(os.environ["ODT_DATA"]) / "categorical" / "breast-cancer.csv.gz")
    y = table.pop("class")
    print(f"{len(table)} rows, {int(table.isna().any(axis=1).sum())} of them with gaps")

    model = Pipeline(
        [
            ("ranges", FunctionTransformer(lower_ends)),
            ("tree", odt.OptimalTreeClassifier(class_weight="balanced", time_limit=5)),
        ]
    )
    grid = GridSearchCV(
        model,
        {"tree__missing": ["learned", "category"], "tree__max_depth": [1, 2]},
        scoring="balanced_accuracy",
        cv=5,
    ).fit(table, y)
    print(f"best: {grid.best_params_}, balanced accuracy {grid.best_score_:.3f} on unseen folds")

    greedy = model.set_params(tree=odt.CARTClassifier(missing="learned", class_weight="balanced"))
    scores = cross_val_score(greedy, table, y, scoring="balanced_accuracy", cv=5)
    print(f"CART of depth 3: {scores.mean():.3f}")

    tree = grid.best_estimator_["tree"]
    print(f"\n{tree.status_}: no tree of this depth has a weighted error below {tree.bound_:.4f}\n")
    print(tree.tree_)
    if len(sys.argv) > 1:
        from matplotlib.figure import Figure

        means = grid.cv_results_["mean_test_score"]
        names = [f"{c['tree__missing']}, depth {c['tree__max_depth']}"
                 for c in grid.cv_results_["params"]]  # fmt: skip
        figure = Figure(figsize=(6, 3), layout="constrained")
        ax = figure.subplots()
        ax.barh([*names, "CART, depth 3"], [*means, scores.mean()])
        ax.set(xlabel="balanced accuracy on unseen folds")
        figure.savefig(sys.argv[1], dpi=110)
        print(f"\nDrawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
