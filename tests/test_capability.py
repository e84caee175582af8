"""Support is opt-in, and one table says what a measure is."""

import shutil
import subprocess
import sys
from pathlib import Path

import odt
from odt.model.measure import ADDITIVE, MAXIMA, Amounts, Measure

ROOT = Path(__file__).parent.parent
CLAIMS = """
import odt

new = odt.Capability.BRAND_NEW
assert len(odt.solver_names()) > 10
print([n for n in odt.solver_names() if new in odt.solver_class(n).supports])
"""


def test_no_solver_claims_a_capability_that_is_new(tmp_path: Path) -> None:
    """A capability added tomorrow must not be claimed by solvers written today."""
    for package in ("odt", "formulations", "heuristics"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    path = tmp_path / "odt/model/capability.py"
    first = "    WEIGHTED_SUM ="
    path.write_text(path.read_text().replace(first, f'    BRAND_NEW = "brand new"\n{first}'))
    done = subprocess.run(
        [sys.executable, "-c", CLAIMS], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_every_measure_is_a_field_of_amounts_and_of_one_kind() -> None:
    """Of one task, measures name each amount once, and each measure is a sum or a maximum."""
    for other in (Measure.SQUARED_ERROR, Measure.ERROR):
        assert tuple(m.amount for m in Measure if m is not other) == Amounts._fields
    assert set(Measure) == ADDITIVE | MAXIMA | {Measure.SQUARED_ERROR}
    assert {measure for measure in Measure if measure.is_maximum} == MAXIMA
    assert len({measure.short for measure in Measure}) == len(Measure)


def test_measures_are_amounts_in_public_units() -> None:
    """Four rows of weight 2, a test of cost 3: the arithmetic by hand.

    The tree asks x0 <= 0.5 (cost 3) and errs on one row of four: error 2/8, expected tests
    8 * 3 / 8 = 3, explanation size 8 * 1 / 8 = 1.
    """
    data = odt.Dataset(
        [[0.0], [0.0], [1.0], [1.0]], list("aabc"), sample_weight=[2] * 4, test_costs=[3]
    )
    tree = odt.Tree.branch(odt.Test(0, threshold=0.5), odt.Tree.leaf(0), odt.Tree.leaf(1))
    assert tree.measures(data) == {
        "error": 0.25, "size": 3, "depth": 1, "expected_tests": 3.0, "explanation_size": 1.0,
        "worst_explanation_size": 1,
    }  # fmt: skip
