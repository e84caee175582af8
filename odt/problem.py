"""The problem: data, objective, limits and candidate tests. It says what, never how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from odt.compiled import Compiled, Keep, compile_tests
from odt.costs import Costs
from odt.dataset import Dataset
from odt.dominance import without_dominated
from odt.errors import ProblemError
from odt.feasibility import violations
from odt.features import Feature
from odt.objective import Error, Objective
from odt.positions import Positions
from odt.shape import Shape
from odt.testset import Test, TestSet
from odt.tree import Totals, Tree
from odt.weights import as_fraction


@dataclass(frozen=True, eq=False)
class Problem:
    """Find a tree within ``shape`` that minimises ``objective`` on ``dataset``.

    Parameters
    ----------
    dataset : Dataset
    objective : Objective or str, default Error()
        A string is read by `Objective.parse`.
    shape : Shape, optional
        Limits; none by default.
    tests : TestSet, optional
        The tests a tree may use. By default all of them (`TestSet.all`).

    Examples
    --------
    >>> import odt
    >>> data = odt.Dataset([[0.0], [1.0], [2.0]], ["no", "yes", "no"])
    >>> problem = odt.Problem(data, "error + 0.01*size", odt.Shape(max_depth=2))
    >>> odt.solve(problem, "dp").tree.n_leaves
    3
    """

    dataset: Dataset
    objective: Objective = field(default_factory=Error)
    shape: Shape = field(default_factory=Shape)
    tests: TestSet | None = None

    def __post_init__(self) -> None:
        if isinstance(self.objective, str):
            object.__setattr__(self, "objective", Objective.parse(self.objective))
        for name, kind in (("dataset", Dataset), ("objective", Objective), ("shape", Shape)):
            if not isinstance(getattr(self, name), kind):
                raise ProblemError(
                    f"'{name}' must be a {kind.__name__}. Got {getattr(self, name)!r} instead."
                )
        if self.tests is not None and not isinstance(self.tests, TestSet):
            raise ProblemError(f"'tests' must be a TestSet or None. Got {self.tests!r} instead.")
        asked = {test.feature for test in self.tests or ()}
        charged = {f for charge in self.shape.feature_charges or () for f in charge.features}
        beyond = (asked | charged) - set(range(self.dataset.n_features))
        if beyond:
            raise ProblemError(
                f"Tests or charges name the features {', '.join(map(repr, beyond))}. The data have "
                f"{self.dataset.n_features} features, numbered from 0."
            )
        if self.positions is not None:
            self.positions.check(self.candidate_tests, self.dataset)
        unknown = set(self.shape.max_class_error or ()) - set(self.dataset.classes)
        if unknown:
            raise ProblemError(
                f"'max_class_error' names {', '.join(map(repr, unknown))}, which is no class. "
                f"Classes: {', '.join(map(repr, self.dataset.classes))}."
            )

    # ---- what it asks for -----------------------------------------------------------------

    @property
    def needs(self) -> frozenset[Feature]:
        """The capabilities a solver must have for this problem."""
        shape, levels = self.shape, self.objective.levels
        error = shape.max_error
        wanted = {
            Feature.WEIGHTED_SUM: any(len(terms) > 1 for terms in levels),
            Feature.LEXICOGRAPHIC: len(levels) > 1,
            Feature.TEST_COSTS: Feature.EXPECTED_TESTS in self.objective.measures
            and len(set(self.dataset.cost_units.tolist())) > 1,
            Feature.CATEGORICAL: "categorical" in self.dataset.kinds,
            Feature.FIXED_TESTS: self.tests is not None and not self.tests.complete,
            Feature.UNLIMITED_DEPTH: shape.max_depth is None,
            Feature.MAX_NODES: shape.max_nodes is not None or shape.max_leaf_nodes is not None,
            Feature.MIN_SAMPLES_LEAF: shape.min_samples_leaf > 1,
            Feature.MIN_WEIGHT_LEAF: shape.min_weight_leaf > 0,
            Feature.CONSISTENT: error is not None and self.max_errors == 0,
            Feature.MAX_ERROR: error is not None and self.max_errors != 0,
            Feature.MAX_FEATURES: shape.max_features is not None,
            Feature.POSITIONS: self.positions is not None,
            Feature.CLASS_ERROR: bool(shape.max_class_error),
            Feature.FEATURE_BUDGET: shape.feature_budget is not None,
        }
        return self.objective.measures | {
            feature for feature, is_wanted in wanted.items() if is_wanted
        }

    @cached_property
    def candidate_tests(self) -> TestSet:
        """The tests a tree may use, ``TestSet.all`` unless given."""
        return self.tests if self.tests is not None else TestSet.all(self.dataset)

    def list_tests(self, stop: Callable[[], bool]) -> TestSet:
        """Return ``candidate_tests``, made now if they were not asked for before.

        Parameters
        ----------
        stop : callable
            Polled; `odt.errors.Stopped` is raised when it says True, and nothing is kept.
        """
        if self.tests is None and "candidate_tests" not in self.__dict__:
            self.__dict__["candidate_tests"] = TestSet.all(self.dataset, stop)
        return self.candidate_tests

    @cached_property
    def n_candidate_tests(self) -> int:
        """Number of tests a tree may use, known without making them."""
        return TestSet.count_all(self.dataset) if self.tests is None else len(self.tests)

    def allows_test(self, test: Test) -> bool:
        """Say whether a tree may ask a test: a given one, or one that splits as a candidate does.

        Where no tests are given, any threshold will do, and any set of categories that separates
        one category from all others; but no other set of values.
        """
        if self.tests is not None and not self.tests.complete:
            return test in self.tests
        is_categorical = self.dataset.kinds[test.feature] == "categorical"
        if test.threshold is not None and not is_categorical:
            return True
        values = self._distinct_values[test.feature]
        X = np.zeros((len(values), self.dataset.n_features))
        X[:, test.feature] = values
        yes = test.holds(X)
        if is_categorical:
            return bool(min(yes.sum(), (~yes).sum()) <= 1)
        return bool((yes[1:] != yes[:-1]).sum() <= 1)

    @cached_property
    def _distinct_values(self) -> tuple[NDArray[np.float64], ...]:
        return tuple(np.unique(column) for column in self.dataset.merged.X.T)

    @cached_property
    def positions(self) -> Positions | None:
        """Tests forced or forbidden at positions; None without any."""
        return Positions.of(self.shape)

    @property
    def max_depth(self) -> int:
        """Largest useful depth: the limit, or what it takes to isolate every distinct row."""
        longest = len(self.dataset.merged.X) - 1
        limit = self.shape.max_depth
        return int(min(longest if limit is None else limit, longest, self._branches_allowed))

    @property
    def max_branches(self) -> int:
        """Most branches that a useful tree within the limits can have."""
        by_depth = (1 << min(self.max_depth, 62)) - 1
        return min(by_depth, len(self.dataset.merged.X) - 1, self._branches_allowed)

    @property
    def _branches_allowed(self) -> int:
        shape, unlimited = self.shape, self.dataset.n_samples
        by_nodes = unlimited if shape.max_nodes is None else (shape.max_nodes - 1) // 2
        by_leaves = unlimited if shape.max_leaf_nodes is None else shape.max_leaf_nodes - 1
        return min(by_nodes, by_leaves)

    @cached_property
    def max_errors(self) -> int | None:
        """Largest misclassified weight allowed, in weight units; None without limit."""
        if self.shape.max_error is None:
            return None
        return floor(as_fraction(float(self.shape.max_error)) * self.dataset.total_weight)

    @cached_property
    def max_class_errors(self) -> tuple[int, ...] | None:
        """For each class the largest misclassified weight, in weight units; None without limit."""
        if not self.shape.max_class_error:
            return None
        by_class = self.dataset.merged.weights.sum(axis=0).tolist()
        share = dict.fromkeys(self.dataset.classes, 1.0) | dict(self.shape.max_class_error)
        return tuple(
            floor(as_fraction(float(share[label])) * weight)
            for label, weight in zip(self.dataset.classes, by_class, strict=True)
        )

    def allows_features(self, features: frozenset[int]) -> bool:
        """Say whether a tree may ask all of these features, by their number and charges."""
        shape = self.shape
        if shape.max_features is not None and len(features) > shape.max_features:
            return False
        if shape.feature_budget is None:
            return True
        if shape.feature_charges is None:
            return len(features) <= shape.feature_budget
        charged = (c.price for c in shape.feature_charges if c.features & features)
        return sum(map(as_fraction, charged)) <= as_fraction(float(shape.feature_budget))

    @cached_property
    def min_leaf_weight(self) -> int:
        """Least weight of a leaf, in weight units."""
        return ceil(
            Fraction(as_fraction(float(self.shape.min_weight_leaf))) / self.dataset.weight_unit
        )

    # ---- what a tree is worth -------------------------------------------------------------

    @cached_property
    def costs(self) -> Costs:
        """The objective as one exact integer cost."""
        data, depth = self.dataset, self.max_depth
        weight, path_features = data.total_weight, min(depth, data.n_features)
        largest = Totals(
            weight=weight,
            errors=weight,
            nodes=2 * self.max_branches + 1,
            depth=depth,
            tests=weight * depth * int(data.cost_units.max(initial=0)),
            explanation=weight * path_features,
            worst=path_features,
        )
        return Costs.build(self.objective, data, largest)

    def cost(self, tree: Tree) -> int:
        """Return the exact integer cost of a tree, from the tree and the raw rows alone."""
        return self.costs.of(tree.totals(self.dataset))

    def violations(self, tree: Tree) -> list[str]:
        """Return which limits the tree breaks, in words; an empty list if none."""
        return list(violations(self, tree))

    # ---- what solvers with a fixed test set work on ---------------------------------------

    @cached_property
    def compiled(self) -> Compiled:
        """Rows grouped by their answers to the candidate tests, redundant tests left out."""
        return self.compile()

    def compile(self, stop: Callable[[], bool] = lambda: False) -> Compiled:
        """Return what ``compiled`` holds, computed now if it was not asked for before.

        Parameters
        ----------
        stop : callable, optional
            Polled; `odt.errors.Stopped` is raised when it says True, and nothing is kept.
        """
        if not self.is_compiled:
            if self.positions is not None:
                keep = Keep.ALL
            elif self.features_matter:
                keep = Keep.ONE_PER_FEATURE
            else:
                keep = Keep.ONE
            tests = self.list_tests(stop)
            if self.drops_dominated:
                tests = without_dominated(self.dataset, tests, stop)
            self.__dict__["compiled"] = compile_tests(self.dataset, tests, keep, stop)
        return self.compiled

    @property
    def is_compiled(self) -> bool:
        """Whether ``compiled`` has been worked out already."""
        return "compiled" in self.__dict__

    @property
    def drops_dominated(self) -> bool:
        """Whether dominated tests are not needed: without errors, whatever the objective."""
        limits = {Feature.MIN_SAMPLES_LEAF, Feature.MIN_WEIGHT_LEAF, Feature.POSITIONS}
        return Feature.CONSISTENT in self.needs and not self.needs & limits

    @property
    def features_matter(self) -> bool:
        """Whether of two tests that split alike it matters which feature is asked."""
        return bool(
            self.costs.uses_explanation
            or self.shape.max_features is not None
            or self.shape.feature_budget is not None
            or (self.costs.test > 0 and len(set(self.dataset.cost_units.tolist())) > 1)
        )
