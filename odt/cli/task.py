"""The options that state data, a problem and a budget, shared by the commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from odt.cli.files import writable, write_file
from odt.cli.options import Quiet, assignments, comma_list, data_names, grouped
from odt.convert.problem import ProblemParts, problem_from_toml, problem_to_toml
from odt.core.run import Budget
from odt.data.dataset import Dataset
from odt.data.delimited import TextFormat
from odt.data.files import read_dataset, read_frame
from odt.datasets import load_dataset, load_frame
from odt.errors import DataError
from odt.model.objective import Objective, usual_objective
from odt.model.problem import Problem
from odt.model.shape import Shape
from odt.model.testset import TestSet

_FILE_SUFFIXES = (".csv", ".gz", ".bz2", ".xz", ".parquet", ".pq", ".txt", ".data", ".tsv")
_data, _problem, _budget = grouped("Data"), grouped("Problem"), grouped("Budget")


@dataclass(frozen=True, kw_only=True)
class RawTable:
    """A table and how it is written, as given on the command line."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Name (see 'odt datasets'), CSV or Parquet file, or - for CSV on standard input.",
            autocompletion=data_names,
        ),
    ]
    separator: Annotated[
        str | None, _data("Between fields: a character, tab or space; found out.")
    ] = None
    decimal: Annotated[str | None, _data("Decimal mark, '.' or ','; found out.")] = None
    encoding: Annotated[str | None, _data("Such as latin-1; found out.")] = None
    na: Annotated[str | None, _data("What stands for a missing value: -9,unknown.")] = None
    header: Annotated[
        bool | None,
        _data(
            "Take the first line of a CSV file as names, or as data (x0, x1, ...).",
            "--header/--no-header",
        ),
    ] = None
    quiet: Quiet = False

    @property
    def form(self) -> dict[str, Any]:
        """How a text file is written, as far as it was said (see `TextFormat`)."""
        form = {
            "header": self.header,
            "separator": self.separator,
            "decimal": self.decimal,
            "encoding": self.encoding,
            "na_values": None if self.na is None else comma_list(self.na),
        }
        return {name: value for name, value in form.items() if value is not None}

    @property
    def source(self) -> Any:
        """A stream or path to read; None for a dataset that is known by name."""
        if self.data == "-":
            return sys.stdin
        is_file = self.data.endswith(_FILE_SUFFIXES) or Path(self.data).is_file()
        return self.data if is_file else None

    def frame(self, known: Mapping[str, Any], text: Sequence[str] = ()) -> Any:
        """Read the table with all its columns.

        Parameters
        ----------
        known : mapping
            Of `TextFormat`, where nothing else was said.
        text : sequence of str
            Columns to keep as text.
        """
        form = TextFormat(**{**known, **self.form}, text=text)
        return load_frame(self.data, form) if self.source is None else read_frame(self.source, form)


@dataclass(frozen=True, kw_only=True)
class Source(RawTable):
    """Labelled data, as given on the command line."""

    target: Annotated[str | None, _data("Label column of a file; 'class' by default.")] = None
    weight: Annotated[str | None, _data("Column of example weights.")] = None
    drop: Annotated[str, _data("Columns to leave out: id,name.")] = ""
    categorical: Annotated[str, _data("Columns of numbers to read as categories: a,b.")] = ""
    test_costs: Annotated[str, _data("Costs of asking for features, 1 by default: a=2,b=0.5.")] = ""
    missing: Annotated[
        str,
        _data(
            "Missing values: error, drop (their rows), learned (tests send them either way), "
            "category (a value of their own)."
        ),
    ] = "error"
    task: Annotated[
        str, _data("What to predict: classification, or regression (a column of numbers).")
    ] = "classification"

    def dataset(self) -> Dataset:
        """Load the data."""
        options: dict[str, Any] = {
            "target": self.target,
            "weight": self.weight,
            "categorical": comma_list(self.categorical),
            "test_costs": assignments(self.test_costs) or None,
            "missing": self.missing,
            "drop": comma_list(self.drop),
            "task": self.task,
            **self.form,
        }
        if self.source is None:
            return load_dataset(self.data, **options)
        return read_dataset(self.source, **options)


@dataclass(frozen=True, kw_only=True)
class Task(Source):
    """What to solve and with what resources, as given on the command line."""

    problem_file: Annotated[
        Path | None,
        _problem(
            "Objective, limits and tests in this TOML file; options replace them.", "--problem"
        ),
    ] = None
    save_problem: Annotated[
        Path | None,
        _problem("Write objective, limits and tests to this TOML file.", callback=writable),
    ] = None
    objective: Annotated[
        str | None,
        _problem(
            "What to minimise: 'error + 0.01*expected_tests'; a comma orders: 'error, size'; "
            "'error' by default, 'squared_error' for regression."
        ),
    ] = None
    max_depth: Annotated[int | None, _problem("Most tests on a path.")] = None
    max_nodes: Annotated[int | None, _problem("Most nodes.")] = None
    max_leaf_nodes: Annotated[int | None, _problem("Most leaves.")] = None
    min_samples_leaf: Annotated[int | None, _problem("Fewest examples in a leaf.")] = None
    min_weight_leaf: Annotated[float | None, _problem("Least weight of a leaf.")] = None
    max_error: Annotated[float | None, _problem("Largest error, 0 to 1.")] = None
    max_features: Annotated[int | None, _problem("Most distinct features.")] = None
    feature_budget: Annotated[
        float | None, _problem("Most that the distinct features cost, 1 each by default.")
    ] = None
    quantiles: Annotated[
        int | None, _problem("Use at most so many thresholds a feature, not all.")
    ] = None
    time_limit: Annotated[float | None, _budget("Seconds for a solver.")] = None
    memory_limit: Annotated[float | None, _budget("MiB of memory.")] = None
    threads: Annotated[int, _budget("Threads a solver may use.")] = 1
    seed: Annotated[int, _budget("Seed of everything random.")] = 0

    def problem(self) -> Problem:
        """State the problem, and write it where that is asked for.

        Raises
        ------
        DataError
            If the problem file cannot be read.
        """
        data = self.dataset()
        stated = ProblemParts(usual_objective(data))
        if self.problem_file is not None:
            stated = problem_from_toml(_text_of(self.problem_file), data)
        given = {f.name: getattr(self, f.name, None) for f in fields(Shape)}
        limits = {name: value for name, value in given.items() if value is not None}
        shape = Shape(**{f.name: getattr(stated.shape, f.name) for f in fields(Shape)} | limits)
        tests = stated.tests
        if self.quantiles is not None:
            tests = TestSet.quantiles(data, self.quantiles)
        objective = stated.objective
        if self.objective is not None:
            objective = Objective.parse(self.objective)
        problem = Problem(data, objective, shape, tests)
        if self.save_problem is not None:
            write_file(self.save_problem, problem_to_toml(problem))
        return problem

    def budget(self) -> Budget:
        """State the budget."""
        return Budget(self.time_limit, self.memory_limit, self.threads)


def _text_of(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Cannot read the problem file {path}: {error}.") from None
