"""Problems without their data as TOML: objective, limits and tests, with the names of features."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import Any

from odt.data.dataset import Dataset
from odt.data.schema import Schema
from odt.errors import DataError, OdtError
from odt.model.objective import Objective, usual_objective
from odt.model.problem import Problem
from odt.model.shape import Charge, Shape
from odt.model.testset import Test, TestSet

_KEYS = ("objective", "quantiles", "complete", "shape", "tests")
_TEST_KEYS = ("feature", "threshold", "categories", "codes", "missing_left")


@dataclass(frozen=True)
class ProblemParts:
    """What `odt.Problem` takes besides the dataset."""

    objective: Objective
    shape: Shape = field(default_factory=Shape)
    tests: TestSet | None = None


# ---- writing ------------------------------------------------------------------------------


def problem_to_toml(problem: Problem) -> str:
    """Return objective, limits and tests as TOML text, which `problem_from_toml` reads back.

    Features and categories go by their names. Tests that are `TestSet.quantiles` of the data are
    written as their number, so that the file fits other data with the same columns too.

    Raises
    ------
    DataError
        For labels and categories that TOML cannot hold, such as None or dates.
    """
    schema = problem.dataset.schema
    lines = [f"objective = {_text(str(problem.objective))}"]
    tests = problem.tests
    quantiles = None if tests is None else _as_quantiles(problem.dataset, tests)
    if quantiles is not None:
        lines.append(f"quantiles = {quantiles}")
        tests = None
    if tests is not None and tests.complete:
        lines.append("complete = true")
    if tests is not None and not len(tests):
        lines.append("tests = []")
    lines += ["", "[shape]", *_shape_lines(problem.shape, schema)]
    for test in tests or ():
        lines += ["", "[[tests]]", *(f"{k} = {v}" for k, v in _test_items(test, schema).items())]
    return "\n".join(lines) + "\n"


def _shape_lines(shape: Shape, schema: Schema) -> Iterable[str]:
    def demand(asked: Test | int) -> str:
        if isinstance(asked, Test):
            return _inline(_test_items(asked, schema))
        return _text(schema.feature_names[int(asked)])

    def charge(one: Charge) -> str:
        names = [_text(schema.feature_names[f]) for f in sorted(one.features)]
        return _inline({"features": _array(names), "price": _number(one.price)})

    write: dict[str, Callable[[Any], str]] = {
        "forced": lambda m: _inline({_text(at): demand(d) for at, d in m.items()}),
        "forbidden": lambda m: _inline({_text(at): _array(map(demand, d)) for at, d in m.items()}),
        "max_class_error": lambda m: _array(
            _inline({"class": _plain(label), "share": _number(share)}) for label, share in m.items()
        ),
        "feature_charges": lambda charges: _array(map(charge, charges)),
    }
    for limit in fields(Shape):
        value = getattr(shape, limit.name)
        if value is not None and value != limit.default:
            yield f"{limit.name} = {write.get(limit.name, _number)(value)}"


def _test_items(test: Test, schema: Schema) -> dict[str, str]:
    items = {"feature": _text(schema.feature_names[test.feature])}
    if test.threshold is not None:
        items["threshold"] = _number(test.threshold)
        return items | ({"missing_left": "true"} if test.missing_left else {})
    known = schema.categories[test.feature]
    codes = test.categories or ()
    if not all(0 <= code < len(known) for code in codes):  # a set of numbers, say
        return items | {"codes": _array(map(str, codes))}
    return items | {"categories": _array(_plain(known[code]) for code in codes)}


def _as_quantiles(dataset: Dataset, tests: TestSet) -> int | None:
    """Return the q for which the tests are `TestSet.quantiles`; None if there is none."""
    cuts: dict[int, set[float]] = {}
    for test in tests:
        if test.threshold is not None:
            cuts.setdefault(test.feature, set()).add(test.threshold)
    largest = max(map(len, cuts.values()), default=0)
    for q in (largest - 1, largest):  # a test whether a value is known is none of the quantiles
        if q >= 1 and TestSet.quantiles(dataset, q) == tests:
            return q
    return None


def _inline(items: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {value}" for key, value in items.items()) + " }"


def _array(values: Iterable[str]) -> str:
    return f"[{', '.join(values)}]"


def _text(text: str) -> str:
    """Return a basic string: as in JSON, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(value: Any) -> str:
    return str(int(value)) if isinstance(value, Integral) else repr(float(value))


def _plain(value: Any) -> str:
    """Return a label or category."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return repr(value)
    raise DataError(
        f"The label or category {value!r} is a {type(value).__name__}, which TOML cannot hold. "
        "Make text of it before the dataset is built."
    )


# ---- reading ------------------------------------------------------------------------------


def problem_from_toml(text: str, dataset: Dataset) -> ProblemParts:
    """Read what `problem_to_toml` wrote, or what was written by hand in that form.

    Parameters
    ----------
    text : str
    dataset : Dataset
        Its names say which features and categories are meant.

    Raises
    ------
    DataError
        For text that is no TOML, an unknown key, feature or category, or a value of a wrong type.
    ProblemError
        For a value out of its range.
    """
    try:
        stated = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"The problem file is no TOML: {error}.") from None
    try:
        return _Reader(dataset).parts(stated)
    except OdtError:
        raise
    except (TypeError, AttributeError, LookupError, ValueError, OverflowError) as error:
        raise DataError(f"The problem file has a value of a wrong type: {error!r}.") from None


class _Reader:
    """Names of features and categories to their numbers."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    def parts(self, stated: Mapping[str, Any]) -> ProblemParts:
        _check_keys(stated, _KEYS, "The problem file")
        if "quantiles" in stated and "tests" in stated:
            raise DataError("The problem file gives both quantiles and tests. Take one of them.")
        usual = str(usual_objective(self.dataset))
        return ProblemParts(
            Objective.parse(stated.get("objective", usual)),
            self._shape(stated.get("shape", {})),
            self._tests(stated),
        )

    def _shape(self, stated: Mapping[str, Any]) -> Shape:
        _check_keys(stated, [limit.name for limit in fields(Shape)], "[shape]")
        read: dict[str, Callable[[Any], Any]] = {
            "forced": lambda m: {at: self._demand(d) for at, d in m.items()},
            "forbidden": lambda m: {at: tuple(map(self._demand, many)) for at, many in m.items()},
            "max_class_error": lambda many: {one["class"]: one["share"] for one in many},
            "feature_charges": lambda many: tuple(
                Charge(frozenset(map(self._feature, one["features"])), one["price"]) for one in many
            ),
        }
        return Shape(**{k: read[k](value) if k in read else value for k, value in stated.items()})

    def _tests(self, stated: Mapping[str, Any]) -> TestSet | None:
        if "quantiles" in stated:
            return TestSet.quantiles(self.dataset, stated["quantiles"])
        if "tests" not in stated:
            return None
        tests = tuple(map(self._test, stated["tests"]))
        return TestSet(tests, bool(stated.get("complete", False)))

    def _demand(self, stated: Any) -> Test | int:
        return self._feature(stated) if isinstance(stated, str) else self._test(stated)

    def _test(self, stated: Mapping[str, Any]) -> Test:
        _check_keys(stated, _TEST_KEYS, "A test")
        feature = self._feature(stated["feature"])
        if "categories" not in stated:
            codes, gaps_pass = stated.get("codes"), stated.get("missing_left", False)
            return Test(feature, stated.get("threshold"), codes, gaps_pass)
        known = self.dataset.schema.categories[feature]
        unknown = [value for value in stated["categories"] if value not in known]
        if unknown:
            raise DataError(
                f"{unknown[0]!r} is no category of {stated['feature']!r}. Categories: "
                f"{', '.join(map(repr, known))}."
            )
        codes = tuple(known.index(value) for value in stated["categories"])
        return Test(feature, stated.get("threshold"), codes)

    def _feature(self, name: str) -> int:
        names = self.dataset.feature_names
        if name not in names:
            raise DataError(
                f"The problem file names the feature {name!r}; the data have {', '.join(names)}."
            )
        return names.index(name)


def _check_keys(stated: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    unknown = [key for key in stated if key not in known]
    if unknown:
        raise DataError(f"{where} has the unknown key {unknown[0]!r}. Keys: {', '.join(known)}.")
