"""Problems as TOML: what is written reads back equal, and what does not fit is refused."""

from fractions import Fraction

import numpy as np
import pytest

import odt
from odt import Charge, Dataset, Objective, Problem, Shape, Test, TestSet
from odt.cli import main
from odt.convert.problem import problem_from_toml, problem_to_toml
from odt.testing import varied_problem

DATA = Dataset(
    np.array([["r", 0.1], ["g", 0.2], ["b", 0.3], ["r", 0.4]], dtype=object),
    ["no", "yes", "no", "yes"],
    feature_names=['col "our"', "x\ny\x7f"],
)


def read_back(problem):
    """Return the problem that the written text states on the same data."""
    parts = problem_from_toml(problem_to_toml(problem), problem.dataset)
    return Problem(problem.dataset, parts.objective, parts.shape, parts.tests)


def test_random_problems_round_trip():
    """Objective, limits and tests of problems that vary every field come back equal."""
    limited = 0
    for seed in range(400):
        problem = varied_problem(seed)
        copy = read_back(problem)
        assert copy.objective == problem.objective, seed
        assert copy.tests == problem.tests, seed
        assert copy.limits == problem.limits or copy.limits.positions is not None, seed
        assert _plain(copy.shape) == _plain(problem.shape), seed
        limited += problem.shape != Shape()
    assert limited > 200


def _plain(shape):
    """Return the limits with collections in one form: a forbidden list may come as a tuple."""
    forbidden = {at: tuple(tests) for at, tests in (shape.forbidden or {}).items()}
    return {**vars(shape), "forbidden": forbidden, "forced": dict(shape.forced or {})}


def test_every_field_with_difficult_names_and_numbers():
    """Quotes, line breaks, 1/3, the smallest float, a test of categories at a position."""
    forced = Test(0, categories=(2,))
    shape = Shape(
        max_depth=3, max_nodes=9, max_leaf_nodes=5, min_samples_leaf=1, min_weight_leaf=0.5,
        max_error=0.1 + 0.2, max_features=2, forced={"": forced, "L": 1},
        forbidden={"R": [0, Test(1, threshold=0.25)]}, max_class_error={"no": 0.125},
        feature_budget=2.5, feature_charges=(Charge(frozenset({0, 1}), 5e-324),),
    )  # fmt: skip
    objective = Fraction(1, 3) * odt.Error() + 1e-7 * odt.Size()
    tests = TestSet((forced, Test(1, threshold=0.25), Test(1, threshold=0.1 + 0.05)))
    problem = Problem(DATA, odt.lexicographic(objective, odt.Depth()), shape, tests)
    copy = read_back(problem)
    assert _plain(copy.shape) == _plain(shape)
    assert (copy.objective, copy.tests) == (problem.objective, tests)
    assert Objective.parse(str(problem.objective)) == problem.objective


def test_quantiles_are_written_as_their_number():
    """So that the file fits other rows of the same columns too."""
    iris = odt.datasets.load_dataset("iris")
    for q in (1, 5, 1000):
        problem = Problem(iris, tests=TestSet.quantiles(iris, q))
        text = problem_to_toml(problem)
        assert "quantiles = " in text
        assert "[[tests]]" not in text
        assert read_back(problem).tests == problem.tests
    assert "quantiles" not in problem_to_toml(Problem(iris))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("objective = ", "no TOML"),
        ("depth = 3", "unknown key 'depth'. Keys: objective"),
        ("[shape]\ndepth = 3", "unknown key 'depth'. Keys: max_depth"),
        ("[shape]\nmax_depth = -1", "'max_depth' must be an int"),
        ("[shape]\nmax_depth = 'deep'", "'max_depth' must be an int"),
        ("[shape]\nforced = 3", "wrong type"),
        ('[shape]\nforced = {"" = "z"}', "names the feature 'z'; the data have"),
        ("objective = 3", "wrong type"),
        ("objective = 'accuracy'", "Cannot read 'accuracy'"),
        ("objective = '1/0*error'", "Cannot read '1/0"),
        ("tests = [{feature = 'x', threshold = 1, categories = ['r']}]", "names the feature 'x'"),
        ("quantiles = 2\ntests = []", "both quantiles and tests"),
        ("quantiles = 'many'", "wrong type"),
    ],
)
def test_what_does_not_fit_is_refused(text, message):
    """One error that says what was found; never a limit that is silently lost."""
    with pytest.raises(odt.OdtError, match=message):
        problem_from_toml(text, DATA)


def test_labels_that_toml_cannot_hold_are_refused():
    """Bytes have no literal."""
    data = Dataset([[0], [1]], [b"a", b"b"])
    with pytest.raises(odt.DataError, match="which TOML cannot hold"):
        problem_to_toml(Problem(data, shape=Shape(max_class_error={data.classes[0]: 0.5})))


def test_command_line_reads_and_writes_problem_files(capsys, tmp_path):
    """--save-problem, then --problem: the same question; an option replaces what the file says."""
    path = tmp_path / "problem.toml"
    question = ("--max-depth", "2", "--objective", "error + 0.01*size", "--quantiles", "3")
    solve = ("solve", "iris", "--solver", "cart")
    assert main([*solve, *question, "--save-problem", str(path)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert main([*solve, "--problem", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == first
    assert main([*solve, "--problem", str(path), "--max-depth", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == first.replace("max_depth=2", "max_depth=1")
    assert main([*solve, "--problem", str(tmp_path / "none.toml")]) == 2
    assert "Cannot read the problem file" in capsys.readouterr().err
