"""Generators by name, such as ``"cart_leaves(16)"`` or the paper's ``"DPDT-2..."``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from odt.errors import ProblemError
from odt.generators.cart import CartDepth, CartLeaves
from odt.generators.cuts import Quantiles, TopCuts
from odt.generators.mdl import MdlCuts
from odt.generators.schedule import Schedule, Union
from odt.mdp.generator import AllTests, CompiledGenerator, TestGenerator

GENERATORS: Mapping[str, Callable[..., TestGenerator]] = {
    "all": AllTests,
    "cart_depth": CartDepth,
    "cart_leaves": CartLeaves,
    "top": TopCuts,
    "quantiles": Quantiles,
    "mdl": MdlCuts,
}
_PAPER = re.compile(r"^DPDT-(?P<k>\d+)(?P<plus>\+1)?(?P<dots>\.{2,3})?$")
_DEEP = 6


def make_generator(generator: str | TestGenerator) -> TestGenerator:
    """Return a generator from its name; anything callable is returned as it is.

    Parameters
    ----------
    generator : str or callable
        ``"name"`` or ``"name(arguments)"`` with a name of `GENERATORS`; ``"a + b"`` for the tests
        of both (`Union`), ``"a, b"`` for one a level (`Schedule`); or a name of the paper:
        ``"DPDT-K"`` is `CartDepth` K without the exhaustive last level; ``"DPDT-K..."`` uses it
        at depths 0 to 5 and CART's own choice below; ``"DPDT-K+1..."`` at depths 0 to 6.

    Raises
    ------
    ProblemError
        If there is no such generator or its arguments are wrong.
    """
    if not isinstance(generator, str):
        return generator
    paper = _PAPER.match(generator)
    if paper:
        return _of_the_paper(int(paper["k"]), bool(paper["plus"]), bool(paper["dots"]))
    try:
        return _parse(ast.parse(generator, mode="eval").body)
    except (KeyError, SyntaxError, TypeError, ValueError) as error:
        raise ProblemError(
            f"There is no generator {generator!r}. Known: {', '.join(GENERATORS)} (with "
            "arguments in brackets, such as 'cart_leaves(16)'), sums of them for several at once, "
            "lists of them with commas for one a level, 'DPDT-4', 'DPDT-2...'."
        ) from error


def _parse(node: ast.expr) -> TestGenerator:
    if isinstance(node, ast.Name):
        return GENERATORS[node.id]()
    if isinstance(node, ast.Tuple):
        return Schedule(tuple(_compiled(part) for part in node.elts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return Union((_compiled(node.left), _compiled(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        arguments = [ast.literal_eval(a) for a in node.args]
        options = {k.arg or "": ast.literal_eval(k.value) for k in node.keywords}
        return GENERATORS[node.func.id](*arguments, **options)
    raise ValueError(ast.unparse(node))


def _compiled(node: ast.expr) -> CompiledGenerator:
    found = _parse(node)
    if not isinstance(found, CompiledGenerator):
        raise ValueError(ast.unparse(node))
    return found


def _of_the_paper(k: int, plus: bool, dots: bool) -> TestGenerator:
    wide = CartDepth(k, last_level="same")
    if not dots:
        return wide
    narrow = CartDepth(1, last_level="same")
    return Schedule((wide,) * (_DEEP + plus) + (narrow,), last_level="same")
