"""The analysis of an experiment, on numbers that are worked out by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import odt
from odt.errors import DataError, InconsistentSolutionError, ProblemError
from odt.experiments import statistics
from odt.experiments.ledger import Ledger
from odt.experiments.table import tabulate

ROOT = Path(__file__).parent.parent


def row(instance: str, solver: str, seconds: float, cost: int, bound: int | None) -> dict[str, Any]:
    """Return a row with a limit of 90 s; a bound that meets the cost is a proof."""
    return {
        "run": f"{instance}{solver}", "instance": instance, "data": instance, "solver": solver,
        "minimise": "error", "seed": 0, "time_limit": 90.0, "threads": 1, "objective": cost / 100,
        "status": "optimal" if bound == cost else "feasible", "time": seconds, "cpu": seconds / 2,
        "cost": cost, "cost_bound": bound, "bound": None if bound is None else bound / 100,
        "gap": None if bound is None else (cost - bound) / cost,
        "trace": json.dumps([[seconds / 2, cost, None], [seconds, cost, bound]]),
    }  # fmt: skip


ROWS = [
    row("p", "a", 1.0, 10, 10),
    row("p", "b", 4.0, 10, 10),
    row("q", "a", 50.0, 20, 20),
    row("q", "b", 25.0, 20, 20),
    row("r", "a", 30.0, 40, 40),
    row("r", "b", 91.0, 50, 20),  # no proof: counts as 90 s
]


@pytest.fixture
def made() -> odt.Report:
    """Return the report of `ROWS`."""
    return odt.report(tabulate(ROWS))


def test_summary(made: odt.Report) -> None:
    """Counts, wins, gaps, and (11 * 60 * 40) ** (1 / 3) - 10 as the mean of 1, 50 and 30 s."""
    table = made.summary(within=(1, 30))
    assert table["proofs"].to_dict() == {"a": 3, "b": 2}
    assert table["within 1 s"].tolist() == [1, 0]
    assert table["within 30 s"].tolist() == [2, 2]
    assert table["wins"].tolist() == [2, 1]
    assert table["best trees"].tolist() == [3, 2]
    assert table["mean seconds"].tolist() == pytest.approx(
        [(11 * 60 * 40) ** (1 / 3) - 10, (14 * 35 * 100) ** (1 / 3) - 10]
    )
    assert table.loc["b", "gap to best"] == pytest.approx((50 - 40) / 50 / 3)
    assert table.loc["b", "own gap"] == pytest.approx((50 - 20) / 50 / 3)


def test_performance_profile(made: odt.Report) -> None:
    """Ratios of a: 1, 2, 1; of b: 4, 1, infinite."""
    profile = statistics.performance_profile(made.runs)
    assert profile["a"][0].tolist() == [1, 1, 2]
    assert profile["a"][1].tolist() == pytest.approx([1 / 3, 2 / 3, 1])
    assert profile["b"][0].tolist() == [1, 4]
    assert profile["b"][1].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_solved_over_time_and_pairs(made: odt.Report) -> None:
    """The proofs by when, and the times of two solvers side by side."""
    solved = statistics.solved_over_time(made.runs)
    assert solved["b"][0].tolist() == [4, 25]
    assert statistics.paired(made.runs, "a", "b").to_numpy().tolist() == [
        [1, 4], [50, 25], [30, 90]
    ]  # fmt: skip
    with pytest.raises(ProblemError, match="Those that do: a, b"):
        statistics.paired(made.runs, "a", "c")


def test_gap_over_time(made: odt.Report) -> None:
    """At first every gap is 1; at the end b has 0, 0 and (50 - 20) / 50."""
    times, gaps = statistics.gap_over_time(made.runs)["b"]
    assert gaps[0] == 1
    assert gaps[-1] == pytest.approx(0.6 / 3)
    assert np.all(np.diff(gaps) <= 0)
    assert times[-1] == pytest.approx(91)


def test_the_clock_can_be_that_of_the_processor() -> None:
    """Half the seconds; what has no proof still counts with the limit."""
    runs = odt.report(tabulate(ROWS), clock="cpu").runs
    assert runs["seconds"].tolist() == [0.5, 2, 25, 12.5, 15, 90]
    with pytest.raises(ProblemError, match="'time' or 'cpu'"):
        odt.report(tabulate(ROWS), clock="wall")


def test_a_solver_without_proofs_and_one_without_answers() -> None:
    """A heuristic and a crash take part without a proof, a time or a gap."""
    crash = {"run": "x", "instance": "p", "data": "p", "solver": "c", "status": "crashed",
             "reason": "SIGSEGV: <b>", "seed": 0, "time_limit": 90.0}  # fmt: skip
    made = odt.report(tabulate([*ROWS, crash, row("p", "h", 0.1, 15, None)]))
    table = made.summary()
    assert table.loc[["c", "h"], "proofs"].tolist() == [0, 0]
    assert table.loc["c", "mean seconds"] == pytest.approx(90)
    page = made.to_html()
    assert "SIGSEGV: &lt;b&gt;" in page
    assert page.count("<figure>") == 4  # profile, proved, gaps, a against b


def test_tables_in_markdown_and_latex() -> None:
    """Signs that mean something there are escaped."""
    rows = [{**r, "solver": r["solver"].replace("b", "b_1 | 50%")} for r in ROWS]
    made = odt.report(tabulate(rows))
    assert "| b_1 \\| 50% | 3 | 3 | 2 |" in made.to_markdown()
    assert r"b\_1 | 50\% & 3 & 3 & 2 &" in made.to_latex()
    assert made.instances().to_numpy().tolist() == [[1, 4], [50, 25], [30, 90]]


def test_proofs_that_disagree_stop_the_report() -> None:
    """No picture is drawn of bounds that are wrong."""
    with pytest.raises(InconsistentSolutionError, match="'z'"):
        odt.report(tabulate([*ROWS, row("p", "z", 1.0, 11, 11)]))


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    """``odt report`` prints the summary and writes the page; a missing file is one line."""
    file, page = tmp_path / "r.csv", tmp_path / "r.html"
    with Ledger(file) as ledger:
        for one in ROWS:
            ledger.append(one)
    command = [sys.executable, "-m", "odt", "report", str(file), "--html", str(page)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "| a | 3 | 3 | 3 |" in done.stdout
    assert page.read_text().startswith("<!doctype html>")
    with pytest.raises(DataError, match="cannot be read"):
        odt.report(tmp_path / "none.csv")
