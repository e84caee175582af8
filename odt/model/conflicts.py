"""Equal rows of different class: why no tree is without errors."""

from __future__ import annotations

from odt.data.numerals import shortest
from odt.model.problem import Problem

SHOWN = 5


def conflict_message(problem: Problem) -> str | None:
    """Return what keeps a tree from being consistent, and the ways out; None if nothing does."""
    data, least = problem.dataset, problem.compiled.base_errors
    if least == 0:
        return None
    fraction = least / data.total_weight
    ways = (
        f"Ways out: Shape(max_error={shortest(fraction)}) allows the errors that no tree avoids; "
        "odt.transform.resolve(dataset, 'majority') or (dataset, 'drop') removes them."
    )
    if not data.conflicts:
        return f"The given tests do not tell apart some rows of different class. {ways}"
    listed = [
        f"rows {', '.join(map(str, c.rows))} are equal but have the labels "
        f"{', '.join(map(repr, c.labels))}"
        for c in data.conflicts[:SHOWN]
    ]
    more = len(data.conflicts) - SHOWN
    rest = f"; and {more} more groups" if more > 0 else ""
    return f"No tree is consistent with these data: {'; '.join(listed)}{rest}. {ways}"
