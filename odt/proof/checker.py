"""Check a proof about decision trees: numpy and the standard library, nothing else.

This file is a program of its own (``python checker.py PROOF [ROWS.csv]``). It shares no code with
the solvers or with what writes proofs, and none of their reductions. docs/proofs.md has the format
and the theorem.

A proof holds rows, an objective, limits, a tree and a table. A line of the table is a set of rows
with some tests left, and a number that no tree of this set costs less than. A line is right if its
number exceeds neither the cost of a leaf, nor, for any test whatever, the price of the test plus
what the two sides cost at least: by a later line, by counting where one test is left, by what every
tree costs, or because a set costs no less than its subsets and little more (`_spread`).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import sys
import zlib
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, inf, lcm
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT = "odt-proof 1"
AMOUNTS = ("error", "size", "depth", "expected_tests", "explanation_size", "worst_explanation_size")
_CHUNK = 1 << 18
"""Numbers that are counted at once: few enough to stay near the processor."""

Array = NDArray[Any]


class RefusedError(ValueError):
    """A proof that is malformed, of other data, or wrong; the message says where."""


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
    """

    bound: int | None
    cost: int | None
    optimal: bool
    objective: tuple[Fraction, ...]
    least: tuple[Fraction, ...]
    n_lines: int
    digest: str

    def __str__(self) -> str:
        value, least = (", ".join(f"{float(v):.6g}" for v in x) for x in (self.objective, self.least))
        if self.bound is None:
            claim = "no tree keeps the limits"
        elif self.optimal:
            claim = f"the tree is optimal: {value}"
        elif self.cost is None:
            claim = f"no tree is better than {least}"
        else:
            claim = f"the tree has the value {value}, no tree is better than {least}"
        return f"Proved: {claim} ({self.n_lines} lines checked; rows {self.digest[:16]})."


def check(file: str | Path, dataset: Any = None) -> Verdict:
    """Check a proof.

    Parameters
    ----------
    file : path
        A file that ``odt solve --proof`` or `odt.proof.Proof.save` wrote.
    dataset : odt.Dataset, optional
        The data that the proof must be about: anything with ``X``, ``y``, ``weights``,
        ``cost_units`` and ``kinds``. Without it the rows in the file are taken.

    Returns
    -------
    Verdict

    Raises
    ------
    RefusedError
        Unless everything that the file claims is proved.
    """
    return check_bytes(Path(file).read_bytes(), dataset)


def check_bytes(content: bytes, dataset: Any = None) -> Verdict:
    """Check a proof in memory; see `check`."""
    try:
        head, *lines = gzip.decompress(content).decode("ascii").splitlines()
        _need(head == FORMAT, f"this is no proof in the format {FORMAT!r}")
        header = json.loads(lines[0])
        n = header["n_rows"]
        _need(isinstance(n, int) and 0 < n < len(lines), "the number of rows is wrong")
        rows = _Rows(header, lines[1 : n + 1])
        if dataset is not None:
            rows.compare(dataset)
        return _Table(_Problem(header, rows), header, lines[n + 1 :]).verdict()
    except RefusedError:
        raise
    except (
        ValueError, LookupError, TypeError, AttributeError, ArithmeticError, OSError, EOFError,
        RecursionError, zlib.error,
    ) as error:  # fmt: skip
        raise RefusedError(f"malformed: {error!r}") from None


def _need(condition: object, message: str) -> None:
    if not condition:
        raise RefusedError(message)


# ---- the rows -----------------------------------------------------------------------------


class _Rows:
    """The raw rows: values, class codes and integer weights."""

    def __init__(self, header: dict[str, Any], lines: list[str]) -> None:
        fields = [line.split() for line in lines]
        self.y = np.array([int(f[0]) for f in fields])
        self.weights = [int(f[1]) for f in fields]
        self.X = np.array([[float(v) for v in f[2:]] for f in fields]).reshape(len(fields), -1)
        self.names = list(header["features"])
        self.kinds, self.costs = header["kinds"], [int(c) for c in header["test_costs"]]
        self.weight_unit, self.cost_unit = (Fraction(header[u]) for u in ("weight_unit", "cost_unit"))
        self.n_classes = int(header["n_classes"])
        p = self.X.shape[1]
        _need(len(self.kinds) == len(self.costs) == len(self.names) == p, "features do not agree")
        _need(np.isfinite(self.X).all() and min(self.weights) > 0, "a row without value or weight")
        _need(self.y.min() >= 0 and self.y.max() < self.n_classes, "a class that does not exist")
        _need(self.weight_unit > 0 and self.cost_unit > 0, "a unit that is not positive")
        _need(min(self.costs, default=0) >= 0, "a test cost that is negative")
        self.digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        _need(header["digest"] == self.digest, "the digest of the rows does not agree")

    def compare(self, dataset: Any) -> None:
        """Refuse other data."""
        same = (
            np.array_equal(self.X, dataset.X)
            and np.array_equal(self.y, dataset.y)
            and self.weights == dataset.weights.tolist()
            and self.weight_unit == dataset.weight_unit
            and self.costs == dataset.cost_units.tolist()
            and self.cost_unit == dataset.cost_unit
            and list(self.kinds) == list(dataset.kinds)
        )
        _need(same, "the proof is about other data")

    def compare_text(self, path: str) -> None:
        """Refuse a CSV file with other rows; its columns are found by name, the class is left."""
        with open(path, newline="") as file:
            table = list(csv.DictReader(file))
        _need(len(table) == len(self.y), f"{path} has other rows")
        for f, name in enumerate(self.names):
            _need(name in table[0], f"{path} has no column {name!r}")
            texts = [row[name].strip() for row in table]
            if self.kinds[f] == "categorical":  # a code for each text, and a text for each code
                pairs = set(zip(texts, self.X[:, f].tolist(), strict=True))
                same = len(pairs) == len(set(texts)) == len({code for _, code in pairs})
            else:
                same = [float(text) for text in texts] == self.X[:, f].tolist()
            _need(same, f"the column {name!r} of {path} has other values")


# ---- what is asked ------------------------------------------------------------------------


class _Problem:
    """Objective, limits and tests in integers.

    Rows that no test tells apart form one group. The tests are chains: those of a chain hold for
    ever more groups. ``codes[g]`` is the first test of chain g that holds for each group.
    """

    def __init__(self, header: dict[str, Any], rows: _Rows) -> None:
        self.rows, limits = rows, header["limits"]
        self.total = sum(rows.weights)
        self.max_depth: int | None = limits["max_depth"]
        self.max_nodes: int | None = limits["max_nodes"]
        self.max_features: int | None = limits["max_features"]
        share = limits["max_error"]
        self.max_errors = None if share is None else floor(Fraction(share) * self.total)
        self.pure = self.max_errors == 0
        self.leaf_rows = int(limits["min_samples_leaf"])
        self.leaf_weight = ceil(Fraction(limits["min_weight_leaf"]) / rows.weight_unit)
        self.limited = self.leaf_rows > 1 or self.leaf_weight > 1
        self._set_chains(header["tests"])
        self._set_depth()
        self._set_prices(header)
        self._set_groups()

    def _set_chains(self, tests: list[Any] | None) -> None:
        X, codes, features = self.rows.X, [], []
        for f in range(X.shape[1]):
            values = np.unique(X[:, f])
            cuts, sets = values[:-1], []
            if tests is not None:
                own = [test for feature, test in tests if feature == f]
                cuts = np.unique([test for test in own if not isinstance(test, list)])
                sets = [test for test in own if isinstance(test, list)]
            elif self.rows.kinds[f] == "categorical":
                cuts, sets = values[:0], [[value] for value in values.tolist()]
            found = [np.searchsorted(cuts, X[:, f])] if len(cuts) else []
            found += [1 - np.isin(X[:, f], chosen).astype(np.int64) for chosen in sets]
            codes += found
            features += [f] * len(found)
        table = np.array(codes, dtype=np.int64).reshape(len(codes), len(X))
        columns, group_of = np.unique(table, axis=1, return_inverse=True)
        self.group_of = group_of.reshape(-1) if len(codes) else np.zeros(len(X), dtype=np.int64)
        self.codes = columns if len(codes) else np.zeros((0, 1), dtype=np.int64)
        self.features = np.array(features, dtype=np.int64)

    def _set_depth(self) -> None:
        """No tree needs more tests on a path than it takes to separate all groups."""
        limits = [self.codes.shape[1] - 1]
        limits += [] if self.max_depth is None else [self.max_depth]
        limits += [] if self.max_nodes is None else [(self.max_nodes - 1) // 2]
        self.depth = min(limits)
        _need(self.depth >= 0, "a negative limit")

    def _set_prices(self, header: dict[str, Any]) -> None:
        """Make one integer cost of the objective; the levels are its digits."""
        p, depth, costs = self.rows.X.shape[1], self.depth, self.rows.costs
        branches = min(self.codes.shape[1] - 1, 2**depth - 1)
        most = (
            self.total, 2 * branches + 1, depth, self.total * depth * max(costs, default=0),
            self.total * min(depth, p), min(depth, p),
        )  # fmt: skip
        mean = Fraction(1, self.total)
        worth = (mean, Fraction(1), Fraction(1), mean * self.rows.cost_unit, mean, Fraction(1))
        self.levels, self.steps = [], []
        for terms in header["objective"]:
            given = {AMOUNTS.index(name): Fraction(factor) for name, factor in terms}
            _need(len(given) == len(terms) and min(given.values()) > 0, "a strange objective")
            price = [given.get(i, Fraction(0)) * worth[i] for i in range(6)]
            whole = lcm(*(v.denominator for v in price))
            numbers = [int(v * whole) for v in price]
            self.levels.append([v // gcd(*numbers) for v in numbers])
            self.steps.append(Fraction(gcd(*numbers), whole))
        self.radices = [int(r) for r in header["radices"]]
        _need(len(self.radices) == len(self.levels) and self.radices[-1] == 1, "strange radices")
        room = 0
        for level, radix in zip(reversed(self.levels), reversed(self.radices), strict=True):
            _need(radix > room, "the levels of the objective overlap")
            room += radix * sum(a * b for a, b in zip(level, most, strict=True))
        self.prices = [self.as_one(column) for column in zip(*self.levels, strict=True)]
        self.error, self.node, self.deep, self.tests, self.explain, self.worst = self.prices
        self.dearest = self.tests * max(costs, default=0) + self.explain
        self._set_type(room + self.total * (1 + self.error + self.dearest * (depth + 1)))

    def _set_type(self, largest: int) -> None:
        """Take machine integers only where nothing can overflow."""
        small = largest < 2**58
        self.type: Any = np.int64 if small else object
        self.infinite = 2**60 if small else 2 ** (largest.bit_length() + 2)

    def as_one(self, numbers: Any) -> int:
        """Return the number whose digits are those of the levels."""
        return sum(r * int(v) for r, v in zip(self.radices, numbers, strict=True))

    def values(self, cost: int) -> tuple[Fraction, ...]:
        """Return a cost in the units of the objective."""
        found = []
        for radix, step in zip(self.radices, self.steps, strict=True):
            digit, cost = divmod(cost, radix)
            found.append(digit * step)
        return tuple(found)

    def _set_groups(self) -> None:
        n = self.codes.shape[1]
        self.weights = np.zeros((self.rows.n_classes, n), dtype=self.type)
        given = np.array(self.rows.weights, dtype=self.type)
        np.add.at(self.weights, (self.rows.y, self.group_of), given)
        self.counts = np.bincount(self.group_of, minlength=n)
        self.base = self.weights.sum(axis=0) - self.weights.max(axis=0)
        self.units = np.array(self.rows.costs, dtype=self.type)[self.features]

    # ---- the tree -------------------------------------------------------------------------

    def evaluate(self, nodes: list[Any]) -> int:
        """Return the cost of a tree in preorder on the raw rows; refuse one that breaks a limit."""
        sums, features = [0] * 6, set()
        columns = [(np.arange(len(self.rows.y)), 0, 0, frozenset())]
        for node in nodes:
            _need(columns, "the tree has a stray node")
            inside, depth, price, used = columns.pop()
            weight = sum(self.rows.weights[i] for i in inside)
            sums[1] += 1
            if isinstance(node, list):
                yes = self._answers(*node)[inside]
                below = (depth + 1, price + self.rows.costs[node[0]], used | {node[0]})
                columns += [(inside[~yes], *below), (inside[yes], *below)]
                features.add(node[0])
                continue
            _need(isinstance(node, int) and 0 <= node < self.rows.n_classes, "a strange leaf")
            small = len(inside) < self.leaf_rows or weight < self.leaf_weight
            _need(not small, "the tree has a leaf that is too small")
            sums[0] += sum(self.rows.weights[i] for i in inside if self.rows.y[i] != node)
            sums[2], sums[5] = max(sums[2], depth), max(sums[5], len(used) if len(inside) else 0)
            sums[3] += weight * price
            sums[4] += weight * len(used)
        _need(not columns, "the tree misses nodes")
        limits = (
            (sums[2], self.max_depth), (sums[1], self.max_nodes), (sums[0], self.max_errors),
            (len(features), self.max_features),
        )  # fmt: skip
        _need(all(limit is None or value <= limit for value, limit in limits), "the tree breaks a limit")
        return sum(a * b for a, b in zip(sums, self.prices, strict=True))

    def _answers(self, feature: int, test: Any) -> Array:
        """Return which rows answer yes; refuse what splits them as no candidate does."""
        _need(0 <= feature < self.rows.X.shape[1], "the tree asks a feature that does not exist")
        values = self.rows.X[:, feature]
        yes = np.isin(values, test) if isinstance(test, list) else values <= test
        if yes.any() and not yes.all():
            codes = self.codes[self.features == feature][:, self.group_of]
            inside, outside = codes[:, yes], codes[:, ~yes]
            same = (inside.max(axis=1) < outside.min(axis=1)) | (
                outside.max(axis=1) < inside.min(axis=1)
            )
            _need(same.any(), "the tree asks something that is no candidate")
        return np.asarray(yes)


# ---- the table ----------------------------------------------------------------------------


@dataclass
class _Line:
    """A set of groups with what may still be asked, and the number that is claimed."""

    number: int
    depth: int
    bound: int
    used: int
    new: int
    cited: list[tuple[int, int, str, int | None]]
    groups: Array | None = None


class _Table:
    """The lines of a proof, and the cases that they must settle."""

    def __init__(self, problem: _Problem, header: dict[str, Any], texts: list[str]) -> None:
        self.problem, self.header = problem, header
        self.lines = [self._read(i, text) for i, text in enumerate(texts)]

    def _read(self, number: int, text: str) -> _Line:
        """Read ``depth bound used new chain<cut=line,cut>cut ...``."""
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
        found = _Line(number, int(depth), claim, int(used, 16), limit if new == "-" else int(new), cited)
        _need(found.depth >= 0 and found.used >= 0 and found.new >= 0, f"line {number}: negative")
        _need(found.bound <= self.problem.infinite, f"line {number}: the bound is out of range")
        return found

    def verdict(self) -> Verdict:
        """Check the tree, each line and each case."""
        problem, header = self.problem, self.header
        cost = None if header["tree"] is None else problem.evaluate(header["tree"])
        claim = header["bound"]
        bound = problem.infinite if claim == "inf" else int(claim)
        _need(cost == header["cost"], f"the tree costs {cost}, not {header['cost']}")
        _need(cost is None or bound <= cost, "the bound exceeds the cost of the tree")
        self._settle_cases(bound)
        for line in self.lines:
            if line.groups is not None:  # otherwise nothing rests on it
                _State(self, line).check()
                line.groups = np.zeros(0)
        known = None if bound >= problem.infinite else bound
        return Verdict(
            known, cost, cost is not None and cost == bound,
            () if cost is None else problem.values(cost),
            () if known is None else problem.values(known), len(self.lines), problem.rows.digest,
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
                root = _Line(-1, depth, bound - surcharge, 0, width, [])
                least = _State(self, root, everything).floor()
                number = roots.get((depth, width if problem.worst else None))
                if number is not None:
                    least = max(least, self.cite(root, number, everything, depth, 0, width))
                where = f"depth {depth}" + (f", {width} features" if problem.worst else "")
                _need(least + surcharge >= bound, f"the bound is not proved for {where}")

    def cite(
        self, by: _Line, number: int, groups: Array, depth: int, used: int, new: int
    ) -> int:  # fmt: skip
        """Return the bound of a later line, which must be of these groups and as free or freer."""
        _need(by.number < number < len(self.lines), f"line {by.number} cites line {number}")
        line = self.lines[number]
        if line.groups is None:
            line.groups = groups
        of_these = np.array_equal(line.groups, groups)
        freer = line.depth >= min(depth, len(groups) - 1) and line.new >= new
        freer &= not self.problem.explain or used & ~line.used == 0
        freer &= not self.problem.worst or used & ~line.used == 0
        _need(of_these and freer, f"line {number} is of another set than line {by.number} says")
        return line.bound


class _State:
    """The set of a line, sorted along each chain, and what its sides cost at least.

    Position i of a chain stands for the split of the first i + 1 groups from the others.
    """

    def __init__(self, table: _Table, line: _Line, groups: Array | None = None) -> None:
        self.table, self.problem, self.line = table, table.problem, line
        found = line.groups if groups is None else groups
        assert found is not None
        self.groups: Array = found
        self.m = len(self.groups)
        self.weights = self.problem.weights[:, self.groups]
        self.weight = int(self.weights.sum())

    def check(self) -> None:
        """Refuse the line unless its bound is right."""
        line = self.line
        if line.bound <= self.floor():
            return
        leaf = self._leaf(self.weights.sum(axis=1).tolist(), self.problem.counts[self.groups].sum())
        _need(line.bound <= leaf, f"line {line.number}: a leaf costs {leaf}, not {line.bound}")
        if min(line.depth, self.m - 1) < 1:
            return
        self._sort()
        if min(line.depth, self.m - 1) == 1:
            least = int(self._count(np.ones((1, self.m), dtype=bool), self._coefficients(line.used)[None])[0])
            _need(line.bound <= least, f"line {line.number}: one test costs {least}, not {line.bound}")
            return
        self._check_tests()

    def floor(self) -> int:
        """Return what every tree of the set costs."""
        weights, one = self.weights.sum(axis=1), np.array([1])
        return int(
            self._floors(
                weights[:, None], self.problem.base[self.groups].sum() * one, self.m * one,
                self.problem.counts[self.groups].sum() * one, self.line.depth,
                self._cheapest(self.line.used, self.line.new),
            )[0]
        )  # fmt: skip

    # ---- what tests cost ------------------------------------------------------------------

    def _coefficients(self, used: int) -> Array:
        """Return the price of the tests of each chain for one unit of weight, the node aside."""
        problem = self.problem
        new = np.array([not used >> int(f) & 1 for f in problem.features], dtype=problem.type)
        return np.asarray(problem.tests * problem.units + problem.explain * new)

    def _may_ask(self, used: int, new: int) -> Array:
        known = [bool(used >> int(f) & 1) for f in self.problem.features]
        return np.array(known, dtype=bool) | (new > 0)

    def _cheapest(self, used: int, new: int) -> int | None:
        prices = self._coefficients(used)[self._may_ask(used, new)]
        return min(prices.tolist(), default=None)

    def _leaf(self, weights: list[int], count: int) -> int:
        total, errors = sum(weights), sum(weights) - max(weights)
        small = count < self.problem.leaf_rows or total < self.problem.leaf_weight
        if small or (errors and self.problem.pure):
            return self.problem.infinite
        return self.problem.error * errors + self.problem.node

    def _floors(
        self, weights: Array, base: Array, groups: Array, counts: Array, depth: int,
        cheapest: int | None,
    ) -> Array:  # fmt: skip
        """Return what every tree of each set costs, from sums over the sets (axis 0: classes)."""
        problem, total = self.problem, weights.sum(axis=0)
        errors, leaves = total - weights.max(axis=0), 2
        leaf = problem.error * errors + problem.node
        branch = np.full(total.shape, problem.infinite, dtype=problem.type)
        if depth > 0 and cheapest is not None:
            if problem.pure:
                leaves = np.maximum(2, (weights > 0).sum(axis=0))
            may = groups > 1
            least = problem.error * base + problem.node * (2 * leaves - 1) + cheapest * total
            branch = np.where(may, least, branch)
        if problem.pure:
            leaf = np.where(errors > 0, problem.infinite, leaf)
            branch = np.where(base > 0, problem.infinite, branch)
        small = (counts < problem.leaf_rows) | (total < problem.leaf_weight)
        return np.asarray(np.where(small, problem.infinite, np.minimum(leaf, branch)))

    # ---- one test left --------------------------------------------------------------------

    def _sort(self) -> None:
        codes = self.problem.codes[:, self.groups]
        self.order = np.argsort(codes, axis=1, kind="stable")
        self.sorted = np.take_along_axis(codes, self.order, axis=1)
        self.is_split = self.sorted[:, :-1] != self.sorted[:, 1:]

    def _count(self, members: Array, coefficients: Array) -> Array:
        """Return the least cost of subsets of the set with at most one test.

        ``members`` says for each subset which groups belong to it, ``coefficients`` what the
        tests of each chain cost there by weight, negative if they may not be asked.
        """
        step = max(1, _CHUNK // max(self.order.size, 1))
        parts = [
            self._count_some(members[i : i + step], coefficients[i : i + step])
            for i in range(0, len(members), step)
        ]
        return np.concatenate(parts)

    def _count_some(self, members: Array, coefficients: Array) -> Array:
        problem = self.problem
        kind: Any = np.int32 if problem.total < 2**31 else problem.type
        inside = members[:, self.order]
        most = np.zeros((2, *inside[..., :-1].shape), dtype=kind)
        totals, left_weight = [], 0
        for own in self.weights.astype(kind):
            left = np.cumsum(inside * own[self.order], axis=2, dtype=kind)
            totals.append(left[:, 0, -1] if left.size else members @ own)
            np.maximum(most[0], left[..., :-1], out=most[0])
            np.maximum(most[1], left[..., -1:] - left[..., :-1], out=most[1])
            left_weight = left_weight + left[..., :-1] if problem.leaf_weight > 1 else 0
        weight = np.sum(totals, axis=0).astype(problem.type)
        right = most[0] + most[1]
        allowed = np.broadcast_to(self.is_split, right.shape)
        if problem.leaf_rows > 1:
            rows = np.cumsum(inside * problem.counts[self.groups][self.order], axis=2)
            least = np.minimum(rows[..., :-1], rows[..., -1:] - rows[..., :-1])
            allowed = allowed & (least >= problem.leaf_rows)
        if problem.leaf_weight > 1:
            least = np.minimum(left_weight, weight[:, None, None] - left_weight)
            allowed = allowed & (least >= problem.leaf_weight)
        right = np.where(allowed, right, -1).max(axis=2, initial=-1)
        errors = weight[:, None] - right
        price = problem.error * errors + 3 * problem.node + coefficients * weight[:, None]
        refused = (right < 0) | (coefficients < 0) | (problem.pure & (errors > 0))
        best = np.where(refused, problem.infinite, price).min(axis=1, initial=problem.infinite)
        counts = members @ problem.counts[self.groups]
        weights = np.array(totals, dtype=problem.type).T.tolist()
        leaves = [self._leaf(own, count) for own, count in zip(weights, counts, strict=True)]
        return np.minimum(best, np.array(leaves, dtype=problem.type))

    # ---- more tests left ------------------------------------------------------------------

    def _check_tests(self) -> None:
        line, problem = self.line, self.problem
        left, right = self._known_of_sides()
        price = problem.node + self._coefficients(line.used) * self.weight
        least = price[:, None] + self._spread(left, False) + self._spread(right, True)
        asked = self.is_split & self._may_ask(line.used, line.new)[:, None]
        wrong = np.argwhere(asked & (least < line.bound))
        if len(wrong):
            g, i = wrong[0].tolist()
            raise RefusedError(
                f"line {line.number}: the bound {line.bound} is not proved for test "
                f"{self.sorted[g, i]} of chain {g}, whose sides cost at least {least[g, i]} with it"
            )

    def _known_of_sides(self) -> tuple[Array, Array]:
        """Return what is known of the left and the right side of each split."""
        line, problem = self.line, self.problem
        self.sums = np.cumsum(self.weights[:, self.order], axis=2)
        base = np.cumsum(problem.base[self.groups][self.order], axis=1)
        counts = np.cumsum(problem.counts[self.groups][self.order], axis=1)
        sides = []
        below = [self._below(g) for g in range(len(problem.features))]
        for to_left in (True, False):
            known = np.zeros(self.is_split.shape, dtype=problem.type)
            for g in range(len(known)):
                parts = [self.sums[:, g], base[g], np.arange(1, self.m + 1), counts[g]]
                own = [x[..., :-1] if to_left else x[..., -1:] - x[..., :-1] for x in parts]
                known[g] = self._floors(*own, line.depth - 1, self._cheapest(*below[g]))
            sides.append(np.where(self.is_split, known, 0))
        counted = []
        for g, cut, side, number in line.cited:
            _need(0 <= g < len(below) and side in "<>", f"line {line.number}: no chain {g}")
            i = int(np.searchsorted(self.sorted[g], cut, side="right")) - 1
            real = 0 <= i < self.m - 1 and self.is_split[g, i] and self._may_ask(line.used, line.new)[g]
            _need(real, f"line {line.number}: test {cut} of chain {g} does not split the set")
            place = (int(side == ">"), g, i)
            if number is None:
                counted.append(place)
            else:
                groups = np.sort(self.groups[self._side(*place)])
                bound = self.table.cite(line, number, groups, line.depth - 1, *below[g])
                sides[place[0]][g, i] = max(sides[place[0]][g, i], bound)
        self._count_sides(counted, below, sides)
        return sides[0], sides[1]

    def _below(self, chain: int) -> tuple[int, int]:
        """Return the features used, and how many new ones may be, after a test of a chain."""
        feature = 1 << int(self.problem.features[chain])
        is_new = not self.line.used & feature
        return self.line.used | feature, self.line.new - is_new

    def _side(self, to_right: int, chain: int, i: int) -> Array:
        return self.order[chain, i + 1 :] if to_right else self.order[chain, : i + 1]

    def _count_sides(
        self, places: list[tuple[int, int, int]], below: list[tuple[int, int]], sides: list[Array]
    ) -> None:
        """Work out the sides that are said to have at most one test left."""
        if not places:
            return
        members = np.zeros((len(places), self.m), dtype=bool)
        for row, place in zip(members, places, strict=True):
            row[self._side(*place)] = True
        few = (self.line.depth == 2) | (members.sum(axis=1) <= 2)
        _need(few.all(), f"line {self.line.number}: a side has more tests left and cites no line")
        by_chain = {}
        for g in {g for _, g, _ in places}:
            prices = self._coefficients(below[g][0])
            by_chain[g] = np.where(self._may_ask(*below[g]), prices, -1)
        found = self._count(members, np.array([by_chain[g] for _, g, _ in places]))
        for (to_right, g, i), value in zip(places, found.tolist(), strict=True):
            sides[to_right][g, i] = max(sides[to_right][g, i], value)

    def _spread(self, known: Array, to_right: bool) -> Array:
        """Carry bounds from each side to the others of its chain, which are nested.

        A set costs at least what its subsets cost: a tree of the set is one of the subset too. And
        without its examples of weight w it costs at most w times the dearest example less: they
        can follow a tree of the others. The first needs leaves that may be small, the second
        also leaves that may err.
        """
        if self.problem.limited:
            return known
        weight = self.sums.sum(axis=0)
        weight = (weight[:, -1:] - weight[:, :-1])[:, ::-1] if to_right else weight[:, :-1]
        known = known[:, ::-1] if to_right else known
        known = np.maximum.accumulate(known, axis=1)  # from subsets, which come first
        if not self.problem.pure:
            dearest = self.problem.error + self.problem.dearest * (self.line.depth - 1)
            less = known - dearest * weight
            known = np.maximum(
                known, np.maximum.accumulate(less[:, ::-1], axis=1)[:, ::-1] + dearest * weight
            )
        return known[:, ::-1] if to_right else known


# ---- the program --------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Check a proof, and that it is about the rows of a CSV file; return 0 if it holds."""
    if len(arguments) not in (1, 2):
        print("usage: python checker.py PROOF [ROWS.csv]", file=sys.stderr)
        return 2
    try:
        verdict = check(arguments[0])
        if len(arguments) == 2:
            lines = gzip.decompress(Path(arguments[0]).read_bytes()).decode("ascii").splitlines()
            header = json.loads(lines[1])
            _Rows(header, lines[2 : header["n_rows"] + 2]).compare_text(arguments[1])
    except (RefusedError, OSError) as error:
        print(f"Refused: {error}", file=sys.stderr)
        return 1
    print(verdict)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
