"""The decision tree: an immutable value that evaluates, explains and stores itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from odt.data.encode import GAP
from odt.data.schema import Schema
from odt.data.tables import is_table
from odt.errors import DataError, ProblemError
from odt.model.means import node_means, squared_errors
from odt.model.measure import Amounts, Measure
from odt.model.testset import Test

if TYPE_CHECKING:
    from odt.data.dataset import Dataset


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A binary decision tree in preorder arrays; node 0 is the root, ``true`` goes left.

    Build one with `Tree.leaf` and `Tree.branch`; a solver's result carries names and class
    counts too (see `fitted`).

    Attributes
    ----------
    tests : tuple of Test or None
        The test of each branch, None at leaves.
    left, right : ndarray of int64, shape (n_nodes,)
        Children, -1 at leaves.
    label : ndarray of int64, shape (n_nodes,)
        Class code that a leaf predicts; -1 at branches.
    counts : ndarray of float64, shape (n_nodes, K), or None
        Training weight of each class at each node.
    schema : Schema or None
        Names of features and classes.
    gaps : ndarray of float64, shape (n_nodes, 2), or None
        The training values that each threshold lies between: the largest of the examples that go
        left and the smallest of those that go right; NaN where there is none. Conversions to
        coarser floats need them.
    values : ndarray of float64, shape (n_nodes,), or None
        Of a regression tree: the weighted mean of the training targets at each node, which a leaf
        predicts. Labels are then 0 at all leaves.
    """

    tests: tuple[Test | None, ...]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    label: NDArray[np.int64]
    counts: NDArray[np.float64] | None = None
    schema: Schema | None = None
    gaps: NDArray[np.float64] | None = None
    values: NDArray[np.float64] | None = None

    # ---- building -------------------------------------------------------------------------

    @classmethod
    def leaf(cls, label: int) -> Self:
        """Return the tree that predicts the class code ``label`` for everything."""
        no_child = np.array([-1], dtype=np.int64)
        return cls((None,), no_child, no_child, np.array([label], dtype=np.int64))

    @classmethod
    def branch(cls, test: Test, left: Tree, right: Tree) -> Self:
        """Return the tree that asks ``test`` and goes on with ``left`` if it holds."""
        n_left = left.n_nodes
        root_left, root_right = np.array([1]), np.array([1 + n_left])
        return cls(
            (test, *left.tests, *right.tests),
            np.concatenate([root_left, _shift(left.left, 1), _shift(right.left, 1 + n_left)]),
            np.concatenate([root_right, _shift(left.right, 1), _shift(right.right, 1 + n_left)]),
            np.concatenate([np.array([-1]), left.label, right.label]),
        )

    @classmethod
    def preorder(cls, tests: Sequence[Test | None], labels: Sequence[int]) -> Self:
        """Return the tree whose nodes come in preorder, in time linear in their number.

        Parameters
        ----------
        tests : sequence of Test or None
            None at leaves.
        labels : sequence of int
            Class code of each leaf; what stands at branches is ignored.
        """
        n = len(tests)
        left, right = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        label, waiting = np.full(n, -1, dtype=np.int64), list[int]()
        for node, test in enumerate(tests):
            if node and tests[node - 1] is None:  # a subtree ended: this is its right sibling
                right[waiting.pop()] = node
            if test is None:
                label[node] = labels[node]
            else:
                left[node] = node + 1
                waiting.append(node)
        return cls(tuple(tests), left, right, label)

    def subtree(self, node: int) -> Tree:
        """Return the tree below ``node``, without counts."""
        test = self.tests[node]
        if test is None:
            return Tree.leaf(int(self.label[node]))
        left, right = int(self.left[node]), int(self.right[node])
        return Tree.branch(test, self.subtree(left), self.subtree(right))

    def with_subtree(self, node: int, subtree: Tree) -> Tree:
        """Return a tree like this one but with ``subtree`` in the place of ``node``."""
        return self._with_subtree(0, node, subtree)

    def _with_subtree(self, here: int, node: int, subtree: Tree) -> Tree:
        if here == node:
            return subtree
        test = self.tests[here]
        if test is None:
            return Tree.leaf(int(self.label[here]))
        left, right = int(self.left[here]), int(self.right[here])
        if node >= right:  # preorder: nodes from `right` on are not below `left`
            return Tree.branch(test, self.subtree(left), self._with_subtree(right, node, subtree))
        return Tree.branch(test, self._with_subtree(left, node, subtree), self.subtree(right))

    def fitted(self, dataset: Dataset) -> Self:
        """Return this tree with what ``dataset`` says about it: counts, gaps, means and names."""
        y, weight, n_classes = dataset.y, dataset.sample_weight, dataset.n_classes
        counts, gaps = np.zeros((self.n_nodes, n_classes)), np.full((self.n_nodes, 2), np.nan)
        for node, rows in self._visits(dataset.X):
            counts[node] = np.bincount(y[rows], weight[rows], n_classes)
            test = self.tests[node]
            if test is not None and test.threshold is not None:
                column = dataset.X[rows, test.feature]
                gaps[node] = _gap(column[column != GAP], test.threshold)
        values = None if dataset.targets is None else node_means(self, dataset, dataset.targets)
        return replace(self, counts=counts, schema=dataset.schema, gaps=gaps, values=values)

    def collapsed(self, X: NDArray[np.float64], *, twins: bool = True) -> Tree:
        """Return the tree without branches that separate no rows of ``X`` or whose leaves agree.

        No measure ever grows by this. Predictions on the rows of ``X`` stay the same.

        Parameters
        ----------
        X : ndarray of float64, shape (n, p)
            Encoded rows.
        twins : bool, default True
            Join two leaves of one label.
        """
        tests: list[Test | None] = []
        labels: list[int] = []
        self._collapse(0, X, np.arange(len(X)), tests, labels, twins)
        return Tree.preorder(tests, labels)

    def _collapse(
        self,
        node: int,
        X: NDArray[np.float64],
        rows: NDArray[np.intp],
        tests: list[Test | None],
        labels: list[int],
        twins: bool,
    ) -> None:
        """Append the nodes that are left of a subtree, in preorder."""
        test, here = self.tests[node], len(tests)
        left, right = int(self.left[node]), int(self.right[node])
        yes = None if test is None else test.holds(X, rows)
        if yes is not None and len(rows) and yes.all():
            return self._collapse(left, X, rows, tests, labels, twins)
        if yes is not None and len(rows) and not yes.any():
            return self._collapse(right, X, rows, tests, labels, twins)
        tests.append(test)
        labels.append(int(self.label[node]))
        if yes is None:
            return None
        self._collapse(left, X, rows[yes], tests, labels, twins)
        self._collapse(right, X, rows[~yes], tests, labels, twins)
        if twins and len(tests) == here + 3 and labels[-1] == labels[-2]:  # two leaves that agree
            tests[here:], labels[here:] = [None], labels[-1:]
        return None

    # ---- shape ----------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of branches and leaves."""
        return len(self.tests)

    @property
    def n_branches(self) -> int:
        """Number of tests in the tree."""
        return self.n_nodes // 2

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.n_nodes - self.n_branches

    @cached_property
    def node_depth(self) -> NDArray[np.int64]:
        """Number of tests above each node, shape (n_nodes,)."""
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        for node, test in enumerate(self.tests):
            if test is not None:
                depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return depth

    @property
    def depth(self) -> int:
        """Most tests on a path from the root to a leaf; 0 for a lone leaf."""
        return int(self.node_depth.max())

    @property
    def features(self) -> frozenset[int]:
        """Features that some branch tests."""
        return frozenset(test.feature for test in self.tests if test is not None)

    # ---- prediction -----------------------------------------------------------------------

    def apply(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaf that each encoded row of ``X``, shape (n, p), ends in."""
        leaf = np.zeros(len(X), dtype=np.int64)
        for node, rows in self._visits(X):
            if self.tests[node] is None:
                leaf[rows] = node
        return leaf

    def _visits(self, X: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Yield each node with the rows that visit it, in preorder."""
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            node, rows = waiting.pop()
            yield node, rows
            test = self.tests[node]
            if test is not None:
                yes = test.holds(X, rows)
                waiting.append((int(self.right[node]), rows[~yes]))
                waiting.append((int(self.left[node]), rows[yes]))

    def predict_codes(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class codes predicted for encoded rows, shape (n,)."""
        return self.label[self.apply(X)]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels, or means, predicted for ``X``, an array or table of shape (n, p)."""
        return self.outcomes[self.apply(self._fitted_schema().matrix(X))]

    @cached_property
    def outcomes(self) -> NDArray[Any]:
        """What each node predicts, shape (n_nodes,): a label or mean; not defined at branches."""
        if self.values is not None:
            return self.values
        return self._fitted_schema().labels(self.label)

    def outcome(self, node: int) -> Any:
        """Return what a leaf predicts: a label or mean; the class code where there are no names."""
        if self.values is not None:
            return float(self.values[node])
        code = int(self.label[node])
        return code if self.schema is None else self.schema.classes[code]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class shares of the training weight in each row's leaf, shape (n, K).

        Raises
        ------
        DataError
            For a regression tree.
        """
        schema = self._fitted_schema()
        return self.class_shares[self.apply(schema.matrix(X))]

    @cached_property
    def class_shares(self) -> NDArray[np.float64]:
        """Class shares of the training weight at each node, shape (n_nodes, K).

        A leaf that no training example reaches gives its own label the whole share.
        """
        self._fitted_schema()
        if self.values is not None:
            raise DataError("A regression tree has no classes, and so no shares: see its values.")
        assert self.counts is not None
        total = self.counts.sum(axis=1, keepdims=True)
        own = np.arange(self.counts.shape[1]) == self.label[:, None]
        return np.where(total > 0, self.counts, own) / np.where(total > 0, total, 1.0)

    def decision_path(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which nodes each encoded row visits, shape (n, n_nodes)."""
        reached = np.zeros((len(X), self.n_nodes), dtype=bool)
        for node, rows in self._visits(X):
            reached[rows, node] = True
        return reached

    def explain(self, x: Any) -> tuple[str, ...]:
        """Return why one row ``x``, shape (p,), gets its class: one condition for each feature.

        All tests of a feature on the path are merged into one interval or set, such as
        ``2.45 < petal length <= 4.75``, in the order of first use; the class comes last. The
        number of conditions is the row's explanation size.
        """
        from odt.model.explanation import explanation

        schema = self._fitted_schema()
        row = schema.matrix(x if is_table(x) else np.asarray(x).reshape(1, -1))
        return explanation(self, schema, row[0])

    def _fitted_schema(self) -> Schema:
        if self.schema is None:
            raise DataError("This tree has no names yet: call tree.fitted(dataset) first.")
        return self.schema

    # ---- measures -------------------------------------------------------------------------

    def amounts(self, dataset: Dataset) -> Amounts:
        """Return all measures of the tree on ``dataset`` as exact integers.

        Nothing here trusts a solver: only the tree and the raw rows are used. Leaves of a
        regression tree predict their `values`; without any, the mean of the rows of ``dataset``.
        """
        leaf_of = self.apply(dataset.X)
        if dataset.targets is None:
            errors = int(dataset.weights[self.label[leaf_of] != dataset.y].sum())
        else:
            errors = squared_errors(self, dataset.targets, leaf_of)
        cost, distinct = self._path_totals(dataset.cost_units.tolist())
        weight = np.zeros(self.n_nodes, dtype=np.int64)
        np.add.at(weight, leaf_of, dataset.weights)
        return Amounts(
            errors=errors,
            nodes=self.n_nodes,
            depth=self.depth,
            tests=sum(w * c for w, c in zip(weight.tolist(), cost, strict=True)),
            explanation=sum(w * f for w, f in zip(weight.tolist(), distinct, strict=True)),
            worst=max(distinct[node] for node in np.flatnonzero(weight).tolist()),
        )

    def measures(self, dataset: Dataset) -> dict[str, float]:
        """Return the six measures on ``dataset`` in their public units (see `odt.Objective`)."""
        amounts, measures = self.amounts(dataset), [m for m in Measure if m.suits(dataset)]
        return {measure.value: measure.of(amounts, dataset) for measure in measures}

    def _path_totals(self, cost_units: list[int]) -> tuple[list[int], list[int]]:
        """Test cost and number of distinct features on the path to each node."""
        cost = [0] * self.n_nodes
        features: list[frozenset[int]] = [frozenset()] * self.n_nodes
        for node, test in enumerate(self.tests):
            if test is None:
                continue
            for child in (int(self.left[node]), int(self.right[node])):
                cost[child] = cost[node] + cost_units[test.feature]
                features[child] = features[node] | {test.feature}
        return cost, [len(f) for f in features]

    # ---- storage and text -----------------------------------------------------------------

    def to_json(self) -> str:
        """Return the tree as JSON text; `from_json` reads it back without loss."""
        from odt.model.text import to_dict

        return json.dumps(to_dict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Tree:
        """Read a tree written by `to_json`; bytes are UTF-8.

        Nothing in the text is run or trusted: what does not fit together is refused, and so is
        what is longer than 256 MiB.

        Raises
        ------
        DataError
            If the text is nothing of the kind.
        """
        from odt.model.text import MOST_LETTERS, from_dict

        if len(text) > MOST_LETTERS:
            raise DataError(f"The text is longer than {MOST_LETTERS} letters, the most of a tree.")
        try:
            return from_dict(json.loads(text))
        except DataError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError,
                ProblemError) as error:  # fmt: skip
            raise DataError(f"This is no tree written by to_json: {error!r}.") from None

    def to_text(self) -> str:
        """Return the tree as indented text with the original names."""
        from odt.model.text import to_text

        return to_text(self)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from odt.model.picture.svg import tree_html

        return tree_html(self)

    def __repr__(self) -> str:
        return f"Tree({self.n_nodes} nodes, depth {self.depth}, {len(self.features)} features)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self.tests == other.tests and bool((self.label == other.label).all())

    def __hash__(self) -> int:
        return hash((self.tests, self.label.tobytes()))


def _gap(values: NDArray[np.float64], threshold: float) -> tuple[float, float]:
    """The values next to a threshold, below and above; NaN where there are none."""
    yes = values <= threshold
    low = values[yes].max() if yes.any() else np.nan
    return low, np.nan if yes.all() else values[~yes].min()


def _shift(children: NDArray[np.int64], by: int) -> NDArray[np.int64]:
    return np.where(children < 0, -1, children + by)
