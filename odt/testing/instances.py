"""Problems solved by hand, with the arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from odt.data.dataset import Dataset
from odt.model.problem import Problem
from odt.model.shape import Shape


@dataclass(frozen=True)
class KnownOptimum:
    """A problem with its optimal value.

    Attributes
    ----------
    name : str
    problem : Problem
    optimum : tuple of Fraction, or None
        Value of each level of the objective; None if no tree keeps the limits.
    """

    name: str
    problem: Problem
    optimum: tuple[Fraction, ...] | None


def _known(
    name: str,
    data: Dataset,
    objective: str,
    optimum: tuple[Fraction | int, ...] | None,
    **limits: int | float | None,
) -> KnownOptimum:
    shape = Shape(**limits)  # type: ignore[arg-type]
    exact = None if optimum is None else tuple(Fraction(v) for v in optimum)
    return KnownOptimum(name, Problem(data, objective, shape), exact)  # type: ignore[arg-type]


# x:      0    1    2    3        "a b a a": no threshold is perfect.
# x<=0.5: left {a}, right {b,a,a} -> 1 error; x<=1.5: left {a,b}, right {a,a} -> 1 error;
# two tests (x<=0.5, then x<=1.5) isolate b: 0 errors. Tests: the example at 0 takes 1, the
# others 2, so (1 + 2 + 2 + 2) / 4 = 7/4. The other order, x<=1.5 first: the examples at 0 and 1
# take 2, those at 2 and 3 take 1: (2 + 2 + 1 + 1) / 4 = 6/4, which is less.
LINE = Dataset([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "a"])

# Exclusive or: every single test leaves half of each side wrong, so depth 1 has 2 errors of 4;
# depth 2 separates all. Weight 3 on the example (1, 1): total 6, the leaf "class of (0,0),(1,1)"
# has weight 4, so a leaf errs by 2/6; the best stump x0<=0.5: left one of each (1 wrong), right
# weights 1 and 3 (1 wrong): 2/6 too.
XOR = Dataset([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
HEAVY_XOR = Dataset(XOR.X, [0, 1, 1, 0], [1.0, 1.0, 1.0, 3.0])

# Two equal rows with labels of weight 1 and 2: one weight unit of 4 is always wrong.
CONTRADICTION = Dataset([[0.0], [0.0], [1.0]], ["n", "y", "n"], [1.0, 2.0, 1.0])

# Dropping the thresholds between values of one class, as BinOCT and others do, loses this
# optimum: with all thresholds depth 2 has no error, with the merged ones 1 error.
SIX_ROWS = Dataset(
    [[0, 1, 3], [3, 1, 2], [1, 0, 1], [1, 2, 0], [0, 0, 3], [2, 1, 0]], [1, 1, 1, 1, 0, 0]
)

# A cheap and a dear feature, both perfect: the cheap one is asked, cost 1/2 for everybody.
COSTS = Dataset([[0.0, 0.0], [1.0, 1.0]], [0, 1], test_costs=[2.0, 0.5])

# Three categories, the middle code alone is "b": one equality test, where thresholds need two.
COLOURS = Dataset([[0], [1], [2], [1]], ["a", "b", "a", "b"], categorical=[0])

INSTANCES: tuple[KnownOptimum, ...] = (
    _known("line, depth 0", LINE, "error", (Fraction(1, 4),), max_depth=0),
    _known("line, depth 1", LINE, "error", (Fraction(1, 4),), max_depth=1),
    _known("line, depth 2", LINE, "error", (0,), max_depth=2),
    _known("line, consistent size", LINE, "size", (5,), max_error=0.0),
    _known("line, consistent tests", LINE, "expected_tests", (Fraction(3, 2),), max_error=0.0),
    # 2 tests cost 2 * 3/2 * 1/10 = 3/20 in expectation, one error 1/4: two tests win, since
    # 1/10 * 3/2 = 3/20 < 1/4
    _known("line, sum", LINE, "error + 0.1*expected_tests", (Fraction(3, 20),), max_depth=2),
    # at 1/5 a test: 1/5 * 3/2 = 3/10 > 1/4, so the leaf wins
    _known("line, dear tests", LINE, "error + 0.2*expected_tests", (Fraction(1, 4),), max_depth=2),
    _known("xor, depth 1", XOR, "error", (Fraction(1, 2),), max_depth=1),
    _known("xor, depth 2", XOR, "error, size, depth", (0, 7, 2), max_depth=3),
    _known("xor, impossible", XOR, "size", None, max_depth=1, max_error=0.0),
    _known("xor, explanation", XOR, "explanation_size", (2,), max_error=0.0),
    _known("heavy xor, depth 1", HEAVY_XOR, "error, size", (Fraction(1, 3), 1), max_depth=1),
    _known("contradiction", CONTRADICTION, "error, depth", (Fraction(1, 4), 1), max_depth=2),
    _known("contradiction, infeasible", CONTRADICTION, "depth", None, max_error=0.0),
    _known("six rows, depth 2", SIX_ROWS, "error", (0,), max_depth=2),
    _known("six rows, branches", SIX_ROWS, "size", (7,), max_error=0.0),
    _known("six rows, depth", SIX_ROWS, "depth", (2,), max_error=0.0),
    _known("six rows, tests", SIX_ROWS, "expected_tests", (2,), max_error=0.0),
    _known("costs", COSTS, "error, expected_tests", (0, Fraction(1, 2)), max_depth=2),
    _known("colours", COLOURS, "error, size", (0, 3), max_depth=2),
    # leaves of two: {0,1 | 2,3} has 1 error of 4, and so has a lone leaf
    _known("line, leaves of two", LINE, "error", (Fraction(1, 4),), max_depth=2,
           min_samples_leaf=2),
    _known("line, three nodes", LINE, "error", (Fraction(1, 4),), max_nodes=3),
    _known("xor, one feature", XOR, "error", (Fraction(1, 2),), max_features=1),
)  # fmt: skip
"""Every instance with its optimum."""
