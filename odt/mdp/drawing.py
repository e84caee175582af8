"""Decision processes as layered matplotlib drawings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from odt.draw.axes import canvas, text_width
from odt.errors import ProblemError
from odt.model.picture.boxes import DARK, FONT, SMALL

MOST_STATES = 200
_SWEEPS = 8
_DOT, _GAP, _PAD, _LAYER, _MARGIN = 6.0, 7.0, 4.0, 62.0, 12.0
_HEIGHT = FONT + 2 * _PAD
_CHOSEN, _OTHER = "#f58518", "#c8c8c8"
_FACES = {"state": "#fde3c8", "action": "#ffffff"}

Node = Hashable
Places = dict[Node, tuple[float, float]]


def plot_process(process: Any, ax: Any = None) -> Any:
    """Draw a small decision process in layers, the best policy in words.

    States (round) and actions (square) take turns from the initial state downwards. What the best
    policy visits has a text: the examples of a state, the test or label of an action. Of the stop
    actions of a state only the one that is taken is drawn.

    Parameters
    ----------
    process : TreeMDP or networkx.DiGraph
        A graph as `odt.mdp.to_networkx` makes it.
    ax : matplotlib Axes, optional
        The drawing is scaled to fit. By default a new figure of its own size.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ProblemError
        If there are too many states to see anything.
    """
    graph = process.to_networkx(MOST_STATES) if hasattr(process, "to_networkx") else process.copy()
    n_states = sum(kind == "state" for _, kind in graph.nodes(data="kind"))
    if n_states > MOST_STATES:
        raise ProblemError(f"{n_states} states are too many to look at; {MOST_STATES} are drawn.")
    chosen = _reduced_to_tests(graph)
    measure = text_width()
    texts = {node: _text(graph.nodes[node]) for node in chosen}
    widths = {
        node: measure(texts[node], FONT) + 2 * _PAD if node in texts else _DOT for node in graph
    }
    places, width, height = _places(graph, widths)
    ax, scale = canvas(ax, width, height)
    _draw_edges(ax, graph, places, chosen, scale)
    for node, place in places.items():
        _draw_node(ax, graph.nodes[node]["kind"], place, widths[node], texts.get(node), scale)
    return ax


def _reduced_to_tests(graph: Any) -> set[Node]:
    """Take the end and the stops that are not taken out of a graph; return the best policy."""
    from odt.mdp.induction import from_networkx, root_of  # NetworkX loads slowly

    policy = from_networkx(graph).policy
    chosen = set(_visited(graph, policy, root_of(graph)))
    ends = {n for n, kind in graph.nodes(data="kind") if kind not in _FACES}
    stops = {n for n, code in graph.nodes(data="class_code") if code is not None}
    graph.remove_nodes_from([*ends, *(stops - set(policy.values()))])
    return chosen - ends


def _visited(graph: Any, policy: Any, root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        state = waiting.pop()
        yield state
        if state in policy:
            yield policy[state]
            waiting += graph.successors(policy[state])


def _text(node: dict[str, Any]) -> str:
    if node["kind"] == "state":
        return f"{node['samples']} examples" if "samples" in node else "state"
    return str(node.get("text", "action"))


def _places(graph: Any, widths: dict[Node, float]) -> tuple[Places, float, float]:
    """Spread each layer over the whole width, in an order of few crossings."""
    import networkx as nx

    layers = [list(layer) for layer in nx.topological_generations(graph)]
    need = [sum(widths[n] for n in layer) + _GAP * (len(layer) - 1) for layer in layers]
    width = max(need)
    places: Places = {}
    for depth, (layer, own) in enumerate(zip(layers, need, strict=True)):
        _spread(places, layer, widths, width - own, depth)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        neighbours = graph.predecessors if downwards else graph.successors
        depths = range(len(layers)) if downwards else reversed(range(len(layers)))
        for depth in depths:
            order = sorted(layers[depth], key=lambda n: _middle(places, neighbours(n), n))
            _spread(places, order, widths, width - need[depth], depth)
    height = (len(layers) - 1) * _LAYER + _HEIGHT + 2 * _MARGIN
    return places, width + 2 * _MARGIN, height


def _spread(
    places: Places, order: list[Node], widths: dict[Node, float], room: float, depth: int
) -> None:
    """Place a layer, what room there is between its nodes and at its ends."""
    more = room / (len(order) + 1)
    x = _MARGIN + more
    for node in order:
        places[node] = (x + widths[node] / 2, _MARGIN + _HEIGHT / 2 + depth * _LAYER)
        x += widths[node] + _GAP + more


def _middle(places: Places, neighbours: Iterator[Node], node: Node) -> float:
    found = [places[n][0] for n in neighbours]
    return sum(found) / len(found) if found else places[node][0]


def _draw_edges(ax: Any, graph: Any, places: Places, chosen: set[Node], scale: float) -> None:
    for a, b, answer in graph.edges(data="answer"):
        is_best = a in chosen and b in chosen
        (x, y), (to_x, to_y) = places[a], places[b]
        ax.plot(
            [x, to_x], [y, to_y], color=_CHOSEN if is_best else _OTHER,
            linewidth=(2.0 if is_best else 0.5) * scale, zorder=2 if is_best else 1,
        )  # fmt: skip
        if is_best and answer:
            behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.8 * scale}
            ax.text((x + to_x) / 2, (y + to_y) / 2, answer, fontsize=SMALL * scale, color=DARK,
                    ha="center", va="center", bbox=behind, zorder=3)  # fmt: skip


def _draw_node(
    ax: Any, kind: str, place: tuple[float, float], width: float, text: str | None, scale: float
) -> None:
    from matplotlib.patches import FancyBboxPatch

    height = _HEIGHT if text else _DOT
    round_by = height / 2 if kind == "state" else 0.5
    x, y = place
    ax.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={round_by}",
            facecolor=_FACES[kind] if text else _OTHER,
            edgecolor=_CHOSEN if text else _OTHER,
            linewidth=scale,
            zorder=4,
        )
    )
    if text:
        ax.text(x, y, text, fontsize=FONT * scale, ha="center", va="center", zorder=5,
                parse_math=False)  # fmt: skip
