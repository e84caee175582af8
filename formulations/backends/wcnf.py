"""Clause programs as weighted CNF: the input of MaxSAT solvers, in plain lists and as text.

Literals are non-zero integers, variable ``v`` of the program being ``v + 1``. A variable with
values in 0..U becomes U Boolean ones, the i-th saying "at least i". Linear rows become decision
diagrams: a node says "the remaining terms add up to at most k".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from formulations.program.base import Expression, Ints, Values
from formulations.program.clauses import ClauseIR
from odt.errors import Stopped, TooLargeError

PAIRWISE = 6
LARGEST_DIAGRAM = 500_000


@dataclass
class Wcnf:
    """Hard clauses, weighted soft literals and a constant.

    Attributes
    ----------
    hard : list of list of int
    soft : dict of int to int
        Weight that is paid if the literal is true.
    constant : int
    n_variables : int
    digits : dict of int to list of int
        The Boolean variables of each program variable with more than two values.
    """

    n_variables: int
    hard: list[list[int]] = field(default_factory=list)
    soft: dict[int, int] = field(default_factory=dict)
    constant: int = 0
    digits: dict[int, list[int]] = field(default_factory=dict)

    def fresh(self) -> int:
        """Return a new variable."""
        self.n_variables += 1
        return self.n_variables

    def values(self, program: ClauseIR, model: list[int]) -> Values:
        """Return the values of the program's variables in a model, a list of true literals."""
        true = np.zeros(self.n_variables + 1, dtype=np.int64)
        true[[literal for literal in model if 0 < literal <= self.n_variables]] = 1
        values = true[1 : program.n_variables + 1].copy()
        for variable, digits in self.digits.items():
            values[variable] = true[digits].sum()
        return values

    def literals(self, values: Values) -> list[int]:
        """Return the literals of program variables that are true at ``values``."""
        several = self.digits.keys()
        return [
            v + 1 if value else -(v + 1)
            for v, value in enumerate(values.tolist())
            if v not in several
        ]

    def to_text(self, program: ClauseIR) -> str:
        """Return the WCNF text (MaxSAT Evaluation 2022 format) with the names as comments."""
        lines = [f"c constant {self.constant}"]
        lines += [f"c {v + 1} {program.name_of(v)}" for v in range(program.n_variables)]
        lines += ["h " + " ".join(map(str, [*clause, 0])) for clause in self.hard]
        lines += [f"{weight} {-literal} 0" for literal, weight in self.soft.items()]
        return "\n".join(lines) + "\n"


def to_wcnf(program: ClauseIR, stop: Callable[[], bool] = lambda: False) -> Wcnf:
    """Return a clause program as weighted CNF.

    Parameters
    ----------
    program : ClauseIR
    stop : callable
        Polled; raises `Stopped` when it says True.

    Raises
    ------
    TooLargeError
        If a linear row is too large to be written as clauses.
    """
    wcnf = Wcnf(program.n_variables)
    for block in program.blocks:
        if block.upper > 1:
            for variable in block.numbers.reshape(-1).tolist():
                wcnf.digits[variable] = digits = [wcnf.fresh() for _ in range(block.upper)]
                wcnf.hard += [[-high, low] for low, high in pairwise(digits)]
    for kind, literals in program.batches:
        Stopped.poll(stop)
        for row in _signed(literals).tolist():
            if kind != "at most one":
                wcnf.hard.append(row)
            if kind != "clause":
                _at_most_one(wcnf, row)
    for premises, conclusions in program.implications:
        Stopped.poll(stop)
        then = _signed(conclusions)
        pairs = np.stack([np.broadcast_to(-_signed(premises)[:, None], then.shape), then], axis=-1)
        wcnf.hard += pairs.reshape(-1, 2).tolist()
    for terms, lower, upper in program.rows:
        Stopped.poll(stop)
        if upper is not None:
            _at_most(wcnf, terms, upper)
        if lower is not None:
            _at_most(
                wcnf, Expression(terms.variables, -terms.coefficients, -terms.constant), -lower
            )
    for literal, weight in _literals(wcnf, program.objective):
        wcnf.soft[literal] = wcnf.soft.get(literal, 0) + weight
    wcnf.constant += program.objective.constant
    return wcnf


def _signed(literals: Ints) -> Ints:
    return np.where(literals >= 0, literals + 1, literals)


def _literals(wcnf: Wcnf, terms: Expression) -> Iterator[tuple[int, int]]:
    """Yield Boolean literals and coefficients of the terms; the constant is left out."""
    for v, c in zip(terms.variables.tolist(), terms.coefficients.tolist(), strict=True):
        for digit in wcnf.digits.get(v, [v + 1]):
            yield digit, c


def _at_most_one(wcnf: Wcnf, literals: list[int]) -> None:
    """Pairs if there are few literals; otherwise runs of them joined by new variables."""
    while len(literals) > PAIRWISE:
        head, rest = literals[: PAIRWISE - 1], literals[PAIRWISE - 1 :]
        some = wcnf.fresh()
        wcnf.hard += [[-literal, some] for literal in head]
        _at_most_one(wcnf, head)
        literals = [some, *rest]
    wcnf.hard += [[-a, -b] for i, a in enumerate(literals) for b in literals[:i]]


def _at_most(wcnf: Wcnf, terms: Expression, upper: int) -> None:
    """Demand ``terms <= upper`` by a decision diagram, larger coefficients first."""
    upper -= terms.constant
    positive = []
    for literal, coefficient in _literals(wcnf, terms):
        if coefficient < 0:  # c x = c + (-c) (1 - x)
            upper -= coefficient
        positive.append((abs(coefficient), literal if coefficient > 0 else -literal))
    positive.sort(reverse=True)
    suffix = np.cumsum([0, *(c for c, _ in reversed(positive))])[::-1].tolist()
    nodes: dict[tuple[int, int], int] = {}
    layer = {upper}
    if upper >= suffix[0]:
        return
    if upper < 0:
        wcnf.hard.append([])
        return
    nodes[0, upper] = wcnf.fresh()
    wcnf.hard.append([nodes[0, upper]])
    for i, (coefficient, literal) in enumerate(positive):
        below: set[int] = set()
        for k in layer:
            node = nodes[i, k]
            for condition, left in (([], k), ([-literal], k - coefficient)):
                if left < 0:
                    wcnf.hard.append([-node, *condition])
                elif left < suffix[i + 1]:
                    if left not in below:
                        below.add(left)
                        nodes[i + 1, left] = wcnf.fresh()
                    wcnf.hard.append([-node, *condition, nodes[i + 1, left]])
        layer = below
        if len(nodes) > LARGEST_DIAGRAM:
            raise TooLargeError(
                f"A linear row over {len(positive)} terms needs more than {LARGEST_DIAGRAM} "
                "clauses for MaxSAT: its coefficients are too diverse. Use the solver 'cp-sat'."
            )


def write(program: ClauseIR, path: Path) -> None:
    """Write a program as a file of weighted clauses."""
    path.write_text(to_wcnf(program).to_text(program))
