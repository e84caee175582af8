"""Trees of other packages for optimal trees, so that they can be evaluated, verified, started from.

Nothing is imported from the packages: what is read are the attributes of their fitted models. The
leaves keep the labels of the package, whatever a leaf's majority is, and thresholds stay as they
are; `odt.Problem.violations` takes a test that splits the rows as a candidate does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from odt.data.dataset import Dataset
from odt.errors import DataError
from odt.model.testset import Test
from odt.model.tree import Tree


def from_pycontree(model: Any, dataset: Dataset, *, classes: Sequence[Any] | None = None) -> Tree:
    """Return the tree of a fitted ``pycontree.ConTree``, with the counts of ``dataset``.

    Parameters
    ----------
    model : ConTree
    dataset : Dataset
        With the columns that the model was fitted on, all numeric, in the same order.
    classes : sequence, optional
        The label that each of the model's class numbers stands for, such as ``dataset.classes``
        for a model that was fitted on ``dataset.y``. By default the labels are the numbers.

    Raises
    ------
    DataError
        If features or labels do not fit.
    """
    labels = _Labels.of(dataset, classes)

    def build(node: Any) -> Tree:
        if node.is_leaf_node():
            return Tree.leaf(labels.code(node.get_label()))
        feature = _numeric(dataset, node.get_split_feature())
        test = Test(feature, threshold=node.get_split_threshold())
        return Tree.branch(test, build(node.get_left()), build(node.get_right()))

    return build(model.get_tree()).fitted(dataset)


def from_pystreed(model: Any, dataset: Dataset, *, classes: Sequence[Any] | None = None) -> Tree:
    """Return the tree of a fitted ``pystreed.STreeDClassifier``, with the counts of ``dataset``.

    Parameters
    ----------
    model : STreeDClassifier
        What its own binarizer made of numbers and categories becomes tests of the raw columns.
    dataset : Dataset
        With the columns that the model was fitted on, in the same order or by name.
    classes : sequence, optional
        As for `from_pycontree`.

    Raises
    ------
    DataError
        If features or labels do not fit, or the model chose among its binary features
        (``max_num_binary_features``) of an array, which loses their numbers.
    """
    labels, columns = _Labels.of(dataset, classes), _streed_columns(model.binarizer_, dataset)

    def build(node: Any) -> Tree:
        if node.is_leaf_node():
            return Tree.leaf(labels.code(node.label))
        zero, one = build(node.left_child), build(node.right_child)
        return _at(columns, node.feature).branch(one, zero)

    return build(model.get_tree()).fitted(dataset)


def from_pydl85(
    tree: Any,
    dataset: Dataset,
    *,
    columns: Sequence[Test] | None = None,
    classes: Sequence[Any] | None = None,
) -> Tree:
    """Return the tree of a fitted ``pydl85.DL85Classifier``, with the counts of ``dataset``.

    Parameters
    ----------
    tree : DL85Classifier or mapping
        The model or its ``tree_``.
    dataset : Dataset
        With the binary columns that the model was fitted on, or the raw ones behind them.
    columns : sequence of Test, optional
        For each binary column of the model the test that holds where it is 1. By default the
        columns of ``dataset`` are the binary ones.
    classes : sequence, optional
        As for `from_pycontree`.

    Raises
    ------
    DataError
        If there is no tree, or features or labels do not fit.
    """
    return _from_mapping(
        tree if isinstance(tree, Mapping) else tree.tree_,
        _Keys("feat", "left", "right", "value"),
        _given(columns, dataset),
        _Labels.of(dataset, classes),
    ).fitted(dataset)


def from_gosdt(
    model: Any,
    dataset: Dataset,
    *,
    columns: Sequence[Test] | None = None,
    classes: Sequence[Any] | None = None,
    number: int = 0,
) -> Tree:
    """Return a tree that GOSDT found, with the counts of ``dataset``.

    Parameters
    ----------
    model : GOSDTClassifier or str
        The model, or the JSON text of its ``result_.model``: a list of trees.
    dataset : Dataset
        With the binary columns that the model was fitted on, or the raw ones behind them.
    columns : sequence of Test, optional
        As for `from_pydl85`.
    classes : sequence, optional
        The labels of the class numbers; by default those of the model, and for a text those of
        ``dataset``, which are sorted as GOSDT's are.
    number : int, default 0
        Which tree of the list.

    Raises
    ------
    DataError
        If there is no such tree, or features or labels do not fit.
    """
    if isinstance(model, str):
        text, classes = model, dataset.classes if classes is None else classes
    else:
        text, classes = model.result_.model, model.classes_ if classes is None else classes
    try:
        tree = json.loads(text)[number]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise DataError(
            f"Expected JSON text with a list of more than {number} trees. Got {error!r}."
        ) from None
    keys = _Keys("feature", "true", "false", "prediction")
    return _from_mapping(
        tree, keys, _given(columns, dataset), _Labels.of(dataset, list(classes))
    ).fitted(dataset)


def from_mapping(
    tree: Mapping[str, Any],
    dataset: Dataset,
    *,
    columns: Sequence[Test] | None = None,
    classes: Sequence[Any] | None = None,
) -> Tree:
    """Return a tree that some program wrote as nested mappings, with the counts of ``dataset``.

    Parameters
    ----------
    tree : mapping
        A leaf has a ``label``. A branch has ``yes`` and ``no``, the trees of the rows that answer
        so, and asks whether ``feature`` is at most ``threshold``; or, without a threshold,
        whether the binary column ``feature`` is 1.
    dataset : Dataset
        With the columns that the tree is about, in the same order.
    columns : sequence of Test, optional
        As for `from_pydl85`; for branches without a threshold.
    classes : sequence, optional
        As for `from_pycontree`.

    Raises
    ------
    DataError
        If a node lacks something, or features or labels do not fit.
    """
    labels = _Labels.of(dataset, classes)

    def build(node: Any) -> Tree:
        if not isinstance(node, Mapping) or not ("label" in node or "feature" in node):
            raise DataError(f"Expected a node with 'label' or 'feature'. Got {node!r}.")
        if "label" in node:
            return Tree.leaf(labels.code(node["label"]))
        missing = {"yes", "no"} - set(node)
        if missing:
            raise DataError(f"A node lacks {', '.join(sorted(missing))}: {node!r}.")
        yes, no = build(node["yes"]), build(node["no"])
        if "threshold" not in node:
            return _at(_given(columns, dataset), node["feature"]).branch(yes, no)
        test = Test(_numeric(dataset, node["feature"]), threshold=node["threshold"])
        return Tree.branch(test, yes, no)

    return build(tree).fitted(dataset)


class _Column(NamedTuple):
    """A binary column: the test that holds where it is 1, or, if not ``one_is_yes``, where 0."""

    test: Test
    one_is_yes: bool

    def branch(self, one: Tree, zero: Tree) -> Tree:
        return Tree.branch(self.test, *((one, zero) if self.one_is_yes else (zero, one)))


class _Keys(NamedTuple):
    """What a package calls the parts of a stored tree."""

    column: str
    one: str
    zero: str
    label: str


class _Labels(NamedTuple):
    """From the package's labels to class codes."""

    dataset: Dataset
    classes: Sequence[Any] | None

    @classmethod
    def of(cls, dataset: Dataset, classes: Sequence[Any] | None) -> _Labels:
        unknown = [label for label in classes or () if label not in dataset.classes]
        if unknown:
            raise DataError(f"The dataset lacks the model's classes {unknown}.")
        return cls(dataset, classes)

    def code(self, label: Any) -> int:
        if self.classes is not None:
            if not (isinstance(label, int | float) and 0 <= label < len(self.classes)):
                raise DataError(f"A leaf has the class number {label!r}; {self.classes} are known.")
            label = self.classes[int(label)]
        if label not in self.dataset.classes:
            raise DataError(
                f"A leaf has the label {label!r}; the dataset has {self.dataset.classes}. Say "
                "which labels the class numbers are, such as classes=dataset.classes."
            )
        return self.dataset.classes.index(label)


def _from_mapping(tree: Any, keys: _Keys, columns: Sequence[_Column], labels: _Labels) -> Tree:
    if not isinstance(tree, Mapping) or not (keys.column in tree or keys.label in tree):
        raise DataError(f"Expected a node with {keys.column!r} or {keys.label!r}. Got {tree!r}.")
    if keys.label in tree:
        return Tree.leaf(labels.code(tree[keys.label]))
    missing = {keys.one, keys.zero} - set(tree)
    if missing:
        raise DataError(f"A node lacks {', '.join(sorted(missing))}: {tree!r}.")
    one, zero = (_from_mapping(tree[key], keys, columns, labels) for key in (keys.one, keys.zero))
    return _at(columns, tree[keys.column]).branch(one, zero)


def _at(columns: Sequence[_Column], number: Any) -> _Column:
    if not isinstance(number, int) or not 0 <= number < len(columns):
        raise DataError(
            f"A node asks for the binary column {number!r}; {len(columns)} are known. Say what "
            "they mean with columns=..., one test for each."
        )
    return columns[number]


def _given(columns: Sequence[Test] | None, dataset: Dataset) -> list[_Column]:
    if columns is not None:
        return [_Column(test, True) for test in columns]
    return [_binary(dataset, j) for j in range(dataset.n_features)]


def _binary(dataset: Dataset, j: int) -> _Column:
    """Return what a column of 0 and 1 or of booleans asks."""
    if dataset.kinds[j] == "categorical":
        known = dataset.schema.categories[j]
        if set(known) <= {False, True}:  # also 0 and 1 read as categories
            return _Column(Test(j, categories=tuple(known.index(v) for v in known if v)), True)
    elif set(dataset.X[:, j].tolist()) <= {0.0, 1.0}:
        return _Column(Test(j, threshold=0.5), False)
    raise DataError(
        f"Column {dataset.feature_names[j]!r} is not of 0 and 1. Say which tests the model's "
        "binary columns are with columns=..., one test for each."
    )


def _numeric(dataset: Dataset, j: int) -> int:
    if not 0 <= j < dataset.n_features or dataset.kinds[j] == "categorical":
        raise DataError(f"The model compares column {j}, which the dataset has not as a number.")
    return j


def _streed_columns(binarizer: Any, dataset: Dataset) -> list[_Column]:
    """Return the binary columns of STreeD's binarizer: binary, categorical, continuous ones."""
    if binarizer.binary_feature_limiter is not None:
        raise DataError(
            "The model kept some of its binary features (max_num_binary_features), and not which. "
            "Fit it on binary columns that you chose."
        )

    def position(name: Any) -> int:
        if isinstance(name, str) and name in dataset.feature_names:
            return dataset.feature_names.index(name)
        if isinstance(name, int) and 0 <= name < dataset.n_features:
            return name
        raise DataError(f"The dataset lacks the model's column {name!r}.")

    def codes(j: int, values: Any) -> _Column:
        known = dataset.schema.categories[j]
        wanted = values if isinstance(values, list) else [values]
        return _Column(
            Test(j, categories=tuple(known.index(v) for v in wanted if v in known)), True
        )

    binary = [_binary(dataset, position(name)) for name in binarizer.binary_columns]
    categorical = (
        codes(position(name), values)
        for name, several in zip(
            binarizer.categorical_columns,
            getattr(binarizer.categorical_binarizer, "categories_", ()),
            strict=True,
        )
        for values in several
    )
    continuous = (
        _Column(Test(_numeric(dataset, position(name)), threshold=float(cut)), True)
        for name, cuts in zip(
            binarizer.continuous_columns,
            getattr(binarizer.continuous_binarizer, "thresholds_", ()),
            strict=True,
        )
        for cut in cuts
    )
    return list(chain(binary, categorical, continuous))
