"""Pictures: nothing overlaps, thresholds still separate, and every curve has its name."""

import itertools
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt

import odt
from heuristics.generators import CartLeaves
from odt import Dataset, Problem, Shape, Test, Tree
from odt.draw.html import front_html
from odt.draw.report import comparison_html
from odt.mdp import TreeMDP
from odt.model.picture.captions import separating
from odt.model.picture.svg import tree_svg

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def iris():
    """The problem of depth 2, and its optimum."""
    problem = Problem(odt.datasets.load_dataset("iris"), shape=Shape(max_depth=2))
    return problem, odt.solve(problem, "dp")


def random_tree(rng, n_leaves, n_classes=4):
    """Return a tree of any form, split at random leaves, with names of all lengths."""
    names = [
        "x",
        "petal length (cm)",
        "a rather long name of a column that must be wrapped",
        "W$m_2",
    ]
    tree = Tree.leaf(int(rng.integers(n_classes)))
    while tree.n_leaves < n_leaves:
        leaves = [node for node, test in enumerate(tree.tests) if test is None]
        test = Test(int(rng.integers(len(names))), threshold=float(rng.normal()))
        ends = (Tree.leaf(int(c)) for c in rng.integers(n_classes, size=2))
        tree = tree.with_subtree(int(rng.choice(leaves)), Tree.branch(test, *ends))
    X, y = rng.normal(size=(300, len(names))), rng.permutation(300) % n_classes
    labels = np.array(["nay", "yea", "an unusually wordy label", "ü"])[y]
    return tree.fitted(Dataset(X, labels, feature_names=names))


def overlaps(ax):
    """Return the pairs of boxes and texts that overlap, and lines that run through boxes."""
    ax.figure.draw_without_rendering()
    renderer = ax.figure.canvas.get_renderer()
    boxes = [
        patch.get_window_extent(renderer) for patch in ax.patches if hasattr(patch, "get_boxstyle")
    ]
    answers = [t for t in ax.texts if t.get_text() in ("yes", "no") and t.get_bbox_patch()]
    texts = [t for t in ax.texts if t not in answers]
    found = [
        (a.bounds, b.bounds)
        for a, b in itertools.combinations(
            [*boxes, *(t.get_window_extent(renderer) for t in answers)], 2
        )
        if a.overlaps(b)
    ]
    for text in texts:  # each within its own box
        extent = text.get_window_extent(renderer)
        if not any(box.x0 <= extent.x0 and extent.x1 <= box.x1 and box.y0 <= extent.y0
                   and extent.y1 <= box.y1 for box in boxes):  # fmt: skip
            found.append(text.get_text())
    shrunk = [box.expanded(0.98, 0.95) for box in boxes]
    for line in ax.lines:
        path = line.get_path().transformed(line.get_transform())
        found += [line for box in shrunk if path.intersects_bbox(box, filled=False)]
    return found


@pytest.mark.parametrize("direction", ["auto", "down", "right"])
def test_no_overlaps_in_trees_of_31_leaves(direction):
    """At the default size: boxes, texts, answers and lines of random trees keep apart."""
    rng = np.random.default_rng(3)
    for _ in range(4):
        ax = odt.plot_tree(random_tree(rng, 31), direction=direction)
        assert overlaps(ax) == []
        assert max(ax.figure.get_size_inches()) < 50


def test_no_overlaps_in_given_axes():
    """A tree shrinks to fit into a figure of the usual size, or beside another picture."""
    rng = np.random.default_rng(4)
    for n_leaves, parts in ((1, 2), (2, 2), (8, 2), (31, 1)):
        figure = plt.figure(figsize=(12, 9))
        for ax in figure.subplots(1, parts, squeeze=False)[0]:
            odt.plot_tree(random_tree(rng, n_leaves), ax)
            assert overlaps(ax) == []


def test_written_thresholds_send_all_training_rows_the_same_way():
    """Rounded to few digits, they still separate: also for neighbours of one bit."""
    rng = np.random.default_rng(5)
    for _ in range(2000):
        base = float(rng.choice([0, 1, -3, 1e9, 1e-12]))
        step = float(rng.choice([1, 0.1, 1e-7, np.spacing(abs(base))]))
        low, high = base, base + step * int(rng.integers(1, 9))
        middle = low / 2 + high / 2
        written = separating(middle, low, high)
        assert low <= written < high
        assert len(repr(written)) <= len(repr(middle)) + 2
    assert separating(2.4499999, 2.4, 2.5) == 2.4
    assert separating(0.123456, float("nan"), 0.2) == 0.123
    assert separating(0.123456, float("nan"), float("nan")) == 0.123456


def test_thresholds_follow_the_data_that_are_given():
    """Other rows between the training values need more digits."""
    tree = Tree.branch(Test(0, threshold=2.4567), Tree.leaf(0), Tree.leaf(1))
    few = Dataset([[1.0], [4.0]], [0, 1], feature_names=["x"])
    many = Dataset([[2.45], [2.46]], [0, 1], feature_names=["x"])
    texts = [odt.plot_tree(tree.fitted(few), data=d).texts[2].get_text() for d in (None, many)]
    assert texts == ["x <= 2", "x <= 2.457"]


def test_svg_is_well_formed_and_complete(iris):
    """One text a node line and a branch two, whatever the labels hold; no reference outwards."""
    problem, result = iris
    names = ["<script>alert(1)</script>", "a & b", '"', "\x00\u2028"]
    tree = result.tree.fitted(Dataset(problem.dataset.X, problem.dataset.y, feature_names=names))
    for drawn in (tree, Tree.leaf(0), random_tree(np.random.default_rng(0), 31)):
        svg = tree_svg(drawn)
        root = ElementTree.fromstring(svg)
        texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts.count("yes") == texts.count("no") >= drawn.n_branches
        assert "<script" not in svg
        assert svg.count("http") == 1  # the name space


def test_notebooks_show_trees_results_and_fronts(iris):
    """HTML with the numbers, and short text besides."""
    problem, result = iris
    assert "<svg" in result.tree._repr_html_()
    assert "petal width" in result.tree._repr_html_()
    html = result._repr_html_()
    for piece in ("optimal", "0.04", "<svg"):
        assert piece in html
    front = odt.pareto(problem)
    assert front_html(front) == front._repr_html_()
    assert front._repr_html_().count("<tr>") == len(front.points) + 1
    for shown in (result, front, result.tree):
        assert len(repr(shown)) < 250
    none = odt.solve(Problem(problem.dataset, shape=Shape(max_depth=1, max_error=0)), "dp")
    assert "infeasible" in none._repr_html_()
    assert "<svg" not in none._repr_html_()


def test_a_huge_tree_is_text_in_notebooks():
    """A browser would choke on thousands of boxes."""
    chain = Tree.preorder(
        [Test(0, threshold=float(t)) for t in range(300)] + [None] * 301, [0] * 601
    )
    assert chain._repr_html_().startswith("<pre>")


def test_fronts_have_a_legend(iris):
    """Each front is named; fronts against different measures are refused."""
    problem, _ = iris
    front, size = odt.pareto(problem), odt.pareto(problem, "error,size")
    names = [t.get_text() for t in odt.plot_front({"A": front, "B": front}).get_legend().texts]
    assert names == ["A", "B"]
    assert odt.plot_front(front).get_xlabel() == "expected tests"
    with pytest.raises(odt.ProblemError, match="error,expected_tests, error,size"):
        odt.plot_front({"A": front, "B": size})
    with pytest.raises(odt.ProblemError, match="no front"):
        odt.plot_front({})


def test_traces_show_incumbent_and_bound(iris):
    """Both end at the optimum: 6 of 150 wrong are 0.04; orders show their first level."""
    problem, result = iris
    ax = odt.plot_trace(result)
    labels = [t.get_text() for t in ax.get_legend().texts]
    assert labels == ["dp: incumbent", "dp: bound"]
    for line in ax.lines:
        if line.get_label() in labels:
            assert line.get_ydata()[-1] == pytest.approx(0.04)
    ordered = odt.solve(Problem(problem.dataset, "error, size", Shape(max_depth=1)), "dp")
    assert odt.plot_trace({"one": ordered}).get_ylabel() == "error"
    with pytest.raises(odt.ProblemError, match="one objective"):
        odt.plot_trace({"a": result, "b": ordered})


def test_gaps_show_value_and_bound(iris):
    """A row for each solver with a tree; heuristics are marked."""
    problem, _ = iris
    table = odt.compare(problem, ["cart", "dp"])
    ax = odt.plot_gaps(table)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["cart ~", "dp"]
    assert "optimal" in [t.get_text() for t in ax.texts]
    with pytest.raises(odt.ProblemError, match="no gap to draw"):
        odt.plot_gaps(table.assign(objective=None))


def test_processes_are_drawn_in_layers_without_overlaps(iris):
    """Texts of the best policy stand in their boxes, and no two nodes of a layer overlap."""
    problem, _ = iris
    mdp = TreeMDP(problem, CartLeaves(4, last_level="same"))
    for process in (mdp, mdp.to_networkx()):
        ax = odt.plot_process(process)
        ax.figure.draw_without_rendering()
        boxes = [patch.get_window_extent() for patch in ax.patches]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        texts = [t for t in ax.texts if t.get_bbox_patch() is None]
        assert any("petal" in t.get_text() for t in texts)
        for text in texts:
            x0, y0, x1, y1 = text.get_window_extent().extents
            assert any(b.x0 <= x0 and x1 <= b.x1 and b.y0 <= y0 and y1 <= b.y1 for b in boxes)


def test_report_holds_everything(iris):
    """The question, a row and a tree for each solver, reasons, and nothing from outside."""
    problem, _ = iris
    attempts = []
    table = odt.compare(problem, ["cart", "min-size", "dp"], on_attempt=attempts.append)
    page = comparison_html("iris & <co>", problem, attempts, table)
    assert "<h1>iris &amp; &lt;co&gt;</h1>" in page
    assert page.count("Decision tree of") == 2
    assert "max_depth = 2" in page
    assert "min-size: The solver" in page
    assert all(word not in page for word in ("<script", "src=", "@import", "url("))


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_report_opens_in_a_browser_without_errors(iris, tmp_path):
    """Headless Chromium loads it, logs nothing to the console, and no text leaves its box."""
    problem, _ = iris
    attempts = []
    table = odt.compare(problem, ["cart", "dp"], on_attempt=attempts.append)
    wide = random_tree(np.random.default_rng(1), 31)
    page = comparison_html("iris", problem, attempts, table)
    check = """<script>
    let bad = [];
    for (const t of document.querySelectorAll('svg[role=img] text')) {
      const b = t.getBBox();
      const v = t.ownerSVGElement.viewBox.baseVal;
      if (b.x < -1 || b.x + b.width > v.width + 1) bad.push(t.textContent);
    }
    for (const svg of document.querySelectorAll('svg[role=img]')) {
      const ts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBBox()]);
      for (let i = 0; i < ts.length; i++) for (let j = 0; j < i; j++) {
        const [s, a] = ts[i], [u, b] = ts[j];
        if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 3 < b.y + b.height
            && b.y + 3 < a.y + a.height) bad.push(s + ' / ' + u);
      }
    }
    document.title = 'checked ' + bad.length + ' ' + bad.join('; ');
    </script>"""
    path = tmp_path / "report.html"
    path.write_text(page.replace("</body>", f"{tree_svg(wide)}{check}</body>"))
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    assert "<title>checked 0 </title>" in done.stdout
