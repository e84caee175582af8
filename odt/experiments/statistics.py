"""What papers print about many runs: means, profiles, and what was solved by when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from odt.errors import ProblemError

PROVED = ("optimal", "infeasible")
"""Statuses of runs that answered their question."""


def prepared(table: Any, clock: str = "time") -> Any:
    """Return a table of `odt.experiment` with what the statistics are about.

    Parameters
    ----------
    table : DataFrame
    clock : {"time", "cpu"}, default "time"
        Which seconds count.

    Returns
    -------
    DataFrame
        With ``question`` (instance, seed and time limit), ``proved``, ``seconds`` and
        ``fastest``, those of the fastest proof of the question. Seconds are those of the clock, at
        least a millisecond. A run without a proof counts with its time limit, or without one with
        the longest time of all runs.
    """
    if clock not in ("time", "cpu"):
        raise ProblemError(f"'clock' must be 'time' or 'cpu'. Got {clock!r} instead.")
    if not len(table):
        raise ProblemError("There are no runs to report on.")
    table = table.copy()
    limits = table["time_limit"].astype(float)
    table["question"] = (
        table["instance"] + "/" + table["seed"].astype(str) + "/" + limits.astype(str)
    )
    table["proved"] = table["status"].isin(PROVED)
    seconds = table[clock].astype(float)
    longest = np.nanmax([*seconds, *limits, 1e-3])
    open_seconds = limits.fillna(longest)
    table["seconds"] = seconds.where(table["proved"], open_seconds).clip(lower=1e-3)
    fastest = table[table["proved"]].groupby("question")["seconds"].min()
    table["fastest"] = table["question"].map(fastest).astype(float)
    return table


def summary(runs: Any, *, shift: float = 10.0, within: Sequence[float] = (1, 10, 60)) -> Any:
    """Return a row for each solver: what it answered and proved, how fast, how well.

    Parameters
    ----------
    runs : DataFrame
        Of `prepared`.
    shift : float, default 10.0
        Seconds of the shifted geometric mean ``exp(mean(log(t + shift))) - shift``.
    within : sequence of float
        Times for which the number of proofs is counted.

    Returns
    -------
    DataFrame
        ``wins`` counts the questions proved first, shared ones too; ``best trees`` those for
        which no solver has a better tree; gaps are means over runs with a tree.
    """
    import pandas as pd

    rows = []
    for solver, own in runs.groupby("solver", sort=False):
        proved = own[own["proved"]]
        rows.append(
            {
                "solver": solver,
                "runs": len(own),
                "trees": int(own["cost"].notna().sum()),
                "proofs": len(proved),
                **{f"within {t:g} s": int((proved["seconds"] <= t).sum()) for t in within},
                "mean seconds": shifted_mean(own["seconds"], shift),
                "wins": int((proved["seconds"] <= proved["fastest"]).sum()),
                "best trees": int((own["gap_to_best_tree"] == 0).sum()),
                "gap to best": own["gap_to_best_tree"].astype(float).mean(),
                "own gap": own["gap"].astype(float).replace(np.inf, np.nan).mean(),
                "test error": own["test_error"].astype(float).mean(),
            }
        )
    return pd.DataFrame(rows).set_index("solver")


def shifted_mean(seconds: Any, shift: float = 10.0) -> float:
    """Return the shifted geometric mean of some times."""
    return float(np.exp(np.mean(np.log(np.asarray(seconds, float) + shift))) - shift)


def performance_profile(runs: Any) -> dict[str, tuple[Any, Any]]:
    """Return for each solver ratios and the share of questions proved within them.

    The ratio of a run is its time over the best time of any solver for the question; without a
    proof it is infinite (Dolan and Moré, Mathematical Programming 91, 2002).

    Parameters
    ----------
    runs : DataFrame
        Of `prepared`.

    Returns
    -------
    dict of str to (ndarray, ndarray)
        A step goes up to ``shares[i]`` at ``ratios[i]``.
    """
    total = runs["question"].nunique()
    ratios = runs["seconds"] / runs["fastest"]
    return _steps(runs, ratios.where(runs["proved"]), total)


def solved_over_time(runs: Any) -> dict[str, tuple[Any, Any]]:
    """Return for each solver seconds and the share of questions proved within them."""
    return _steps(runs, runs["seconds"].where(runs["proved"]), runs["question"].nunique())


def _steps(runs: Any, values: Any, total: int) -> dict[str, tuple[Any, Any]]:
    found = {}
    for solver, own in values.groupby(runs["solver"], sort=False):
        reached = np.sort(own.dropna().to_numpy(float))
        found[str(solver)] = reached, np.arange(1, len(reached) + 1) / total
    return found


def gap_over_time(runs: Any, n_points: int = 100) -> dict[str, tuple[Any, Any]]:
    """Return for each solver seconds and the mean gap of its runs then, from their traces.

    The gap is that of the incumbent and the bound at the time, in integer cost; 1 as long as
    there is no tree or no bound.
    """
    traces = {solver: own["trace"] for solver, own in runs.groupby("solver", sort=False)}
    read = {
        str(solver): [json.loads(trace) if trace else [] for trace in own]
        for solver, own in traces.items()
    }
    last = max((p[0] for own in read.values() for t in own for p in t), default=1.0)
    times = np.geomspace(1e-3, max(last, 2e-3), n_points)
    return {
        solver: (times, np.mean([_gaps(trace, times) for trace in own], axis=0))
        for solver, own in read.items()
    }


def _gaps(trace: list[list[Any]], times: Any) -> Any:
    gaps = np.ones(len(times))
    for time, cost, bound in trace:
        gap = 1.0
        if cost is not None and bound is not None:
            gap = min(1.0, (cost - bound) / max(abs(cost), 1))
        gaps[times >= time] = gap
    return gaps


def paired(runs: Any, first: str, second: str) -> Any:
    """Return a DataFrame of the seconds of two solvers, a row for each question of both.

    Raises
    ------
    ProblemError
        If there is no such solver.
    """
    known = list(dict.fromkeys(runs["solver"]))
    for solver in (first, second):
        if solver not in known:
            raise ProblemError(f"No solver {solver!r} has runs. Those that do: {', '.join(known)}.")
    times = runs.pivot_table(index="question", columns="solver", values="seconds", sort=False)
    return times[[first, second]].dropna()
