"""Solvers that end their process, eat memory, ignore their limits or lie: for test_experiments."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import odt
from odt.core.run import Run
from odt.core.solver import Solution, Solver, Status
from odt.core.stopwatch import COMPILING
from odt.engine.brute_force import BruteForce
from odt.model.capability import Need
from odt.model.problem import Problem
from odt.model.tree import Tree


@dataclass(frozen=True)
class Stump(Solver):
    """A leaf, whatever is asked, after some seconds.

    Parameters
    ----------
    seconds : float
    """

    name: ClassVar[str] = "stump"
    exact: ClassVar[bool] = False
    supports: ClassVar[frozenset[Need]] = BruteForce.supports
    seconds: float = 0.0

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Return a leaf with the label 0."""
        time.sleep(self.seconds)
        return Solution(Status.FEASIBLE, Tree.leaf(0))


@dataclass(frozen=True)
class Counts(Stump):
    """Tells how often its process has called it."""

    name: ClassVar[str] = "counts"
    calls: ClassVar[list[int]] = []

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Return a leaf and the number of calls."""
        self.calls.append(1)
        return Solution(Status.FEASIBLE, Tree.leaf(0), stats={"calls": len(self.calls)})


@dataclass(frozen=True)
class Compiles(Stump):
    """Spends 0.3 s of processor time on what counts as compiling kernels."""

    name: ClassVar[str] = "compiles"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Compile each time."""
        COMPILING.start()
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        COMPILING.stop()
        return super().solve(problem, run)


HELPER = """
import sys, time
for line in sys.stdin:
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    print("done", flush=True)
"""


@dataclass(frozen=True)
class Delegates(Stump):
    """Lets a program work that it keeps for the next run, as drivers of solver libraries do."""

    name: ClassVar[str] = "delegates"
    helpers: ClassVar[list[subprocess.Popen[str]]] = []

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Wait for the helper."""
        if not self.helpers:
            call = [sys.executable, "-c", HELPER]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            self.helpers.append(subprocess.Popen(call, **pipes))
        (helper,) = self.helpers
        print("work", file=helper.stdin, flush=True)
        helper.stdout.readline()
        return super().solve(problem, run)


@dataclass(frozen=True)
class Aborts(Stump):
    """Ends its process with SIGABRT, as an assertion in C does."""

    name: ClassVar[str] = "aborts"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Say something and abort."""
        print("the last words", file=sys.stderr, flush=True)
        os.abort()


@dataclass(frozen=True)
class AbortsOnce(Stump):
    """Aborts unless a file exists, which it makes before.

    Parameters
    ----------
    file : str
    """

    name: ClassVar[str] = "aborts-once"
    file: str = ""

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Abort the first time."""
        if not Path(self.file).exists():
            Path(self.file).touch()
            os.abort()
        return super().solve(problem, run)


@dataclass(frozen=True)
class Eats(Stump):
    """Takes 20 MiB after 20 MiB and never returns."""

    name: ClassVar[str] = "eats"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Eat."""
        eaten = []
        while True:
            eaten.append(bytearray(os.urandom(1024)) * (20 * 1024))
            time.sleep(0.005)


@dataclass(frozen=True)
class Ignores(Stump):
    """Works on whatever the limit says."""

    name: ClassVar[str] = "ignores"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Never return."""
        while True:
            time.sleep(1)


@dataclass(frozen=True)
class Raises(Stump):
    """Has a fault."""

    name: ClassVar[str] = "raises"

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Divide by zero."""
        raise ZeroDivisionError("a fault\nof two lines")


@dataclass(frozen=True)
class Lies(Stump):
    """Says that its leaf is best, with the bound to match."""

    name: ClassVar[str] = "lies"
    exact: ClassVar[bool] = True

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Claim too much."""
        tree = Tree.leaf(0)
        return Solution(Status.OPTIMAL, tree, bound=problem.cost(tree))


def short_runs() -> dict[str, object]:
    """Return a grid of sixty runs of 20 ms."""
    problems = [{"max_depth": 1}]
    grid = {"data": {"small": small()}, "problems": problems, "solvers": [Stump(seconds=0.02)]}
    return grid | {"seeds": range(60)}


def small() -> odt.Dataset:
    """Return four rows that one test separates."""
    return odt.Dataset([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
