"""The options that state a problem and a budget, shared by the commands that solve."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from odt.core.run import Budget
from odt.data.dataset import Dataset
from odt.data.files import read_dataset
from odt.datasets import load_dataset
from odt.errors import ProblemError
from odt.model.problem import Problem
from odt.model.shape import Shape
from odt.model.testset import TestSet

_FILE_SUFFIXES = (".csv", ".gz", ".bz2", ".xz", ".parquet", ".pq", ".txt", ".data", ".tsv")


def _option(text: str, panel: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, show_default=True)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What to solve and with what resources, as given on the command line."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Name (see 'odt datasets'), CSV or Parquet file, or - for CSV on standard input.",
        ),
    ]
    target: Annotated[
        str | None, _option("Label column of a file; 'class' by default.", "Data")
    ] = None
    weight: Annotated[str | None, _option("Column of example weights.", "Data")] = None
    drop: Annotated[str, _option("Columns to leave out: id,name.", "Data")] = ""
    separator: Annotated[
        str | None, _option("Between fields: a character, tab or space; found out.", "Data")
    ] = None
    decimal: Annotated[str | None, _option("Decimal mark, '.' or ','; found out.", "Data")] = None
    encoding: Annotated[str | None, _option("Such as latin-1; found out.", "Data")] = None
    na: Annotated[str | None, _option("What stands for a missing value: -9,unknown.", "Data")] = (
        None
    )
    categorical: Annotated[
        str, _option("Columns of numbers to read as categories: a,b.", "Data")
    ] = ""
    test_costs: Annotated[
        str, _option("Costs of asking for features, 1 by default: a=2,b=0.5.", "Data")
    ] = ""
    missing: Annotated[
        str,
        _option(
            "Missing values: error, drop (their rows), learned (tests send them either way), "
            "category (a value of their own).",
            "Data",
        ),
    ] = "error"
    header: Annotated[
        bool | None,
        _option(
            "Take the first line of a CSV file as names, or as data (x0, x1, ...).",
            "Data",
            "--header/--no-header",
        ),
    ] = None
    objective: Annotated[
        str,
        _option(
            "What to minimise: 'error + 0.01*expected_tests'; a comma orders: 'error, size'.",
            "Problem",
        ),
    ] = "error"
    max_depth: Annotated[int | None, _option("Most tests on a path.", "Problem")] = None
    max_nodes: Annotated[int | None, _option("Most nodes.", "Problem")] = None
    max_leaf_nodes: Annotated[int | None, _option("Most leaves.", "Problem")] = None
    min_samples_leaf: Annotated[int, _option("Fewest examples in a leaf.", "Problem")] = 1
    min_weight_leaf: Annotated[float, _option("Least weight of a leaf.", "Problem")] = 0.0
    max_error: Annotated[float | None, _option("Largest error, 0 to 1.", "Problem")] = None
    max_features: Annotated[int | None, _option("Most distinct features.", "Problem")] = None
    quantiles: Annotated[
        int | None, _option("Use at most so many thresholds a feature, not all.", "Problem")
    ] = None
    time_limit: Annotated[float | None, _option("Seconds for a solver.", "Budget")] = None
    memory_limit: Annotated[float | None, _option("MiB of memory.", "Budget")] = None
    threads: Annotated[int, _option("Threads a solver may use.", "Budget")] = 1
    seed: Annotated[int, _option("Seed of everything random.", "Budget")] = 0

    def dataset(self) -> Dataset:
        """Load the data."""
        options: dict[str, Any] = {
            "target": self.target,
            "weight": self.weight,
            "categorical": comma_list(self.categorical),
            "test_costs": assignments(self.test_costs) or None,
            "missing": self.missing,
            "drop": comma_list(self.drop),
        }
        form = {
            "header": self.header,
            "separator": self.separator,
            "decimal": self.decimal,
            "encoding": self.encoding,
            "na_values": None if self.na is None else comma_list(self.na),
        }
        options |= {name: value for name, value in form.items() if value is not None}
        if self.data == "-":
            return read_dataset(sys.stdin, **options)
        if self.data.endswith(_FILE_SUFFIXES) or Path(self.data).is_file():
            return read_dataset(self.data, **options)
        return load_dataset(self.data, **options)

    def problem(self) -> Problem:
        """State the problem."""
        own = {f.name for f in fields(self)}
        shape = Shape(**{f.name: getattr(self, f.name) for f in fields(Shape) if f.name in own})
        data = self.dataset()
        tests = None if self.quantiles is None else TestSet.quantiles(data, self.quantiles)
        return Problem(data, self.objective, shape, tests)  # type: ignore[arg-type]  # text is read

    def budget(self) -> Budget:
        """State the budget."""
        return Budget(self.time_limit, self.memory_limit, self.threads)


def with_task(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command whose first parameter is a `Task` the fields of it as its own options."""
    own = list(inspect.signature(command).parameters.values())[1:]
    hints = get_type_hints(Task, include_extras=True) | get_type_hints(command, include_extras=True)
    shared = [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if f.default is MISSING else f.default,
        )
        for f in fields(Task)
    ]
    parameters = [
        p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for p in (shared[0], *own, *shared[1:])
    ]

    @functools.wraps(command)
    def run(**given: Any) -> int:
        task = Task(**{f.name: given.pop(f.name) for f in fields(Task)})
        return command(task, **given)

    del run.__wrapped__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def comma_list(text: str) -> list[str]:
    """Split ``"a, b"`` into its parts."""
    return [part.strip() for part in text.split(",") if part.strip()]


def assignments(text: str) -> dict[str, str]:
    """Split ``"a=1, b=2"`` into names and texts.

    Raises
    ------
    ProblemError
        If a part is not of the form NAME=VALUE.
    """
    pairs = [part.partition("=") for part in comma_list(text)]
    for name, sign, value in pairs:
        if not (name and sign and value):
            raise ProblemError(f"Expected NAME=VALUE. Got {name + sign + value!r} instead.")
    return {name.strip(): value.strip() for name, _, value in pairs}
