"""The problem: data, objective, limits and candidate tests. It says what, never how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odt.data.dataset import Dataset
from odt.errors import ProblemError
from odt.model.capability import Capability, Need
from odt.model.compiled import Compiled, Representatives, compile_tests
from odt.model.costs import Costs
from odt.model.dominance import without_dominated
from odt.model.feasibility import misfits, violations
from odt.model.limits import Limits
from odt.model.measure import Amounts, Measure
from odt.model.objective import Error, Objective
from odt.model.shape import Shape
from odt.model.testset import Test, TestSet
from odt.model.tree import Tree


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
        self._check_task()
        asked = {test.feature for test in self.tests or ()}
        charged = {f for charge in self.shape.feature_charges or () for f in charge.features}
        beyond = (asked | charged) - set(range(self.dataset.n_features))
        if beyond:
            raise ProblemError(
                f"Tests or charges name the features {', '.join(map(repr, beyond))}. The data have "
                f"{self.dataset.n_features} features, numbered from 0."
            )
        if self.limits.positions is not None:
            self.limits.positions.check(self.candidate_tests)
        unknown = set(self.shape.max_class_error or ()) - set(self.dataset.classes)
        if unknown:
            raise ProblemError(
                f"'max_class_error' names {', '.join(map(repr, unknown))}, which is no class. "
                f"Classes: {', '.join(map(repr, self.dataset.classes))}."
            )

    def _check_task(self) -> None:
        """Refuse what has no meaning for labels, or for real targets."""
        strange = [m.value for m in self.objective.measures if not m.suits(self.dataset)]
        if strange and self.dataset.targets is None:
            raise ProblemError(
                "'squared_error' is for real targets, and these data have classes: build them with "
                "Dataset(X, y, task='regression'), or minimise 'error'."
            )
        if strange:
            raise ProblemError(
                "'error' counts wrong classes, and these data have real targets: minimise "
                "'squared_error', alone or with size, depth and so on."
            )
        limits = {"max_error", "max_class_error"} if self.dataset.targets is not None else ()
        for name in sorted(limits):
            if getattr(self.shape, name) is not None:
                raise ProblemError(
                    f"'{name}' limits the weight of wrong classes: it has no meaning for real "
                    "targets. Leave it out."
                )

    # ---- what it asks for -----------------------------------------------------------------

    @property
    def needs(self) -> frozenset[Need]:
        """The capabilities a solver must have for this problem."""
        shape, limits, levels = self.shape, self.limits, self.objective.levels
        wanted: dict[Need, bool] = {
            Measure.SQUARED_ERROR: self.dataset.targets is not None,
            Capability.WEIGHTED_SUM: any(len(terms) > 1 for terms in levels),
            Capability.LEXICOGRAPHIC: len(levels) > 1,
            Capability.TEST_COSTS: Measure.EXPECTED_TESTS in self.objective.measures
            and len(set(self.dataset.cost_units.tolist())) > 1,
            Capability.CATEGORICAL: "categorical" in self.dataset.kinds,
            Capability.MISSING: self.dataset.has_gaps,
            Capability.FIXED_TESTS: self.tests is not None and not self.tests.complete,
            Capability.UNLIMITED_DEPTH: shape.max_depth is None,
            Capability.MAX_NODES: limits.nodes is not None,
            Capability.MIN_SAMPLES_LEAF: limits.leaf_rows > 1,
            Capability.MIN_WEIGHT_LEAF: shape.min_weight_leaf > 0,
            Capability.CONSISTENT: limits.errors == 0,
            Capability.MAX_ERROR: bool(limits.errors),
            Capability.MAX_FEATURES: shape.max_features is not None,
            Capability.POSITIONS: limits.positions is not None,
            Capability.CLASS_ERROR: limits.class_errors is not None,
            Capability.FEATURE_BUDGET: shape.feature_budget is not None,
        }
        return self.objective.measures | {need for need, is_wanted in wanted.items() if is_wanted}

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
        one category from all others; but no other set of values. Where gaps are learned, they may
        be on either side. Where something is demanded at a position, the sides must be those of a
        candidate too.
        """
        if self.tests is not None and not self.tests.complete:
            return test in self.tests
        positions = self.limits.positions
        if positions is not None:
            return (test.feature, positions.answers(test)) in self._candidate_answers
        is_categorical = self.dataset.kinds[test.feature] == "categorical"
        if test.threshold is not None and not is_categorical and not test.missing_left:
            return True
        values = self._distinct_values[test.feature]
        if self.dataset.learns_gaps(test.feature):
            values = values[values != self.dataset.gap(test.feature)]
        X = np.zeros((len(values), self.dataset.n_features))
        X[:, test.feature] = values
        yes = test.holds(X)
        if is_categorical:
            return bool(min(yes.sum(), (~yes).sum()) <= 1)
        return bool((yes[1:] != yes[:-1]).sum() <= 1)

    @cached_property
    def _candidate_answers(self) -> frozenset[tuple[int, bytes]]:
        positions = self.limits.positions
        assert positions is not None
        return frozenset((t.feature, positions.answers(t)) for t in self.candidate_tests)

    @cached_property
    def _distinct_values(self) -> tuple[NDArray[np.float64], ...]:
        return tuple(np.unique(column) for column in self.dataset.merged.X.T)

    @cached_property
    def limits(self) -> Limits:
        """The shape in the integer units of the data."""
        return Limits.of(self.shape, self.dataset)

    # ---- what a tree is worth -------------------------------------------------------------

    @cached_property
    def costs(self) -> Costs:
        """The objective as one exact integer cost."""
        data, depth = self.dataset, self.limits.useful_depth
        weight, path_features = data.total_weight, min(depth, data.n_features)
        largest = Amounts(
            errors=self.errors_as_leaf,
            nodes=2 * self.limits.useful_branches + 1,
            depth=depth,
            tests=weight * depth * int(data.cost_units.max(initial=0)),
            explanation=weight * path_features,
            worst=path_features,
        )
        return Costs.build(self.objective, data, largest)

    @property
    def errors_as_leaf(self) -> int:
        """No tree errs more: all the weight, or the squared error around one mean."""
        data = self.dataset
        if data.targets is None:
            return data.total_weight
        return data.targets.least_errors(data.targets.moments.sum(axis=0))

    def cost(self, tree: Tree) -> int:
        """Return the exact integer cost of a tree, from the tree and the raw rows alone."""
        return self.costs.of(tree.amounts(self.dataset))

    def normal(self, tree: Tree) -> Tree:
        """Return the tree without branches that separate nothing or whose leaves agree.

        It stays as it is where that would move branches to where something is demanded. Leaves
        of a regression never agree.
        """
        if self.limits.positions is not None:
            return tree
        return tree.collapsed(self.dataset.merged.X, twins=self.dataset.targets is None)

    def violations(self, tree: Tree) -> list[str]:
        """Return which limits the tree breaks, in words; an empty list if none."""
        found = list(violations(self.dataset, self.limits, tree))
        if any(misfits(self.dataset, tree)):
            return found
        return found + [
            f"the test '{test.describe(self.dataset.schema)}' is not among the candidates"
            for test in tree.tests
            if test is not None and not self.allows_test(test)
        ]

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
            if self.limits.positions is not None:
                keep = Representatives.ALL
            elif self.features_matter:
                keep = Representatives.ONE_PER_FEATURE
            else:
                keep = Representatives.ONE
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
        limits = {Capability.MIN_SAMPLES_LEAF, Capability.MIN_WEIGHT_LEAF, Capability.POSITIONS}
        return Capability.CONSISTENT in self.needs and not self.needs & limits

    @property
    def features_matter(self) -> bool:
        """Whether of two tests that split alike it matters which feature is asked."""
        return bool(
            self.costs.uses_explanation
            or self.limits.budgets
            or (self.costs.prices.tests > 0 and len(set(self.dataset.cost_units.tolist())) > 1)
        )
