"""The optimum of a tiny problem from its definition: every tree over the raw rows.

Nothing here is shared with the solvers: no merged or compiled rows, no integer costs, no limits in
units, no positions. What the documents say about measures and limits is written down a second
time, in fractions, so that a misunderstanding must be made twice to be missed. The weights are
the dataset's (`Dataset.weights`), since those that have no common unit are rounded there.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from odt.data.units import as_fraction
from odt.model.measure import Measure
from odt.model.problem import Problem
from odt.model.testset import Test


class Sums(NamedTuple):
    """What a subtree adds up to on its rows; what neither objective nor limits need stays 0."""

    errors: int
    nodes: int
    depth: int
    tests: Fraction
    explanation: int
    worst: int
    features: frozenset[int]
    by_class: tuple[int, ...]


class _Split(NamedTuple):
    test: Test
    yes: int


def enumerated_optimum(problem: Problem) -> tuple[Fraction, ...] | None:
    """Return the least value of each level of the objective; None if no tree keeps the limits.

    Parameters
    ----------
    problem : Problem
        Of up to about eight rows and depth three.
    """
    trees = _Trees(problem)
    everything = (1 << problem.dataset.n_samples) - 1
    values = (
        trees.value(sums)
        for sums in trees.below(everything, trees.max_depth, frozenset(), "")
        if trees.allows(sums)
    )
    return min(values, default=None)


def _printed(number: float) -> Fraction:
    """Return the fraction with a small denominator that is this float, else what is printed."""
    simple = Fraction(number).limit_denominator(10**6)
    return simple if float(simple) == number else Fraction(str(number))


class _Trees:
    def __init__(self, problem: Problem) -> None:
        self.problem, self.shape, self.data = problem, problem.shape, problem.dataset
        self.weights, self.labels = self.data.weights.tolist(), self.data.y.tolist()
        self.costs = [_printed(cost) for cost in self.data.test_costs.tolist()]
        limit = self.shape.max_depth
        self.max_depth = self.data.n_samples if limit is None else limit
        self.splits = [_Split(test, self._rows(test)) for test in self._candidates()]
        self._memo: dict[tuple[int, int, frozenset[int], str], frozenset[Sums]] = {}
        shape, measures = self.shape, problem.objective.measures
        self._counts_errors = Measure.ERROR in measures or shape.max_error is not None
        self._counts_nodes = Measure.SIZE in measures or bool(
            shape.max_nodes is not None or shape.max_leaf_nodes is not None
        )
        self._counts_tests = Measure.EXPECTED_TESTS in measures
        self._explains = bool(measures & {Measure.EXPLANATION_SIZE, Measure.WORST_EXPLANATION})
        self._counts_depth = Measure.DEPTH in measures
        self._collects = shape.max_features is not None or shape.feature_budget is not None
        self._by_class = bool(shape.max_class_error)
        self._positions = [*(shape.forced or ()), *(shape.forbidden or ())]

    # ---- trees ----------------------------------------------------------------------------

    def below(self, rows: int, depth: int, used: frozenset[int], position: str) -> frozenset[Sums]:
        """Return the sums of all trees over some rows, given as a bit mask."""
        if not any(place.startswith(position) for place in self._positions):
            position = "-"  # nothing is demanded from here on
        key = rows, depth, used if self._explains else frozenset(), position
        if key not in self._memo:
            found = set(self._leaves(rows, position))
            for test, yes in self.splits if depth else ():
                if rows & yes and rows & ~yes and self._may_ask(position, test):
                    below = used | {test.feature}
                    left = self.below(rows & yes, depth - 1, below, position + "L")
                    right = self.below(rows & ~yes, depth - 1, below, position + "R")
                    new = test.feature not in used
                    found |= {self._joined(test, new, rows, a, b) for a in left for b in right}
            self._memo[key] = frozenset(found)
        return self._memo[key]

    def _leaves(self, rows: int, position: str) -> Iterator[Sums]:
        if any(place.startswith(position) for place in self.shape.forced or ()):
            return
        inside = [i for i in range(len(self.labels)) if rows >> i & 1]
        weight = self._weight(rows)
        if len(inside) < self.shape.min_samples_leaf:
            return
        if weight * self.data.weight_unit < as_fraction(float(self.shape.min_weight_leaf)):
            return
        held = [0] * self.data.n_classes
        for i in inside:
            held[self.labels[i]] += self.weights[i]
        wrong = [
            tuple(0 if k == label else w for k, w in enumerate(held)) for label in range(len(held))
        ]
        least = min(map(sum, wrong))
        for missed in wrong:
            if self._by_class or sum(missed) == least:
                yield Sums(
                    sum(missed) if self._counts_errors else 0, int(self._counts_nodes), 0,
                    Fraction(0), 0, 0, frozenset(), missed if self._by_class else (),
                )  # fmt: skip

    def _joined(self, test: Test, new: bool, rows: int, left: Sums, right: Sums) -> Sums:
        weight = self._weight(rows)
        return Sums(
            errors=left.errors + right.errors,
            nodes=left.nodes + right.nodes + self._counts_nodes,
            depth=max(left.depth, right.depth) + self._counts_depth,
            tests=left.tests
            + right.tests
            + (weight * self.costs[test.feature] if self._counts_tests else 0),
            explanation=left.explanation + right.explanation + weight * new * self._explains,
            worst=max(left.worst, right.worst) + new * self._explains,
            features=left.features | right.features | {test.feature}
            if self._collects
            else frozenset(),
            by_class=tuple(a + b for a, b in zip(left.by_class, right.by_class, strict=True)),
        )

    # ---- tests ----------------------------------------------------------------------------

    def _candidates(self) -> list[Test]:
        if self.problem.tests is not None:
            return list(self.problem.tests)
        found = []
        for f, kind in enumerate(self.data.kinds):
            values = sorted(set(self.data.X[:, f].tolist()))
            both = self.data.missing == "learned"
            if kind == "categorical":  # a category, or all others
                found += [Test(f, categories=(int(c),)) for c in values[: len(values) - 1 or 1]]
                found += [Test(f, categories=(int(c),)) for c in values[2:] if c == values[-1]]
                gap = [g for g, c in enumerate(self.data.schema.categories[f]) if c == "?"]
                if both and self.data.schema.has_gaps[f]:
                    found += [Test(f, categories=(int(c), *gap)) for c in values]
            else:  # the lower value does as well as any threshold up to the next
                found += [Test(f, threshold=value) for value in values[:-1]]
                if both:
                    found += [Test(f, threshold=v, missing_left=True) for v in values[:-1]]
        return found

    def _rows(self, test: Test) -> int:
        return sum(1 << i for i, yes in enumerate(test.holds(self.data.X).tolist()) if yes)

    def _may_ask(self, position: str, test: Test) -> bool:
        forced = (self.shape.forced or {}).get(position)
        if forced is not None and not self._is(test, forced, sides_matter=True):
            return False
        several = (self.shape.forbidden or {}).get(position, ())
        return not any(self._is(test, demand, sides_matter=False) for demand in several)

    def _is(self, test: Test, demand: Test | int, *, sides_matter: bool) -> bool:
        """Say whether a test is meant: of the feature, and splitting all the rows alike."""
        if not isinstance(demand, Test):
            return test.feature == demand
        mine, other = self._rows(test), self._rows(demand)
        everything = (1 << len(self.labels)) - 1
        alike = mine == other or (not sides_matter and mine == everything ^ other)
        return test.feature == demand.feature and alike

    # ---- values and limits of a whole tree -------------------------------------------------

    def allows(self, sums: Sums) -> bool:
        """Say whether a tree keeps the limits on all of it."""
        shape, total = self.shape, sum(self.weights)
        leaves = (sums.nodes + 1) // 2
        if shape.max_nodes is not None and sums.nodes > shape.max_nodes:
            return False
        if shape.max_leaf_nodes is not None and leaves > shape.max_leaf_nodes:
            return False
        most = None if shape.max_error is None else as_fraction(float(shape.max_error)) * total
        if most is not None and sums.errors > most:
            return False
        return self._allows_classes(sums) and self._allows_features(sums.features)

    def _allows_classes(self, sums: Sums) -> bool:
        for label, share in (self.shape.max_class_error or {}).items():
            code = self.data.classes.index(label)
            weight = sum(w for w, y in zip(self.weights, self.labels, strict=True) if y == code)
            if sums.by_class[code] > as_fraction(float(share)) * weight:
                return False
        return True

    def _allows_features(self, features: frozenset[int]) -> bool:
        shape = self.shape
        if shape.max_features is not None and len(features) > shape.max_features:
            return False
        if shape.feature_budget is None:
            return True
        price = Fraction(len(features))
        if shape.feature_charges is not None:
            charged = [c.price for c in shape.feature_charges if c.features & features]
            price = sum(map(as_fraction, charged), Fraction(0))
        return price <= as_fraction(float(shape.feature_budget))

    def value(self, sums: Sums) -> tuple[Fraction, ...]:
        """Return the value of each level of the objective."""
        total = sum(self.weights)
        measured = {
            Measure.ERROR: Fraction(sums.errors, total),
            Measure.SIZE: Fraction(sums.nodes),
            Measure.DEPTH: Fraction(sums.depth),
            Measure.EXPECTED_TESTS: sums.tests / total,
            Measure.EXPLANATION_SIZE: Fraction(sums.explanation, total),
            Measure.WORST_EXPLANATION: Fraction(sums.worst),
        }
        levels = self.problem.objective.levels
        return tuple(sum((c * measured[f] for f, c in terms), Fraction(0)) for terms in levels)

    def _weight(self, rows: int) -> int:
        return sum(w for i, w in enumerate(self.weights) if rows >> i & 1)
