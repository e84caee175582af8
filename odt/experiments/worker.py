"""The process that does runs, one after the other, for `odt.experiments.apart`."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
from contextlib import suppress
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from odt.compare import Attempt, attempt_at
from odt.core.registry import make_solver
from odt.core.result import Result
from odt.core.run import Budget
from odt.core.solver import Solver
from odt.core.stopwatch import COMPILING
from odt.data.dataset import Dataset
from odt.errors import MissingDependencyError, OdtError
from odt.experiments.parts import Part
from odt.experiments.processes import cpu_seconds
from odt.experiments.record import Row, circumstances, definition, outcome
from odt.experiments.sources import load
from odt.experiments.trial import Source, Trial
from odt.model.measure import Measure
from odt.model.problem import Problem
from odt.model.tree import Tree
from odt.solve import solve

_PULSE_SECONDS = 0.5
_FEW_ROWS = 8
_WARM_UP_SECONDS = 1.0
_LOADED: set[tuple[str, str, str]] = set()
"""Solvers, objectives and limits that this process has met."""


def serve(channel: int, lifeline: int) -> None:
    """Do the runs that arrive at a file descriptor.

    Parameters
    ----------
    channel : int
        Of a socket; a `Trial` comes in, its row goes out.
    lifeline : int
        Of a pipe that the parent holds open. When it ends, so do we, whatever a library is
        doing: the kernel sends a signal whose default is the end of the process.
    """
    with suppress(AttributeError, OSError):  # where it is not known, we end with our time limit
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # outside of runs; the parent ends us
    parent = _Parent(Connection(channel))
    threading.Thread(target=parent.pulse, daemon=True).start()
    while True:
        try:
            trial = parent.connection.recv()
        except EOFError:
            return
        parent.send("row", perform(trial, parent))


class _Parent:
    """The other side; a thread tells it how long kernels are compiled, which no limit counts."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._lock = threading.Lock()

    def send(self, kind: str, content: Any) -> None:
        with self._lock:
            self.connection.send((kind, content))

    def begin(self) -> None:
        self.send("begins", COMPILING.seconds)

    def pulse(self) -> None:
        told = 0.0
        while True:
            time.sleep(_PULSE_SECONDS)
            if COMPILING.seconds > told:
                told = COMPILING.seconds
                with suppress(OSError):
                    self.send("compiled", told)


def perform(trial: Trial, parent: _Parent) -> Row:
    """Do a run in this process and return its row."""
    started, entrant = time.time(), trial.entrant
    modules: tuple[str, ...] = ()
    test_error, cpu = None, _own_seconds()
    try:
        solver = make_solver(entrant.name, entrant.options)
        modules = solver.requirements
        data, test = _data(trial.source, trial.part)
        problem = trial.question.about(data)  # anew: no solver profits from another's tables
        initial = _initial(trial, problem)
        _warm_up(trial, data, solver, parent)
        cpu = _own_seconds()
        parent.begin()
        attempt = _attempt(trial, problem, solver, initial)
        cpu = _own_seconds() - cpu
        if test is not None and attempt.result is not None:
            test_error = _test_error(attempt.result, test)
    except MissingDependencyError as error:
        attempt = Attempt(entrant.label, None, "not installed", reason=str(error))
    except OdtError as error:
        attempt = Attempt(entrant.label, None, "failed", reason=str(error))
    row = outcome(attempt, test_error, max(cpu, 0.0))
    return definition(trial) | row | circumstances(started, modules)


def _attempt(trial: Trial, problem: Problem, solver: Solver, initial: Tree | None) -> Attempt:
    settings = trial.budget, initial, trial.seed, trial.check
    return attempt_at(problem, trial.entrant.label, solver, *settings)


def _warm_up(trial: Trial, data: Dataset, solver: Solver, parent: _Parent) -> None:
    """Let a solver do a few rows when it is new here: loading it is no part of any run."""
    label, question = trial.entrant.label, trial.question
    kind = (label, question.objective, question.shape)
    if kind in _LOADED:
        return
    _LOADED.add(kind)
    rows = np.unique(np.linspace(0, data.n_samples - 1, _FEW_ROWS).astype(int))
    seconds = min(_WARM_UP_SECONDS, trial.budget.time_limit or _WARM_UP_SECONDS)
    parent.begin()  # a solver that ignores its limits does so here already
    with suppress(OdtError):  # few rows may be no problem at all
        few = question.about(data.take(rows))
        attempt_at(few, label, solver, Budget(seconds), None, trial.seed, False)


def _initial(trial: Trial, problem: Problem) -> Tree | None:
    """Find the tree to start from; its time is not that of the run."""
    if trial.entrant.initial is None:
        return None
    budget = Budget(trial.budget.time_limit, trial.budget.memory_limit)
    return solve(problem, trial.entrant.initial, budget=budget, seed=trial.seed).tree


def _test_error(result: Result, test: Dataset) -> float | None:
    """Return the error on other data: a share of the labels, or the mean squared error."""
    if result.tree is None:
        return None
    if test.targets is not None:
        return result.tree.measures(test)[Measure.SQUARED_ERROR.value]
    # codes of the labels need not be those of the training data
    wrong = result.tree.predict(test.schema.values(test.X)) != test.schema.labels(test.y)
    return float(test.weights[wrong].sum() / test.weights.sum())


@lru_cache(maxsize=4)
def _data(source: Source, part: Part | None) -> tuple[Dataset, Dataset | None]:
    """Return training and test part; kept, as the next run is probably about the same."""
    data, test = load(source)
    return (data, test) if part is None else part.of_data(data)


def _own_seconds() -> float:
    """Return the CPU time so far but that of compiling kernels, which belongs to no run."""
    return cpu_seconds() - COMPILING.cpu
