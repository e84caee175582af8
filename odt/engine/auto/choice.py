"""Which exact engines fit a problem, the most promising first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from odt.core.registry import solver_class
from odt.engine.branch_and_bound.solver import LARGEST_DEPTH, fits
from odt.engine.dp.planner import COUPLING
from odt.engine.front.columns import Columns
from odt.model.problem import Problem

MOST_SEARCHED = 300
"""Sequences of tests up to which ``dp`` is quickest: it has the smallest kernels to compile."""
MOST_TIED = 20_000
"""The same where the costs or limits are of the whole tree, so that only programs compete."""
MOST_ROWS = 2_000
DEEPEST_COMPLETE_TREE = 6
"""Depth up to which a program over all positions of a complete tree is tried."""


class Engine(NamedTuple):
    """An exact solver, and why it fits."""

    name: str
    why: str


def is_tiny(problem: Problem) -> bool:
    """Say whether the whole search takes less time than a heuristic and its kernels."""
    return _is_searched_quickly(problem, MOST_SEARCHED)


def _is_searched_quickly(problem: Problem, most: int) -> bool:
    """Say whether ``dp`` meets at most so many sequences of tests, on few rows."""
    depth = min(problem.limits.useful_depth, most.bit_length())  # two tests each are too many then
    if not problem.needs & COUPLING:
        depth -= 1  # the last test of a path is found without a search
    sequences = problem.n_candidate_tests ** max(depth, 0)
    return sequences <= most and len(problem.dataset.merged.X) <= MOST_ROWS


def engines(problem: Problem) -> Iterator[Engine]:
    """Yield the exact engines that may prove a problem; the last one supports everything.

    Parameters
    ----------
    problem : Problem
    """
    if is_tiny(problem):
        yield Engine("dp", "the whole search is tiny")
        return
    if _supports("min-size", problem):
        yield Engine("min-size", "size and depth of trees without errors")
    if _supports("bnb", problem) and _fits_branch_and_bound(problem):
        depth = problem.limits.useful_depth
        yield Engine("bnb", f"costs and limits add up over leaves, depth {depth}")
    elif _suits_a_program(problem) and _supports("cp-sat", problem):
        yield Engine("cp-sat", "a measure or a limit is of the whole tree")
    yield Engine("dp", "it takes every measure and limit")


def _supports(name: str, problem: Problem) -> bool:
    return problem.needs <= solver_class(name).supports


def _fits_branch_and_bound(problem: Problem) -> bool:
    is_shallow = problem.limits.useful_depth <= LARGEST_DEPTH
    return is_shallow and fits(problem, Columns.of(problem))


def _suits_a_program(problem: Problem) -> bool:
    is_shallow = problem.limits.useful_depth <= DEEPEST_COMPLETE_TREE
    return is_shallow and not _is_searched_quickly(problem, MOST_TIED)
