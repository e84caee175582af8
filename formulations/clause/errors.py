"""Misclassified weight in the clause model.

A group u of equal examples pays for its examples of other classes than the one predicted. With
m_u the weight of its largest class, sum_u (w_u - m_u) is paid by every tree and pulled out as a
constant (E0). What is left:

* one class, or two in all: ``miss[u]``, if the prediction is not the largest class of the group;
* several classes: exactly one of ``as[u, k]`` for the classes in the group and ``none[u]``.

For each leaf n of label c:  reach[n, u] and not split[n] and not miss[u]  ->  c[n] = k_u.
A limit on the errors of class k adds ``wrong_k[u]`` for the groups with examples of that class:
reach[n, u] and not split[n] and not c[n] = k  ->  wrong_k[u].
Without ``merged_errors`` each class of a group counts by itself, which is weaker (an ablation).
"""

from __future__ import annotations

import numpy as np

from formulations.clause.variables import ClauseVariables
from formulations.program.base import Expression, Ints, Values
from formulations.program.clauses import ClauseIR
from formulations.tree.positions import Flow
from odt.model.compiled import Compiled


class ClauseErrors:
    """Adds the variables and clauses of the misclassified weight.

    Parameters
    ----------
    program : ClauseIR
    compiled : Compiled
    v : ClauseVariables
    merged : bool

    Attributes
    ----------
    terms : Expression
    """

    def __init__(
        self, program: ClauseIR, compiled: Compiled, v: ClauseVariables, merged: bool
    ) -> None:
        self._program, self._weights, self._variables = program, compiled.weights, v
        n_classes = compiled.weights.shape[1]
        present = (compiled.weights > 0).sum(axis=1)
        mixed = (present > 1) & (n_classes > 2) if merged else np.zeros(len(present), dtype=bool)
        if merged:
            group, best = np.arange(len(present)), compiled.weights.argmax(axis=1)
            second = compiled.weights.min(axis=1) if n_classes == 2 else np.zeros_like(best)
            price = compiled.weights.max(axis=1) - second
        else:
            group, best = np.nonzero(compiled.weights)
            price = compiled.weights[group, best]
        single = ~mixed[group] & (price > 0)
        self._group, self._best = group[single], best[single]
        self._miss = self._pure()
        parts = [Expression.of(self._miss, price[single], compiled.base_errors if merged else 0)]
        self._choices = [self._mixed(int(u)) for u in np.flatnonzero(mixed)]
        for u, _, choice in self._choices:
            most, here = int(compiled.weights[u].max()), compiled.weights[u]
            parts.append(Expression.of(choice, [*(most - here[here > 0]), most]))
        self.terms = Expression.total((1, part) for part in parts)
        self._limited: list[tuple[int, Ints, Ints]] = []

    def limit(self, limits: tuple[int, ...]) -> None:
        """Demand that no more weight of each class is misclassified than its limit."""
        for k, limit in enumerate(limits):
            groups = np.flatnonzero(self._weights[:, k])
            if self._weights[:, k].sum() <= limit:
                continue
            wrong = self._program.variables(f"wrong_{k}", len(groups))
            for position in range(1, len(self._variables.reach)):
                right = np.full(len(groups), self._variables.is_class[position, k])
                self._leaf_clauses(position, groups, [right, wrong])
            self._program.row(Expression.of(wrong, self._weights[groups, k]), upper=limit)
            self._limited.append((k, groups, wrong))

    def assign(self, values: Values, flow: Flow) -> None:
        """Fill in the values of the variables added here."""
        leaf_of = (flow.reach & (flow.label >= 0)[:, None]).argmax(axis=0)
        predicted = flow.label[leaf_of]
        values[self._miss] = predicted[self._group] != self._best
        for u, classes, choice in self._choices:
            values[choice[:-1]] = classes == predicted[u]
            values[choice[-1]] = predicted[u] not in classes
        for k, groups, wrong in self._limited:
            values[wrong] = predicted[groups] != k

    def _pure(self) -> Ints:
        miss = self._program.variables("miss", len(self._group))
        for position in range(1, len(self._variables.reach)):
            right = self._variables.is_class[position, self._best]
            self._leaf_clauses(position, self._group, [right, miss])
        return miss

    def _mixed(self, u: int) -> tuple[int, Ints, Ints]:
        classes = np.flatnonzero(self._weights[u])
        choice = self._program.variables(f"as_{u}", len(classes) + 1)
        self._program.exactly_one(choice)
        for position in range(1, len(self._variables.reach)):
            right = self._variables.is_class[position, classes]
            self._leaf_clauses(position, np.full(len(classes), u), [right, ~choice[:-1]])
        return u, classes, choice

    def _leaf_clauses(self, position: int, groups: Ints, literals: list[Ints]) -> None:
        """One of ``literals`` holds if ``position`` is a leaf that the group reaches."""
        columns = [~self._variables.reach[position, groups], *literals]
        if position < len(self._variables.split):
            columns.append(np.full(len(groups), self._variables.split[position]))
        self._program.clauses(np.stack(columns, axis=1))
