"""The lines of a proof, and the cases that they must settle."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .file import Lines
from .problem import LARGEST, Problem
from .rows import need
from .state import Line, State

Array = NDArray[Any]


def _question(header: dict[str, Any]) -> str:
    """Return in words what a proof is about."""
    levels = (
        " + ".join(name if factor == "1" else f"{factor}*{name}" for name, factor in level)
        for level in header["objective"]
    )
    limits = header["limits"].items()
    none = {"min_samples_leaf": 1, "min_weight_leaf": "0"}
    given = [f"{name}={value}" for name, value in limits if value not in (None, none.get(name))]
    tests = header["tests"]
    over = "all tests" if tests is None else f"{len(tests)} given tests"
    both = [name for name, gap in zip(header["features"], header["gaps"], strict=True) if gap]
    given += [f"gaps on either side in {', '.join(both)}"] if both and tests is None else []
    return "; ".join([f"Minimise {', then '.join(levels)}", *given, f"over {over}."])


@dataclass(frozen=True)
class Verdict:
    """What a proof proves.

    Attributes
    ----------
    bound : int or None
        No tree within the limits costs less, in integer units; None if there is no such tree.
    cost : int or None
        What the tree of the proof costs; None if it has none.
    optimal : bool
        Whether the two are equal.
    objective, least : tuple of Fraction
        The same two in the units of the objective, one number a level; empty if None.
    n_lines : int
        Lines of the table that were checked.
    digest : str
        SHA-256 of the rows, their classes and weights.
    question : str
        What is minimised within which limits over which tests, as the file states it.
    """

    bound: int | None
    cost: int | None
    optimal: bool
    objective: tuple[Fraction, ...]
    least: tuple[Fraction, ...]
    n_lines: int
    digest: str
    question: str

    def __str__(self) -> str:
        value, least = (
            ", ".join(f"{float(v):.6g}" for v in x) for x in (self.objective, self.least)
        )
        if self.bound is None:
            claim = "no tree keeps the limits"
        elif self.optimal:
            claim = f"the tree is optimal: {value}"
        elif self.cost is None:
            claim = f"no tree is better than {least}"
        else:
            claim = f"the tree has the value {value}, no tree is better than {least}"
        what = f"{self.n_lines} lines checked; rows {self.digest[:16]}"
        return f"{self.question}\nProved: {claim} ({what})."


class Table:
    """The lines of a proof, and the cases that they must settle."""

    def __init__(self, problem: Problem, header: dict[str, Any], lines: Lines, first: int) -> None:
        self.problem, self.header = problem, header
        self.texts, self.first, self.n_lines = lines, first, len(lines) - first
        self.cited: dict[int, Line] = {}
        """Lines that something rests on and that are not checked yet."""
        self.held = 0

    def _read(self, number: int) -> Line:
        """Read ``depth bound used new chain<cut=line,cut>cut ...``."""
        text = self.texts[self.first + number]
        depth, bound, used, new, *chains = text.split(" ")
        cited: list[tuple[int, int, str, int | None]] = []
        for chain in chains:
            at = min(i for i in (chain.find("<"), chain.find(">")) if i >= 0)
            g, side = int(chain[:at]), ""
            for part in chain[at:].replace(">", ",>").replace("<", ",<").split(",")[1:]:
                side, rest = (part[0], part[1:]) if part[0] in "<>" else (side, part)
                cut, equals, line = rest.partition("=")
                cited.append((g, int(cut), side, int(line) if equals else None))
        claim = self.problem.infinite if bound == "inf" else int(bound)
        limit = len(self.problem.features) + 1
        found = Line(
            number, int(depth), claim, int(used, 16), limit if new == "-" else int(new), cited
        )
        problem, where = self.problem, f"line {number}:"
        need(0 <= found.depth <= problem.depth, f"{where} the tests left are out of range")
        need(abs(found.bound) <= problem.infinite, f"{where} the bound is out of range")
        need(0 <= found.used < 1 << problem.n_features, f"{where} the features are out of range")
        need(not found.used or problem.explains, f"{where} features used cost nothing here")
        need((new == "-") == (not problem.worst), f"{where} new features must be limited, or not")
        need(0 <= found.new <= limit, f"{where} the new features are out of range")
        return found

    def verdict(self) -> Verdict:
        """Check the tree, each line and each case."""
        problem, header = self.problem, self.header
        cost = None if header["tree"] is None else problem.evaluate(header["tree"])
        claim = header["bound"]
        bound = problem.infinite if claim == "inf" else int(claim)
        need(cost == header["cost"], f"the tree costs {cost}, not {header['cost']}")
        need(cost is None or bound <= cost, "the bound exceeds the cost of the tree")
        self._settle_cases(bound)
        for number in range(self.n_lines):
            need(number in self.cited, f"line {number}: nothing rests on it")
            line = self.cited.pop(number)
            self.held -= len(line.groups)
            State(self, line, unpacked(line.groups)).check()
        known = None if bound >= problem.infinite else bound
        return Verdict(
            known, cost, cost is not None and cost == bound,
            () if cost is None else problem.values(cost),
            () if known is None else problem.values(known), self.n_lines, problem.rows.digest,
            _question(header),
        )  # fmt: skip

    def _settle_cases(self, bound: int) -> None:
        """Make sure of the bound for every depth and worst explanation that costs something."""
        problem, everything = self.problem, np.arange(self.problem.codes.shape[1])
        free = len(problem.features) + 1
        p = len(set(problem.features.tolist()))
        depths = range(problem.depth + 1) if problem.deep else [problem.depth]
        widths: Any = range(min(problem.depth, p) + 1) if problem.worst else [free]
        roots = {(c[0], c[1]): c[2] for c in self.header["cases"]}
        for depth in depths:
            for width in widths:
                surcharge = problem.deep * depth + problem.worst * (width if problem.worst else 0)
                root = Line(-1, depth, bound - surcharge, 0, width, [])
                least = State(self, root, everything).floor(depth)
                number = roots.get((depth, width if problem.worst else None))
                if number is not None:
                    least = max(least, self.cite(root, number, everything, depth, 0, width))
                where = f"depth {depth}" + (f", {width} features" if problem.worst else "")
                need(least + surcharge >= bound, f"the bound is not proved for {where}")

    def cite(
        self, by: Line, number: int, groups: Array, depth: int, used: int, new: int
    ) -> int:  # fmt: skip
        """Return the bound of a later line, which must be of these groups and as free or freer."""
        need(by.number < number < self.n_lines, f"line {by.number} cites line {number}")
        packed = np.packbits(np.bincount(groups, minlength=1) > 0).tobytes()
        if number not in self.cited:
            self.cited[number] = self._read(number)
            self.cited[number].groups = packed
            self.held += len(packed)
            need(self.held <= 8 * LARGEST, "a table too large for the checker")
        line = self.cited[number]
        freer = line.depth >= min(depth, len(groups) - 1) and line.new >= new
        freer &= used & ~line.used == 0
        same = line.groups == packed and freer
        need(same, f"line {number} is of another set than line {by.number} says")
        return line.bound


def unpacked(groups: bytes) -> Array:
    """Return the numbers of the groups in a set that is kept as bits."""
    return np.flatnonzero(np.unpackbits(np.frombuffer(groups, dtype=np.uint8)))
