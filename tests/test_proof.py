"""Proofs: true ones are accepted, false ones refused; the checker shares nothing with solvers."""

from __future__ import annotations

import ast
import gzip
import itertools
import json
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import odt
from odt.cli import main
from odt.model.objective import Objective
from odt.proof import Proof, RefusedError, certify, check
from odt.proof.certify import LEFT_OUT as LIMITS_LEFT_OUT
from odt.proof.certify import UNCOVERED
from odt.testing.enumeration import enumerated_optimum
from odt.testing.random_problems import OBJECTIVES, random_problem
from odt.testing.varied_problems import EVERYTHING, varied_problem

ROOT = Path(__file__).parent.parent
CHECKER = ROOT / "odt" / "proof" / "checker"
BINDING = re.compile("A proof leaves out")
COVERED = EVERYTHING - UNCOVERED - LIMITS_LEFT_OUT


def edited(proof: Proof, number: int, change: object) -> Proof:
    """Return a proof with one line of its text changed, by a function of the line."""
    lines = proof.text.splitlines()
    lines[number] = change(lines[number])  # type: ignore[operator]
    return Proof(gzip.compress(("\n".join(lines) + "\n").encode()))


def with_header(proof: Proof, **changes: object) -> Proof:
    """Return a proof with some entries of its header replaced."""
    return edited(proof, 1, lambda text: json.dumps(json.loads(text) | changes))


def header(proof: Proof) -> dict:
    """Return what a proof states before its rows and lines."""
    return json.loads(proof.text.splitlines()[1])


def first_line(proof: Proof) -> int:
    """Return where the table of a proof begins in its text."""
    return 2 + header(proof)["n_rows"]


@pytest.fixture(scope="module")
def iris() -> Proof:
    """Depth 2 has 6 errors of 150."""
    problem = odt.Problem(odt.datasets.load_dataset("iris"), "error", odt.Shape(max_depth=2))
    return odt.solve(problem, "bnb").proof()


def test_the_checker_imports_numpy_and_the_standard_library_only() -> None:
    """Nothing that a solver uses can mislead it; relative imports stay in its folder."""
    for path in CHECKER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level < 2
                names = [] if node.level else [node.module or ""]
            else:
                continue
            for name in names:
                top = name.split(".")[0]
                assert top == "numpy" or top in sys.stdlib_module_names, (path, name)


def test_the_checker_runs_without_odt(iris: Proof, tmp_path: Path) -> None:
    """Its folder is a program; given a CSV file it compares the rows."""
    iris.save(tmp_path / "iris.proof")
    data = odt.datasets.load_dataset("iris")
    table = [",".join([*data.feature_names, "class"])]
    table += [",".join(map(str, [*x, y])) for x, y in zip(data.X.tolist(), data.y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(table))
    table[7] = table[8]
    (tmp_path / "other.csv").write_text("\n".join(table))
    program = [sys.executable, "-S", "-m", "checker", str(tmp_path / "iris.proof")]
    numpy_folder = str(Path(odt.model.tree.np.__file__).parent.parent)
    for extra, code, said in (
        ([], 0, "the tree is optimal: 0.04"),
        ([str(tmp_path / "rows.csv")], 0, "the tree is optimal: 0.04"),
        ([str(tmp_path / "other.csv")], 1, "has other values"),
    ):
        done = subprocess.run(
            [*program, *extra], capture_output=True, text=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{CHECKER.parent}:{numpy_folder}"},
        )  # fmt: skip
        assert (done.returncode, said in done.stdout + done.stderr) == (code, True), done.stderr


def test_the_command_line_writes_and_checks(tmp_path: Path, capsys) -> None:
    """From data to proof and back, with the data and without; other data exit with 1."""
    path = str(tmp_path / "proof")
    assert main(["solve", "iris", "--max-depth", "1", "--proof", path]) == 0
    assert main(["check", path]) == 0
    assert main(["check", path, "iris"]) == 0
    assert "Proved: the tree is optimal: 0.333333" in capsys.readouterr().out
    assert main(["check", path, "wine"]) == 1
    assert "other data" in capsys.readouterr().err
    (tmp_path / "proof").write_bytes(b"nothing")
    assert main(["check", path]) == 1


def test_a_proof_that_fails_loses_nothing(tmp_path: Path) -> None:
    """The tree is written before the proof; the proof that is not covered leaves no file."""
    tree, proof = tmp_path / "tree.json", tmp_path / "proof"
    command = ["solve", "iris", "--objective", "size", "--max-depth", "2", "--max-error", "0.05"]
    assert main([*command, "--save", str(tree), "--proof", str(proof)]) != 0
    assert odt.Tree.from_json(tree.read_text()).n_nodes == 5
    assert not proof.exists()


def assert_proved(problem: odt.Problem, solver: str = "dp") -> bool:
    """Certify a result and compare it with enumeration; return whether the proof covers it."""
    result = odt.solve(problem, solver)
    try:
        verdict = certify(result).check(problem.dataset)
    except odt.ProofError as error:
        assert BINDING.match(str(error))  # noqa: PT017
        return False
    least = enumerated_optimum(problem)
    assert verdict.least == (least or ())
    assert verdict.objective == (least or ())
    assert verdict.optimal == (least is not None)
    return True


@pytest.mark.parametrize("seed", range(3 * len(OBJECTIVES)))
def test_random_problems_are_proved(seed: int) -> None:
    """Every objective in turn, with limits of all kinds."""
    assert_proved(random_problem(seed, objective=OBJECTIVES[seed % len(OBJECTIVES)]))


@pytest.mark.parametrize("seed", range(40))
def test_varied_problems_are_proved(seed: int) -> None:
    """Given tests, categories, costs, weights beyond machine integers, leaf limits."""
    assert assert_proved(varied_problem(seed, COVERED, max_rows=6))


@pytest.mark.parametrize("seed", [10013, 10016, 10101])
def test_consistent_trees_of_dear_nodes_are_proved(seed: int) -> None:
    """Prices of a node beyond machine integers meet the number of leaves that classes ask for."""
    assert assert_proved(varied_problem(seed, COVERED, max_rows=6))


def test_levels_do_not_overlap_under_a_limit_on_nodes() -> None:
    """Two cuts do; five nodes are the most that the level of size adds up to, not seven."""
    data = odt.Dataset([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0])
    assert assert_proved(odt.Problem(data, "error, size", odt.Shape(max_depth=2, max_nodes=5)))


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_many_random_problems_are_proved(objective: str) -> None:
    """500 problems of every objective; few have limits on the whole tree that bind."""
    covered = [assert_proved(random_problem(s, objective=objective)) for s in range(500)]
    assert sum(covered) > 400


@pytest.mark.slow
def test_many_varied_problems_are_proved() -> None:
    """1,000 problems that vary every field that a proof covers."""
    assert all(assert_proved(varied_problem(s, COVERED, max_rows=6)) for s in range(1000, 2000))


@pytest.mark.parametrize(
    ("solver", "objective", "shape"),
    [
        ("bnb", "error + 0.01*size", odt.Shape(max_depth=2)),
        ("dp", "error, expected_tests", odt.Shape(max_depth=2)),
        ("and-or", "error + 0.1*explanation_size", odt.Shape(max_depth=2)),
        ("min-size", "size", odt.Shape(max_error=0)),
        ("cp-sat", "error", odt.Shape(max_depth=2)),
    ],
)
def test_results_of_each_family_are_proved(solver: str, objective: str, shape: odt.Shape) -> None:
    """One search serves all solvers: it starts from the problem and the cost."""
    iris = odt.datasets.load_dataset("iris")
    rows = slice(0, 150, 5)
    data = odt.Dataset(iris.X[rows], iris.y[rows])
    result = odt.solve(odt.Problem(data, objective, shape), solver)
    verdict = result.proof().check(data)
    assert verdict.optimal
    assert verdict.cost == result.cost


def test_a_bound_below_the_tree_is_proved_as_such(iris: Proof) -> None:
    """A run that was stopped has a bound too."""
    problem = odt.Problem(odt.datasets.load_dataset("iris"), "error", odt.Shape(max_depth=2))
    result = odt.solve(problem, "bnb")
    verdict = certify(result, bound=4).check()
    assert (verdict.bound, verdict.cost, verdict.optimal) == (4, 6, False)
    assert certify(replace(result, tree=None, cost=None)).check().objective == ()
    with pytest.raises(odt.InconsistentSolutionError, match="costs 6"):
        certify(replace(result, tree=None, cost=None, cost_bound=7))


def test_what_is_not_covered_is_said() -> None:
    """Limits that cannot be stated, limits that bind across the tree, and no time."""
    data = odt.datasets.load_dataset("iris")
    forced = odt.Problem(data, "error", odt.Shape(max_depth=1, forced={"": 0}))
    with pytest.raises(odt.ProofError, match="do not cover forced"):
        odt.solve(forced, "dp").proof()
    xor = odt.Dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # needs seven nodes
    few = odt.Problem(xor, "error", odt.Shape(max_depth=2, max_nodes=5))
    with pytest.raises(odt.ProofError, match="leaves out"):
        odt.solve(few, "dp").proof()
    deep = odt.Problem(data, "error", odt.Shape(max_depth=3))
    with pytest.raises(odt.ProofError, match="no proof after"):
        odt.solve(deep, "bnb").proof(time_limit=1e-9)


def test_gaps_on_either_side_are_proved() -> None:
    """Gaps with the high or the low values; by number and by category; learned or not."""
    X = [[0.0, 0.0], [1.0, 1.0], [None, 2.0], [None, None], [3.0, 3.0], [2.0, None]]
    for labels, missing in itertools.product(
        ([0, 1, 1, 1, 0, 0], [0, 1, 0, 0, 1, 1]), ("learned", "category")
    ):
        for categorical in ((), (1,)):
            data = odt.Dataset(X, labels, categorical=categorical, missing=missing)
            problem = odt.Problem(data, "error, size", odt.Shape(max_depth=2))
            assert assert_proved(problem)
            proof = odt.solve(problem, "dp").proof()
            assert ("gaps on either side" in str(proof.check(data))) == (missing == "learned")
            other = odt.Dataset(
                X, labels, categorical=categorical,
                missing="category" if missing == "learned" else "learned",
            )  # fmt: skip
            with pytest.raises(RefusedError, match="other data"):
                proof.check(other)


def test_a_verdict_names_limits_of_zero() -> None:
    """No errors and no tests are limits; a verdict that left them out would answer less."""
    data = odt.Dataset([[0.0], [1.0]], [0, 1])
    pure = odt.solve(odt.Problem(data, "size", odt.Shape(max_error=0)), "dp").proof()
    assert "max_error=0;" in str(pure.check(data))
    lone = odt.solve(odt.Problem(data, "error", odt.Shape(max_depth=0)), "dp").proof()
    assert "max_depth=0;" in str(lone.check(data))


# ---- sabotage -----------------------------------------------------------------------------


def test_a_raised_bound_is_refused_at_its_line(iris: Proof) -> None:
    """The root is line 0: one more than the optimum cannot be proved."""
    at = first_line(iris)
    raised = edited(iris, at, lambda text: re.sub(r"^2 6 ", "2 7 ", text))
    with pytest.raises(RefusedError, match="line 0: the bound 7 is not proved"):
        raised.check()


def test_a_dropped_citation_is_refused_at_its_line(iris: Proof) -> None:
    """Each chain that is left out leaves some test of it unproved."""
    at = first_line(iris)
    for k in range(4, len(iris.text.splitlines()[at].split(" "))):
        fewer = edited(iris, at, lambda text, k=k: " ".join(
            part for i, part in enumerate(text.split(" ")) if i != k))  # fmt: skip
        with pytest.raises(RefusedError, match="line 0: the bound 6 is not proved for test"):
            fewer.check()


def test_a_missing_line_and_a_wrong_tree_are_refused(iris: Proof) -> None:
    """No table, another cost, another tree, no tests at all, and a bound above the tree."""
    lines = iris.text.splitlines()[: first_line(iris)]
    with pytest.raises(RefusedError):
        Proof(gzip.compress("\n".join(lines).encode())).check()
    for changes, said in (
        ({"cost": 5}, "the tree costs 6, not 5"),
        ({"tree": [0]}, "the tree costs 100, not 6"),
        ({"tree": [0, 1]}, "stray node"),
        ({"tree": [[0, 5.0], 0]}, "misses nodes"),
        ({"bound": 7}, "exceeds the cost"),
        ({"cases": []}, "not proved for depth 2"),
        ({"tree": [0], "cost": 100, "bound": 7}, "not proved for depth 2"),
    ):
        with pytest.raises(RefusedError, match=said):
            with_header(iris, **changes).check()


def test_other_data_are_refused(iris: Proof) -> None:
    """One value, one label or one weight changed."""
    data = odt.datasets.load_dataset("iris")
    X, y, weight = data.X.copy(), data.y.copy(), data.weights.astype(float)
    assert iris.check(data).optimal
    X[3, 1] += 0.1
    with pytest.raises(RefusedError, match="other data"):
        iris.check(odt.Dataset(X, data.y))
    y[7] = 1 - y[7]
    with pytest.raises(RefusedError, match="other data"):
        iris.check(odt.Dataset(data.X, y))
    weight[9] = 2
    with pytest.raises(RefusedError, match="other data"):
        iris.check(odt.Dataset(data.X, data.y, weight))


def test_a_line_of_another_set_is_refused() -> None:
    """A bound of one set must not be cited for another, nor in a circle."""
    problem = odt.Problem(odt.datasets.load_dataset("iris"), "error", odt.Shape(max_depth=3))
    proof = odt.solve(problem, "bnb").proof()
    at = first_line(proof)
    numbers = re.findall(r"=(\d+)", proof.text.splitlines()[at])
    assert len(set(numbers)) > 1
    a, b = numbers[0], next(n for n in numbers if n != numbers[0])
    with pytest.raises(RefusedError, match=r"line \d+ is of another set than line 0 says"):
        edited(proof, at, lambda text: text.replace(f"={a}", f"={b}")).check()
    with pytest.raises(RefusedError, match="line 0 cites line 0"):
        edited(proof, at, lambda text: text.replace(f"={a}", "=0")).check()


def intervals_proof() -> Proof:
    """Return a false proof whose lines forget which features were asked, to run out of new ones.

    Eight rows in a line whose classes alternate; depth 4 has no errors. Lines two tests down say
    that no feature may be asked any more, so that their bounds are those of leaves.
    """
    n, ids = 8, dict[tuple[int, int, int], int]()

    def leaf(a: int, b: int) -> int:
        return (b - a) // 2

    def bound(level: int, a: int, b: int) -> int:
        below = [bound(level + 1, a, c) + bound(level + 1, c, b) for c in range(a + 1, b)]
        return leaf(a, b) if level == 2 else min([leaf(a, b), *below])

    def line(level: int, a: int, b: int) -> str:
        cuts, text = range(a, b - 1) if level < 2 else (), ""
        if cuts:
            left = ",".join(f"{c}={ids[level + 1, a, c + 1]}" for c in cuts)
            right = ",".join(f"{c}={ids[level + 1, c + 1, b]}" for c in cuts)
            text = f" 0<{left}>{right}"
        return f"{4 - level} {bound(level, a, b)} 0 {'-10'[level]}{text}"

    sides = [(0, c) for c in range(1, n)] + [(c, n) for c in range(1, n)]
    inner = {(a, c) for a, b in sides for c in range(a + 1, b)}
    inner |= {(c, b) for a, b in sides for c in range(a + 1, b)}
    for key in [(1, *s) for s in sides] + [(2, *s) for s in sorted(inner)]:
        ids[key] = len(ids) + 1
    data = odt.Dataset([[float(i)] for i in range(n)], [i % 2 for i in range(n)])
    true = odt.solve(odt.Problem(data, "error", odt.Shape(max_depth=4)), "dp").proof()
    head = {"bound": bound(0, 0, n), "tree": None, "cost": None, "cases": [[4, None, 0]]}
    stated = json.dumps(header(true) | head)
    lines = [line(0, 0, n), *(line(*key) for key in ids)]
    text = "\n".join(["odt-proof 1", stated, *true.text.splitlines()[2 : 2 + n], *lines])
    return Proof(gzip.compress(text.encode()))


def test_features_cannot_run_out_where_they_are_free() -> None:
    """A checker that compared only the new features allowed accepted two errors where none are."""
    assert header(intervals_proof())["bound"] == 2
    with pytest.raises(RefusedError, match="line 1: new features must be limited, or not"):
        intervals_proof().check()


def test_a_line_cannot_have_more_tests_than_the_problem(iris: Proof) -> None:
    """The numbers of the checker suffice for the depth of the problem, and no further."""
    at = first_line(iris)
    with pytest.raises(RefusedError, match="line 0: the tests left are out of range"):
        edited(iris, at, lambda text: re.sub(r"^2 ", f"{2**61} ", text)).check()


def claimed_falsely(proof: Proof, dataset: odt.Dataset, least: tuple[Fraction, ...] | None) -> bool:
    """Say whether a proof is accepted although what it says of the problem is false."""
    try:
        verdict = proof.check(dataset)
    except RefusedError:
        return False
    if least is None:
        return verdict.cost is not None
    return verdict.bound is None or (verdict.bound > 0 and verdict.least > least)


def mutated(proof: Proof, rng: random.Random) -> Proof:
    """Change numbers of the table, of the claim, or of the cases; drop, swap or repeat lines."""
    lines = proof.text.splitlines()
    at, kind = first_line(proof), rng.randrange(7)
    table = lines[at:]
    if kind < 3 and table:
        i = rng.randrange(len(table))
        spans = [m.span() for m in re.finditer(r"\d+|inf", table[i])]
        for a, b in sorted(rng.sample(spans, min(len(spans), 2)), reverse=True):
            old = table[i][a:b]
            new = rng.choice(["inf", "0", "1", str(int(old) + 1) if old != "inf" else "9"])
            table[i] = table[i][:a] + new + table[i][b:]
    elif kind == 3 and table:
        i, j = rng.randrange(len(table)), rng.randrange(len(table))
        table[i], table[j] = table[j], rng.choice([table[i], table[j]])
    elif kind == 4 and table:
        i = rng.randrange(len(table))
        parts = table[i].split(" ")
        table[i] = " ".join(p for k, p in enumerate(parts) if k < 4 or rng.random() < 0.6)
    stated = json.loads(lines[1])
    if kind >= 5 or rng.random() < 0.7:  # claim more than is true
        more = stated["bound"] if stated["bound"] == "inf" else stated["bound"] + 1
        stated |= {"bound": rng.choice([more, "inf"]), "tree": None, "cost": None}
        for i, line in enumerate(table):
            head = line.split(" ")
            if (not i or rng.random() < 0.7) and head[1].isdigit():
                head[1] = rng.choice([str(int(head[1]) + 1), "inf"])
                table[i] = " ".join(head)
    if kind == 6 and stated["cases"]:
        case = rng.choice(stated["cases"])
        case[rng.choice([0, 2])] = rng.randrange(4)
    return Proof(
        gzip.compress("\n".join([lines[0], json.dumps(stated), *lines[2:at], *table]).encode())
    )


def mutate_many(n_problems: int, n_mutations: int) -> int:
    """Mutate proofs of random problems; return how many mutations were refused."""
    rng, refused = random.Random(5), 0
    for seed in range(n_problems):
        problem = random_problem(7000 + seed, objective=OBJECTIVES[seed % len(OBJECTIVES)])
        try:
            proof = odt.solve(problem, "dp").proof()
        except odt.ProofError:
            continue
        least = enumerated_optimum(problem)
        for _ in range(n_mutations):
            changed = mutated(proof, rng)
            assert not claimed_falsely(changed, problem.dataset, least), changed.text
            try:
                changed.check()
            except RefusedError:
                refused += 1
    return refused


def test_no_mutation_makes_a_false_claim_pass() -> None:
    """1,000 of them, judged by enumeration; those that leave the claim true may pass."""
    assert mutate_many(2 * len(OBJECTIVES), 28) > 500


@pytest.mark.slow
def test_no_mutation_of_many_makes_a_false_claim_pass() -> None:
    """20,000 mutations."""
    assert mutate_many(20 * len(OBJECTIVES), 55) > 10000


def test_objectives_are_read_exactly() -> None:
    """A third is a third: the checker's value of the tree is that of odt."""
    problem = odt.Problem(
        odt.Dataset([[0.0], [1.0], [2.0]], [0, 1, 0], [1.0, 2.0, 4.0]),
        Objective.parse("error + 0.3333333333333333*size"),
    )
    verdict = odt.solve(problem, "dp").proof().check()
    assert verdict.objective == (Fraction(1, 3) + Fraction(2, 7),)


def test_check_reads_files(iris: Proof, tmp_path: Path) -> None:
    """What was saved is what is read."""
    iris.save(tmp_path / "file")
    assert check(tmp_path / "file").digest == header(iris)["digest"]
