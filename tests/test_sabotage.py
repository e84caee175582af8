"""A broken formulation never gets a wrong proof through `odt.solve`."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.datasets import load_iris

import odt
from formulations.backends.cp_sat import CpSatEmitter
from formulations.base import Model, Outcome
from formulations.clause.cp_sat import CpSat
from formulations.clause.maxsat import MaxSat
from odt.testing.random_problems import OBJECTIVES, random_problem


def iris():
    """Iris at depth 2: 6 errors at best, and no mirrored tree is as good."""
    X, y = load_iris(return_X_y=True)
    return odt.Problem(odt.Dataset(X, y), "error", odt.Shape(max_depth=2))


def mirrored(tree):
    """The tree with the children of every branch swapped."""
    if tree.tests[0] is None:
        return tree
    left, right = tree.subtree(int(tree.left[0])), tree.subtree(int(tree.right[0]))
    return odt.Tree.branch(tree.tests[0], mirrored(right), mirrored(left))


class Mirrored(Model):
    """A model whose decode swaps children."""

    def __init__(self, model):
        self.program, self._model = model.program, model

    def decode(self, values):
        """Return the mirrored tree."""
        return mirrored(self._model.decode(values))

    def encode(self, tree):
        """Write a tree, rightly."""
        return self._model.encode(tree)


@pytest.mark.parametrize("base", [CpSat, MaxSat])
def test_swapped_children_in_decode_are_refused(base):
    """The tree's cost, recomputed from the data, is not the claimed optimum."""

    @dataclass(frozen=True)
    class Swapped(base):
        def build(self, problem, goal, stop):
            return Mirrored(super().build(problem, goal, stop))

    with pytest.raises(odt.InconsistentSolutionError):
        odt.solve(iris(), Swapped())


@dataclass(frozen=True)
class WithoutErrors(CpSat):
    """The clauses that make wrong predictions cost something are missing at one leaf."""

    def build(self, problem, goal, stop):
        """Drop the clauses of one position."""
        model = super().build(problem, goal, stop)
        miss = next(b for b in model.program.blocks if b.name == "miss").numbers
        last = model.variables.reach[-1]

        def counts_errors(batch):
            literals = batch.literals
            return np.isin(literals, miss).any() and np.isin(literals, ~last).any()

        kept = [batch for batch in model.program.batches if not counts_errors(batch)]
        assert len(kept) < len(model.program.batches)
        model.program.batches = kept
        return model


def test_a_dropped_error_constraint_is_refused():
    """Predictions that are wrong for free make the claimed bound too good to be true."""
    with pytest.raises(odt.InconsistentSolutionError):
        odt.solve(iris(), WithoutErrors())


@dataclass(frozen=True)
class Lies(CpSatEmitter):
    """CP-SAT, but the bound is made up."""

    by: int = 1

    def solve(self, program, hint, run, progress):
        """Shift the bound."""
        found = super().solve(program, hint, run, progress)
        return Outcome(found.status, found.values, found.bound + self.by, found.stats)


@pytest.mark.parametrize("by", [1, -1, 1000])
def test_a_bound_made_up_is_refused(by):
    """OPTIMAL with a bound that is not the cost of the tree is no proof."""

    @dataclass(frozen=True)
    class Boasts(CpSat):
        def emitter(self):
            return Lies(by=by)

    with pytest.raises(odt.InconsistentSolutionError):
        odt.solve(iris(), Boasts())


@dataclass(frozen=True)
class LiesOnTheWay(CpSatEmitter):
    """CP-SAT, but a bound that is too high is reported while it runs."""

    def solve(self, program, hint, run, progress):
        """Report it first."""
        progress.bound(7)
        return super().solve(program, hint, run, progress)


def test_a_false_bound_in_a_callback_is_refused():
    """The better tree that turns up later shows that the reported bound was wrong."""

    @dataclass(frozen=True)
    class Boasts(CpSat):
        def emitter(self):
            return LiesOnTheWay()

    with pytest.raises(odt.InconsistentSolutionError):
        odt.solve(iris(), Boasts(start="none"))


@dataclass(frozen=True)
class Contradictory(CpSat):
    """The root must be a branch and must not."""

    def build(self, problem, goal, stop):
        """Demand both."""
        model = super().build(problem, goal, stop)
        model.program.clauses(model.variables.split[[1], None])
        model.program.clauses(~model.variables.split[[1], None])
        return model


def test_a_false_infeasibility_is_refused():
    """INFEASIBLE is refused as long as any tree within the limits is known."""
    with pytest.raises(odt.InconsistentSolutionError, match="infeasible"):
        odt.solve(iris(), Contradictory())


def test_no_sabotage_gets_a_wrong_proof_through_on_random_problems():
    """Mirrored or without errors: either refused, or the result is right all the same."""

    @dataclass(frozen=True)
    class Swapped(CpSat):
        def build(self, problem, goal, stop):
            return Mirrored(super().build(problem, goal, stop))

    refused = 0
    for seed in range(4000, 4080):
        problem = random_problem(seed, objective=OBJECTIVES[seed % len(OBJECTIVES)])
        try:
            result = odt.solve(problem, Swapped())
        except odt.InconsistentSolutionError:
            refused += 1
            continue
        assert result.cost == odt.solve(problem, "dp").cost
    assert refused > 10
