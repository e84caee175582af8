"""The grid of an experiment: every dataset with every problem, solver and seed."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any, Self

from odt.core.registry import make_solver
from odt.core.run import Budget
from odt.core.solver import Solver
from odt.errors import MissingDependencyError, ProblemError
from odt.experiments.parts import Part
from odt.experiments.sources import beside, load, refuse_unreadable, source_of, with_content
from odt.experiments.trial import Entrant, Question, Source, Trial
from odt.model.checks import check_int
from odt.model.shape import Shape

_LIMITS = tuple(f.name for f in fields(Shape) if f.name.startswith(("max_", "min_")))
_QUESTION = ("objective", "quantiles", *(name for name in _LIMITS if name != "max_class_error"))
_ENTRANT = ("label", "name", "options", "initial")


@dataclass(frozen=True)
class Grid:
    """Every dataset (or part of it) with every problem, every solver and every seed.

    Parameters
    ----------
    data : sequence of str, mapping or Dataset; or mapping of label to these
        Names for `odt.datasets.load_dataset` or files. A mapping has a ``name`` and options of
        reading, such as ``target``, and may have a ``label``, and a ``test``: name or file of
        test data that are published with them. In memory these are a pair of Datasets.
    solvers : sequence of str, mapping or Solver
        Names as for `odt.solve`, ``"my.module:MySolver"`` included. A mapping has a ``name`` and
        may have ``options``, a ``label``, and ``initial``: the solver whose tree to start from.
    problems : sequence of mapping, default one: the error alone
        Each with an ``objective``, limits of `odt.Shape` and ``quantiles`` (thresholds a
        feature). A list as a value means each of its members: ``{"max_depth": [2, 3]}``.
    seeds : sequence of int, default (0,)
    folds : int, optional
        Cross-validation: train on each of so many folds left out, with classes in proportion.
    splits : int, optional
        So many random splits instead.
    test_size : float, default 0.2
        Share of the test part of a split.
    split_seed : int, default 0
    time_limit, memory_limit, threads
        As for `odt.Budget`, for each run.
    check : bool, optional
        As for `odt.solve`: whether claims are attacked thoroughly, by default those of solvers
        that are not odt's own. That may take ten seconds a run.
    """

    data: Sequence[Any] | Mapping[str, Any]
    solvers: Sequence[Any]
    problems: Sequence[Mapping[str, Any]] = ({},)
    seeds: Sequence[int] = (0,)
    folds: int | None = None
    splits: int | None = None
    test_size: float = 0.2
    split_seed: int = 0
    time_limit: float | None = None
    memory_limit: float | None = None
    threads: int = 1
    check: bool | None = None

    def __post_init__(self) -> None:
        for name in ("data", "solvers", "problems", "seeds"):
            value = getattr(self, name)
            if isinstance(value, str | bytes) or not hasattr(value, "__len__") or not len(value):
                raise ProblemError(f"{name!r} must be a list with something in it. Got {value!r}.")
        check_int("folds", self.folds, 2, optional=True)
        check_int("splits", self.splits, 1, optional=True)
        if self.folds and self.splits:
            raise ProblemError("Give 'folds' or 'splits', not both.")
        if not 0 < self.test_size < 1:
            raise ProblemError(f"'test_size' must be between 0 and 1. Got {self.test_size!r}.")
        for seed in self.seeds:
            check_int("seeds", seed, 0)

    @classmethod
    def of(cls, grid: Grid | Mapping[str, Any] | str | Path) -> Grid:
        """Return a grid from a mapping of its parameters, or from a TOML file that has them."""
        if isinstance(grid, Grid):
            return grid
        if isinstance(grid, str | Path):
            return cls.load(Path(grid))
        _refuse_unknown("the grid", grid, [f.name for f in fields(cls)])
        missing = [name for name in ("data", "solvers") if name not in grid]
        if missing:
            raise ProblemError(f"The grid needs {' and '.join(map(repr, missing))}.")
        return cls(**grid)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file. Files of data that it names are looked for beside it first.

        Raises
        ------
        ProblemError
            If it is no TOML, or names what is no parameter.
        """
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ProblemError(f"{path} cannot be read as a grid: {error}.") from None
        if isinstance(content.get("data"), list):
            content["data"] = [beside(path.parent, item) for item in content["data"]]
        return cls.of(content)  # type: ignore[return-value]

    def trials(self) -> list[Trial]:
        """Return all runs, everything that can be checked without running being checked.

        Raises
        ------
        OdtError
            For unknown data, solvers or options, problems that make no sense, and labels or
            runs that occur twice.
        """
        budget = Budget(self.time_limit, self.memory_limit, self.threads)
        sources, entrants = list(self._sources()), [_entrant(s) for s in self.solvers]
        _refuse_twice("datasets", [s.label for s in sources])
        _refuse_twice("solvers", [e.label for e in entrants])
        questions = [question for problem in self.problems for question in _questions(problem)]
        found = [
            Trial(source, part, question, entrant, seed, budget, self.check)
            for source, part, question, seed, entrant in product(
                sources, self._parts(), questions, self.seeds, entrants
            )
        ]
        _refuse_twice("runs", [trial.digest for trial in found])
        return found

    def _parts(self) -> list[Part | None]:
        if self.folds:
            return [Part(i, self.folds, seed=self.split_seed) for i in range(self.folds)]
        if self.splits:
            indices = range(self.splits)
            return [Part(i, self.splits, self.test_size, self.split_seed) for i in indices]
        return [None]

    def _sources(self) -> Iterator[Source]:
        given = self.data
        pairs = given.items() if isinstance(given, Mapping) else ((None, item) for item in given)
        for label, item in pairs:
            source = source_of(label, item)
            pair = load(source)
            for problem in self.problems:
                for question in _questions(problem):
                    question.about(pair[0])
            for part in self._parts()[:1]:
                if part is not None and source.has_test:
                    raise ProblemError(
                        f"The data {source.label!r} have test data of their own: leave out 'folds' "
                        "and 'splits'."
                    )
                if part is not None:
                    part.of_data(pair[0])
            yield with_content(source, pair)


def _questions(problem: Mapping[str, Any]) -> Iterator[Question]:
    _refuse_unknown("a problem", problem, _QUESTION)
    choices = {
        name: value if isinstance(value, list | tuple) else [value]
        for name, value in problem.items()
    }
    for values in product(*choices.values()):
        chosen = dict(zip(choices, values, strict=True))
        objective, quantiles = chosen.pop("objective", "error"), chosen.pop("quantiles", None)
        yield Question(str(objective), chosen, quantiles)


def _entrant(given: Any) -> Entrant:
    if isinstance(given, str):
        entrant = Entrant(given, given)
    elif isinstance(given, Solver):
        entrant = _of_object(given)
    elif isinstance(given, Mapping) and "name" in given:
        _refuse_unknown("a solver", given, _ENTRANT)
        entrant = Entrant(**{"label": given["name"], **given})
    else:
        raise ProblemError(f"A solver is a name, a Solver, or a mapping with a name. Got {given!r}")
    refuse_unreadable(f"options of {entrant.label!r}", entrant.options)
    for name, options in ((entrant.name, entrant.options), (entrant.initial, {})):
        try:
            if name is not None:
                make_solver(name, options)
        except MissingDependencyError:
            continue  # a row says so
    return entrant


def _of_object(solver: Solver) -> Entrant:
    kind = type(solver)
    place = f"{kind.__module__}:{kind.__qualname__}"
    if kind.__module__ == "__main__" or "<locals>" in place:
        raise ProblemError(
            f"The solver {solver.name!r} must be importable by the processes that run it: define "
            f"its class at the top of a module. It is at {place!r}."
        )
    changed = {
        f.name: getattr(solver, f.name)
        for f in fields(solver)  # type: ignore[arg-type]  # solvers are dataclasses
        if f.init and getattr(solver, f.name) != f.default
    }
    text = ", ".join(f"{name}={value}" for name, value in changed.items())
    return Entrant(f"{solver.name}({text})" if text else solver.name, place, changed)


def _refuse_unknown(what: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            close = get_close_matches(str(name), known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ProblemError(f"{name!r} is nothing of {what}.{hint} Known: {', '.join(known)}.")


def _refuse_twice(what: str, names: Sequence[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        hint = " Give them labels." if what != "runs" else " The grid repeats itself."
        raise ProblemError(f"Two {what} are the same: {', '.join(sorted(twice))}.{hint}")
