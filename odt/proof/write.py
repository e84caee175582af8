"""Write what a search has proved as a file in the format of docs/proofs.md."""

from __future__ import annotations

import gzip
import hashlib
import json
from fractions import Fraction
from itertools import compress, groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from odt.data.units import as_fraction
from odt.model.problem import Problem
from odt.model.testset import Test
from odt.model.tree import Tree
from odt.proof.kernel import needed
from odt.proof.search import Key, Search

FORMAT = "odt-proof 1"
Case = tuple[int, int | None, Key | None]
"""Tests on a path, distinct features on it (None: any), and the state that settles the case."""


def content(
    problem: Problem, tree: Tree | None, bound: int, search: Search, cases: list[Case]
) -> bytes:
    """Return a proof that no tree costs less than ``bound``.

    Parameters
    ----------
    problem : Problem
    tree : Tree or None
        The tree that is compared with the bound.
    bound : int
        At least ``search.instance.infinite`` if there is no tree.
    search : Search
        Has proved what the cases need.
    cases : list of Case
    """
    lines, number = _lines(search, [state for *_, state in cases if state is not None])
    rows = _rows(problem)
    header = {
        **_data(problem, rows),
        **_question(problem),
        "tree": None if tree is None else _nodes(tree),
        "cost": None if tree is None else problem.cost(tree),
        "bound": _number(bound, search.instance.infinite),
        "cases": [[d, w, number[state]] for d, w, state in cases if state is not None],
    }
    text = "\n".join([FORMAT, json.dumps(header), *rows, *lines]) + "\n"
    return gzip.compress(text.encode("ascii"), mtime=0)


def _rows(problem: Problem) -> list[str]:
    data = problem.dataset
    return [
        f"{y} {w} {' '.join(map(_text, x))}".rstrip()
        for y, w, x in zip(data.y.tolist(), data.weights.tolist(), data.X.tolist(), strict=True)
    ]


def _data(problem: Problem, rows: list[str]) -> dict[str, Any]:
    data = problem.dataset
    return {
        "n_rows": len(rows),
        "digest": hashlib.sha256("\n".join(rows).encode()).hexdigest(),
        "features": list(map(str, data.feature_names)),
        "kinds": list(data.kinds),
        "gaps": [
            _text(float(data.gap(f))) if data.learns_gaps(f) else None
            for f in range(data.n_features)
        ],
        "n_classes": data.n_classes,
        "classes": list(map(str, data.classes)),
        "weight_unit": str(data.weight_unit),
        "test_costs": data.cost_units.tolist(),
        "cost_unit": str(data.cost_unit),
    }


def _question(problem: Problem) -> dict[str, Any]:
    shape, tests = problem.shape, problem.tests
    given = None if tests is None or tests.complete else [_asked(t) for t in tests]
    return {
        "objective": [[[m.value, str(c)] for m, c in level] for level in problem.objective.levels],
        "radices": list(problem.costs.radices),
        "limits": {
            "max_depth": None if shape.max_depth is None else int(shape.max_depth),
            "max_nodes": problem.limits.nodes,
            "max_features": None if shape.max_features is None else int(shape.max_features),
            "max_error": _share(shape.max_error),
            "min_samples_leaf": int(shape.min_samples_leaf),
            "min_weight_leaf": str(as_fraction(float(shape.min_weight_leaf))),
        },
        "tests": given,
    }


def _share(number: float | None) -> str | None:
    return None if number is None else str(Fraction(as_fraction(float(number))))


def _asked(test: Test) -> list[Any]:
    if test.threshold is None:
        return [test.feature, list(test.categories or ())]
    return [test.feature, test.threshold, *([True] if test.missing_left else [])]


def _nodes(tree: Tree) -> list[Any]:
    return [
        int(label) if test is None else _asked(test)
        for test, label in zip(tree.tests, tree.label, strict=True)
    ]


def _text(value: float) -> str:
    return repr(value).removesuffix(".0")


def _number(bound: int, infinite: int) -> int | str:
    return "inf" if bound >= infinite else bound


# ---- the table ----------------------------------------------------------------------------


def _lines(search: Search, roots: list[Key]) -> tuple[list[str], dict[Key, int]]:
    """Return the lines that the roots rest on, a state before those it cites."""
    needed_by: dict[Key, list[Place]] = {}
    waiting = list(roots)
    while waiting:
        key = waiting.pop()
        if key not in needed_by:
            needed_by[key] = _places(search, key)
            waiting += [place.state for place in needed_by[key] if place.state is not None]
    states = sorted(needed_by, key=lambda key: -key.depth)
    number = {key: i for i, key in enumerate(states)}
    return [_line(search, key, needed_by[key], number) for key in states], number


class Place(NamedTuple):
    """A side that a line cites: chain, the sign of the side, number of the test, its state."""

    chain: int
    sign: str
    cut: int
    state: Key | None


def _places(search: Search, key: Key) -> list[Place]:
    """Return the sides that the bound of a state rests on; the search has seen more."""
    entry, kept = search.memo[key], []
    if not entry.cited:
        return []
    view, by_chain = search.view(key), attrgetter("chain")
    for g, group in groupby(sorted(entry.cited, key=by_chain), by_chain):
        cited = list(group)
        if search.instance.type is np.int64:
            table = np.array([(g, side.position, side.side, side.bound) for side in cited])
            is_needed = needed(
                view.sides.known[:, g], view.sides.mass[:, g], view.groups.is_split[g], table,
                entry.bound - int(view.prices[g]), *view.rules,
            )  # fmt: skip
            cited = list(compress(cited, is_needed.tolist()))
        cuts = view.sorted[g]
        kept += [Place(g, "<>"[side.side], int(cuts[side.position]), side.state) for side in cited]
    return sorted(kept, key=attrgetter("chain", "sign"))


def _line(search: Search, key: Key, places: list[Place], number: dict[Key, int]) -> str:
    chains = []
    for g, of_chain in groupby(places, attrgetter("chain")):
        text = str(g)
        for sign, of_side in groupby(of_chain, attrgetter("sign")):
            text += sign + ",".join(
                str(p.cut) if p.state is None else f"{p.cut}={number[p.state]}" for p in of_side
            )
        chains.append(text)
    instance = search.instance
    new = "-" if key.new == instance.any_features else str(key.new)
    bound = _number(search.memo[key].bound, instance.infinite)
    return " ".join([str(key.depth), str(bound), f"{key.used:x}", new, *chains])
