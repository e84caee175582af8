"""The table of what each formulation can be asked, from the classes themselves.

``python -m formulations.capabilities`` prints it; docs/formulations.md holds a copy that the tests
compare.
"""

from __future__ import annotations

from collections.abc import Iterator

from formulations import SOLVERS
from odt.core.registry import solver_class
from odt.model.capability import GROUPS, support_mark


def capability_table() -> str:
    """Return the table as Markdown, with a key to its columns."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| formulation | " + " | ".join(GROUPS) + " |"
    yield "|---" * (len(GROUPS) + 1) + "|"
    for name in sorted(SOLVERS):
        supports = solver_class(name).supports
        marks = [support_mark(supports, group) for group in GROUPS.values()]
        yield f"| `{name}` | " + " | ".join(marks) + " |"
    yield ""
    yield "`x` all, `o` some of it, `.` none."
    for title, group in GROUPS.items():
        yield f"`{title}`: {', '.join(need.value for need in group)}."


if __name__ == "__main__":
    print(capability_table())
