"""One run of an experiment: data, problem, solver, seed and limits, and what tells it apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from odt.core.run import Budget
from odt.data.dataset import Dataset
from odt.experiments.parts import Part
from odt.model.problem import Problem
from odt.model.shape import Shape
from odt.model.testset import TestSet


@dataclass(frozen=True)
class Source:
    """Where data come from.

    Attributes
    ----------
    label : str
        Name in the table.
    name : str
        For `odt.datasets.load_dataset`, or a file; empty if ``held`` has the data.
    options : mapping
        How to read them.
    content : str
        Digest of the data, by which a changed file is noticed.
    held : Dataset, optional
    test : str
        Name or file of test data that go with them; empty if there are none.
    held_test : Dataset, optional
    """

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    content: str = ""
    held: Dataset | None = field(default=None, repr=False, compare=False)
    test: str = ""
    held_test: Dataset | None = field(default=None, repr=False, compare=False)

    @property
    def has_test(self) -> bool:
        """Whether test data of their own go with them."""
        return bool(self.test) or self.held_test is not None


@dataclass(frozen=True)
class Question:
    """A problem without its data.

    Attributes
    ----------
    objective : str
    limits : mapping
        Parameters of `odt.Shape`.
    quantiles : int, optional
        Thresholds a feature; all by default.
    """

    objective: str = "error"
    limits: Mapping[str, Any] = field(default_factory=dict)
    quantiles: int | None = None

    def about(self, data: Dataset) -> Problem:
        """State the problem for some data."""
        tests = None if self.quantiles is None else TestSet.quantiles(data, self.quantiles)
        return Problem(data, self.objective, Shape(**self.limits), tests)  # type: ignore[arg-type]

    @property
    def shape(self) -> str:
        """The limits in words."""
        return ", ".join(f"{name}={value}" for name, value in self.limits.items())


@dataclass(frozen=True)
class Entrant:
    """A solver in the grid.

    Attributes
    ----------
    label : str
        Name in the table.
    name : str
        As for `odt.solve`: registered, or ``"my.module:MySolver"``.
    options : mapping
    initial : str, optional
        Solver whose tree, found beforehand, is the one to start from.
    """

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    initial: str | None = None


@dataclass(frozen=True)
class Trial:
    """One run of an experiment.

    Attributes
    ----------
    source : Source
    part : Part or None
        Fold or split; all rows without.
    question : Question
    entrant : Entrant
    seed : int
    budget : Budget
    check : bool or None
        As for `odt.solve`.
    """

    source: Source
    part: Part | None
    question: Question
    entrant: Entrant
    seed: int
    budget: Budget
    check: bool | None = None

    @cached_property
    def instance(self) -> str:
        """Digest of what is asked: data, part and problem, whoever answers."""
        question = self.question
        asked = (question.objective, dict(question.limits), question.quantiles)
        part = None if self.part is None else self.part.definition
        return _digest([self.source.label, self.source.content, part, asked])

    @cached_property
    def digest(self) -> str:
        """Digest of the whole definition: equal for runs that need not be done twice."""
        entrant, budget = self.entrant, self.budget
        who = (entrant.label, entrant.name, dict(entrant.options), entrant.initial)
        limits = (budget.time_limit, budget.memory_limit, budget.n_threads)
        return _digest([self.instance, who, self.seed, limits, self.check])


def _digest(definition: Any) -> str:
    text = json.dumps(definition, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
