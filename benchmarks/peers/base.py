"""What a solver of another package has in common with any other: it runs elsewhere and may lie.

A peer is a subclass of `Peer` with two plain functions that are sent, as source, to the Python of
the peer's environment, where odt is not installed: ``fit(X, y, depth, seconds, **options)`` returns
a model and is timed, ``read(model, X, y)`` returns what the peer claims. The tree that it claims
is imported and evaluated here, and what does not agree with it is refused.
"""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import odt
from odt.convert.peers import from_mapping
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.errors import InconsistentSolutionError, MissingDependencyError, UnsupportedProblemError
from odt.model.capability import Capability, Need
from odt.model.measure import Measure

VARIABLE = "ODT_PEERS"
"""Environment variable with the Python that has the peers; ``ODT_PEERS_NAME`` for one of them."""
GRACE_SECONDS = 5.0
FOR_EVER = 10**6
"""Seconds that a peer gets without a time limit."""
_LAST_WORDS = 300

_PROGRAM = """
from __future__ import annotations
import fcntl, importlib, json, os, sys, time
fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())  # whoever started us is gone: so are we
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
{fit}
{read}
importlib.import_module({package!r})  # not timed
from importlib.metadata import packages_distributions, version
found = [(d, version(d)) for d in packages_distributions().get({package!r}.split(".")[0], ())]
import numpy as np
with np.load(sys.argv[1]) as held:
    X, y = held["X"], held["y"]
wall, cpu = time.perf_counter(), time.process_time()
model = fit(X, y, **json.loads(sys.argv[2]))
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
claim = read(model, X, y)
with open(sys.argv[3], "w") as file:
    claim = dict(claim, wall=wall, cpu=cpu, versions=dict(found))
    json.dump(claim, file, default=lambda value: value.item())
"""


@dataclass(frozen=True)
class Peer(Solver):
    """A solver of another package.

    Parameters
    ----------
    python : str
        The Python that has the package. By default the environment variable ``ODT_PEERS_NAME``
        with the name of the package in capitals says it, or ``ODT_PEERS`` for all peers.
    """

    python: str = ""

    exact: ClassVar[bool] = True
    supports: ClassVar[frozenset[Need]] = frozenset({Measure.ERROR})
    package: ClassVar[str]
    """What is imported."""
    binary: ClassVar[bool] = False
    """Whether it is given the answers to the problem's tests, not the raw numbers."""
    fit: ClassVar[Callable[..., Any]]
    read: ClassVar[Callable[..., Mapping[str, Any]]]

    def solve(self, problem: odt.Problem, run: Run) -> Solution:
        """Let the peer solve the problem in its environment and judge what it claims."""
        if len(set(problem.dataset.weights.tolist())) > 1:
            raise UnsupportedProblemError(f"The adapter of {self.name!r} does not pass on weights.")
        X = _answers(problem, run) if self.binary else problem.dataset.X
        claim = self._ask(X, problem, run)
        return self._judged(claim, problem)

    def imported(self, claim: Mapping[str, Any], problem: odt.Problem) -> odt.Tree:
        """Return the tree of a claim; binary columns are the problem's tests."""
        columns = list(problem.candidate_tests) if self.binary else None
        data = problem.dataset
        return from_mapping(claim["tree"], data, columns=columns, classes=data.classes)

    @property
    def settings(self) -> dict[str, Any]:
        """Options of the peer itself."""
        own = (f.name for f in fields(self) if f.name != "python")
        return {name: getattr(self, name) for name in own}

    def _judged(self, claim: Mapping[str, Any], problem: odt.Problem) -> Solution:
        tree = self.imported(claim, problem)
        said, true = claim["errors"], _errors(tree, problem.dataset)
        if said != true:
            raise InconsistentSolutionError(
                f"The claim of {self.name!r} is refused: it says {said} errors, but its tree has "
                f"{true}."
            )
        stats = {f"peer_{name}": claim[name] for name in ("cpu", "wall", "versions")}
        if not claim["proved"]:
            return Solution(Status.FEASIBLE, tree, stats=stats)
        return Solution(Status.OPTIMAL, tree, bound=problem.cost(tree), stats=stats)

    def _ask(self, X: Any, problem: odt.Problem, run: Run) -> dict[str, Any]:
        """Return what the peer says, or raise what became of it."""
        seconds = max(1, round(min(run.remaining(), FOR_EVER)))
        given = {"depth": problem.shape.max_depth, "seconds": seconds, **self.settings}
        program = _PROGRAM.format(
            fit=inspect.getsource(inspect.unwrap(type(self).fit)),
            read=inspect.getsource(inspect.unwrap(type(self).read)),
            package=self.package,
        )
        with tempfile.TemporaryDirectory() as folder:
            data, answer = Path(folder, "data.npz"), Path(folder, "claim.json")
            np.savez(data, X=X, y=problem.dataset.y)
            arguments = [str(data), json.dumps(given), str(answer)]
            call = [self._interpreter(), "-c", program, *arguments]
            code, words = _called(call, seconds + GRACE_SECONDS, run)
            if code is None:
                late = seconds + GRACE_SECONDS
                raise RuntimeError(f"{self.package} was ended after {late:g} s; it had no answer.")
            if code == 0:
                claim: dict[str, Any] = json.loads(answer.read_text())
                return claim
        if code == 1 and f"No module named '{self.package.split('.')[0]}'" in words:
            raise MissingDependencyError(f"{call[0]} does not have {self.package}.")
        how = f"exit code {code}" if code > 0 else signal.Signals(-code).name
        raise RuntimeError(f"{self.package} ended with {how}: {words}")

    def _interpreter(self) -> str:
        own = f"{VARIABLE}_{self.package.split('.')[0].upper()}"
        python = self.python or os.environ.get(own) or os.environ.get(VARIABLE)
        if not python:
            raise MissingDependencyError(
                f"Name a Python that has {self.package} with the option 'python' or the variable "
                f"{own} or {VARIABLE}."
            )
        if not os.access(python, os.X_OK):
            raise MissingDependencyError(f"{python} is no program; {self.package} should be there.")
        return python


def _called(call: list[str], seconds: float, run: Run) -> tuple[int | None, str]:
    """Run a program; return its exit code, None if it was ended late, and its last words."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        call,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment,
    )
    run.helpers.add(process.pid)
    try:
        words = _words(process, seconds)
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        process.kill()
        process.wait()
        run.helpers.discard(process.pid)
    return process.returncode, " | ".join(words.split("\n"))[-_LAST_WORDS:]


def _words(process: subprocess.Popen[str], seconds: float) -> str:
    """Wait for a program without closing its input, by whose end it knows that we are gone."""
    held, process.stdin = process.stdin, None
    try:
        return process.communicate(timeout=seconds)[1]
    finally:
        if held is not None:
            held.close()


def _answers(problem: odt.Problem, run: Run) -> Any:
    """Return what every example answers to every test, as 0 and 1."""
    n_rows, n_tests = problem.dataset.n_samples, problem.n_candidate_tests
    what = f"The answers of {n_rows:,} rows to {n_tests:,} tests"
    run.reserve(9 * n_rows * n_tests, what)
    return problem.candidate_tests.outcomes(problem.dataset.X).astype(np.int64)


def _errors(tree: odt.Tree, data: odt.Dataset) -> int:
    return int((tree.predict_codes(data.X) != data.y).sum())


UP_TO_TESTS = frozenset({Measure.ERROR, Capability.FIXED_TESTS, Capability.CATEGORICAL})
"""What a peer that is given the answers to tests supports."""
