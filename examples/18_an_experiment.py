"""A small experiment: every dataset with every depth and solver, a row a run, taken up again.

The same script again does only what `runs.csv` does not hold: add a solver to the grid, and only
its runs are done. Each run is in a process of its own; a solver library that crashes is a row.

Usage: python examples/18_an_experiment.py [output.png]
"""

import sys
from pathlib import Path

import odt

GRID = {
    "data": ["iris", "wine"],
    "splits": 2,
    "problems": [{"objective": "error", "max_depth": [2, 3]}],
    "solvers": ["cart", "dpdt", {"name": "bnb", "initial": "dpdt", "label": "bnb from dpdt"}],
    "time_limit": 10,
}


def main():
    """Do the runs, print the tables that papers print, and draw when each proof was there."""
    table = odt.experiment(GRID, Path("runs.csv"))
    print(table.groupby(["data", "solver"], sort=False)[["error", "test_error"]].mean())
    report = odt.report("runs.csv")
    print(report.to_markdown(report.summary(shift=1, within=(0.1, 1))))
    if len(sys.argv) > 1:
        report.plot_solved().figure.savefig(sys.argv[1], dpi=120)
        print(f"Drawn: {sys.argv[1]}")


if __name__ == "__main__":
    main()
