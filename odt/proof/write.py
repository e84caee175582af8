"""Write what a search has proved as a file in the format of docs/proofs.md."""

from __future__ import annotations

import gzip
import hashlib
import json
from fractions import Fraction
from typing import Any

from odt.data.units import as_fraction
from odt.model.problem import Problem
from odt.model.testset import Test
from odt.model.tree import Tree
from odt.proof.search import Chain, Cited, Key, Search, View

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
    needed: dict[Key, list[Cited]] = {}
    waiting = list(roots)
    while waiting:
        key = waiting.pop()
        if key not in needed:
            needed[key] = _needed(search, key)
            waiting += [side.state for side in needed[key] if side.state is not None]
    states = sorted(needed, key=lambda key: -key.depth)
    number = {key: i for i, key in enumerate(states)}
    return [_line(search, key, needed[key], number) for key in states], number


def _needed(search: Search, key: Key) -> list[Cited]:
    """Return the sides that the bound of a state rests on; the search has seen more."""
    entry, view = search.memo[key], View(search.instance, key)
    by_chain: dict[int, list[Cited]] = {}
    for side in entry.cited:
        by_chain.setdefault(side.chain, []).append(side)
    kept: list[Cited] = []
    for g, sides in by_chain.items():
        for side in list(sides):
            others = [other for other in sides if other is not side]
            if _suffice(Chain(view, g), others, entry.bound):
                sides = others
        kept += sides
    return kept


def _suffice(chain: Chain, sides: list[Cited], bound: int) -> bool:
    for side in sides:
        chain.learn(side.position, side.to_right, side.bound)
    return chain.open_run(bound) is None


def _line(search: Search, key: Key, cited: list[Cited], number: dict[Key, int]) -> str:
    view, instance = View(search.instance, key), search.instance
    places: dict[int, dict[bool, list[str]]] = {}
    for side in cited:
        line = "" if side.state is None else f"={number[side.state]}"
        cut = view.sorted[side.chain, side.position]
        places.setdefault(side.chain, {}).setdefault(side.to_right, []).append(f"{cut}{line}")
    chains = [
        f"{g}" + "".join(f"{'<>'[right]}{','.join(cuts)}" for right, cuts in sides.items())
        for g, sides in sorted(places.items())
    ]
    new = "-" if key.new == instance.any_features else str(key.new)
    bound = _number(search.memo[key].bound, instance.infinite)
    return " ".join([str(key.depth), str(bound), f"{key.used:x}", new, *chains])
