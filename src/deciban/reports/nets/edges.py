"""The sections on edges: how strong they are, and how often they are found again in bootstrap samples."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from deciban.choices import counted
from deciban.nets.discovery.result import Discovery
from deciban.nets.graphs.confidence import Confidence
from deciban.nets.graphs.graph import Edge, Graph, Node
from deciban.nets.graphs.picture import GraphPicture
from deciban.nets.independence.independence_test import TestResult
from deciban.nets.inference.arrow_strength import ArrowStrengths
from deciban.nets.search.result import SearchResult
from deciban.reports.charts import draw_graph, share_bar
from deciban.reports.markup import Cell, Html, details, listed, note, number, table, text
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = [
    "arrow_section",
    "discovery_sections",
    "found_section",
    "graph_section",
    "is_rarely_found",
    "notes_html",
    "search_section",
]


_MOST = 60
_HALF = 0.5
_OTHERS = 20


def is_rarely_found(support: Confidence) -> Callable[[Node, Node], bool]:
    """Whether an edge is found in fewer than half of the samples."""
    return lambda a, b: support.edge(a, b) < _HALF


def arrow_section(strengths: ArrowStrengths, support: Confidence | None, what: str) -> Section:
    """The arrows of a net by what a parent tells about its child, and how often a search finds them.

    `what` is "uncertainty" or "variance": that of the child, of which a parent removes a share.
    """
    heads: list[Cell] = ["arrow", number("bits"), number("share"), ""]
    if support is not None:
        heads += [number("edge found"), number("this direction")]
    rows: list[list[Cell]] = []
    for (parent, child), own in list(strengths.items())[:_MOST]:
        bits = number(f"{own.bits:.4f}" if isfinite(own.bits) else "∞")
        bar = Html(share_bar(own.share), "bars")
        row: list[Cell] = [f"{parent} → {child}", bits, number(f"{own.share:.1%}"), bar]
        if support is not None:
            row += [_percent(support.edge(parent, child)), _percent(support.arrow(parent, child))]
        rows.append(row)
    body = table(heads, rows, caption=f"Arrows by strength{_shown(len(rows), len(strengths))}", kind="edges")
    lead = (
        "What each parent tells about its child when the child's other parents are known, in bits, and the share of "
        f"the child's {what} that it removes: an arrow of 0 bits could be left out."
    )
    if support is not None:
        lead += (
            f" The last two columns say in how many of {counted(support.draws, 'bootstrap sample')} a search "
            "finds the edge, and finds that the data decide for this direction."
        )
        body += _not_in_net(support, set(strengths))
    return Section("Strength of the arrows", body, lead=lead, key="edges")


def found_section(edges: list[Edge], support: Confidence) -> Section:
    """The edges of a graph that was found, by how often they are found again."""
    order = largest_first(sorted(edges, key=str), lambda edge: support.edge(*edge))
    rows: list[list[Cell]] = [
        [
            f"{a} — {b}",
            _percent(support.edge(a, b)),
            Html(share_bar(support.edge(a, b)), "bars"),
            _percent(support.arrow(a, b)),
            _percent(support.arrow(b, a)),
        ]
        for a, b in order[:_MOST]
    ]
    heads: list[Cell] = ["edge", number("found"), "", number("first → second"), number("second → first")]
    body = table(heads, rows, caption=f"Edges by confidence{_shown(len(rows), len(edges))}", kind="edges")
    lead = (
        f"How often each edge is found again in {counted(support.draws, 'bootstrap sample')} of the rows, and how "
        "often with each direction: an edge that is found in fewer than half of them is uncertain."
    )
    return Section("Confidence in the edges", body + _not_in_net(support, set(edges)), lead=lead, key="edges")


def _not_in_net(support: Confidence, edges: set[Edge]) -> str:
    """Pairs that are often found adjacent in the samples but are not joined in the graph."""
    others = [
        (pair, share)
        for pair, share in largest_first(support.edges.items(), lambda item: item[1])
        if share >= _HALF and pair not in edges and pair[::-1] not in edges
    ]
    if not others:
        return ""
    items = [f"{text(a)} — {text(b)}: {share:.0%}" for (a, b), share in others[:_OTHERS]]
    more = [f"and {len(others) - _OTHERS:,} more"] if len(others) > _OTHERS else []
    what = "Pairs that are not joined in the graph, but in at least half of the samples:"
    return note(what) + listed([*items, *more])


def _percent(share: float) -> Html:
    return number(f"{share:.0%}")


def _shown(shown: int, total: int) -> str:
    return f": the first {shown:,} of {total:,}" if shown < total else ""


_EDGES, _PAIRS, _ITEMS, _MOVES = 60, 150, 40, 150


def discovery_sections(found: Discovery, edges: list[Edge]) -> list[Section]:
    """Why each edge is there, and why other pairs are not joined."""
    return [_joined(found, edges), _separated(found), *_contradictions(found)]


def notes_html(notes: tuple[str, ...]) -> str:
    """What to know before reading the graph."""
    return "".join(note(text(one[:1].upper() + one[1:], 600) + ".", "warning") for one in notes[:_ITEMS])


def search_section(result: SearchResult) -> Section:
    """The moves of a search."""
    rows: list[list[Cell]] = [
        [f"{step}", str(move).rsplit(" (", 1)[0], number(f"{move.gain:+z.4g}")]
        for step, move in enumerate(result.moves[:_MOVES], 1)
    ]
    body = table(["step", "move", number("gain")], rows, caption="Moves of the search") if rows else ""
    if len(rows) < len(result.moves):
        body += note(f"The first {len(rows):,} of {counted(len(result.moves), 'move')}.")
    if not rows:
        body = note("There are no moves: the method compares all graphs at once, or no arrow improves the score.")
    score = f"{text(result.criterion)}, in nats; higher is better"
    lead = f"The steps of the search, and what each adds to the score ({score})."
    return Section("How the graph was found", body, lead=lead, key="trail")


def _joined(found: Discovery, edges: list[Edge]) -> Section:
    rows: list[list[Cell]] = [[f"{a} — {b}", Html(text(found.explain_direction(a, b), 600))] for a, b in edges[:_EDGES]]
    body = table(["edge", "its direction"], rows, caption="Reasons for the edges", kind="reasons")
    if len(rows) < len(edges):
        body += note(
            f"The first {len(rows):,} of {counted(len(edges), 'edge')}; <code>found.explain(x, y)</code> has others."
        )
    if not rows:
        body = note("No two variables are joined.")
    lead = (
        f"Two variables are joined because none of {counted(found.tests, 'test')} of independence, given up to "
        f"{counted(found.depth, 'other')}, separates them; the table says why their edge points as it does."
    )
    return Section("Why edges are there", body, lead=lead, key="reasons")


def _separated(found: Discovery) -> Section:
    rows = [_removed(one) for one in found.removed[:_PAIRS]]
    heads: list[Cell] = ["pair", "separating set", "statistic", number("df"), number("p"), "verdict"]
    body = table(heads, rows, caption="Pairs without an edge") if rows else note("Every two variables are joined.")
    if len(rows) < len(found.removed):
        body += note(f"The first {len(rows):,} of {len(found.removed):,} pairs; <code>found.removed</code> has all.")
    lead = (
        "Every pair without an edge, and the set of variables that makes it independent: the test with the largest p "
        "(df: degrees of freedom). A verdict of “none” means that the rows are too few for the test."
    )
    return Section("Why other edges are not there", body, lead=lead, key="separated")


def _removed(one: TestResult) -> list[Cell]:
    given = ", ".join(map(str, one.given)) or "nothing"
    if one.measure == "d-separation":
        return [f"{one.x}, {one.y}", given, one.measure, "", "", one.verdict]
    return [
        f"{one.x}, {one.y}",
        given,
        f"{one.measure} = {one.statistic:.3g}",
        number(f"{one.df:.6g}"),
        number(_p(one.p)),
        one.verdict,
    ]


def _contradictions(found: Discovery) -> list[Section]:
    """Colliders, which direct the graph, and what does not fit."""
    parts = []
    if found.colliders:
        parts.append(_items("Common effects, which direct the edges", [text(one, 300) for one in found.colliders]))
    if found.conflicts:
        parts.append(_items("Findings that contradict stronger ones", [text(one, 300) for one in found.conflicts]))
    if found.ambiguous:
        open_ = [f"{text(x)} — {text(z)} — {text(y)}" for x, z, y in found.ambiguous]
        parts.append(_items("Triples for which the data do not decide whether they are common effects", open_))
    if not parts:
        return []
    lead = "The findings that give the edges their directions, and where they contradict each other."
    return [Section("Directions", "".join(parts), lead=lead, key="directions")]


def _items(title: str, items: list[str]) -> str:
    more = [f"and {len(items) - _ITEMS:,} more"] if len(items) > _ITEMS else []
    held = listed([*items[:_ITEMS], *more])
    summary = f"{title}: {len(items):,}"
    return details(summary, held) if len(items) > 8 else f"<h3>{text(summary)}</h3>{held}"


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-4 or p == 0 else f"{p:.0e}"


_MOST_EDGES = 300


def graph_section(graph: Graph, drawn: GraphPicture, *, lead: str, caption: str = "") -> Section:
    """The picture of a graph in the colours of the page; a sentence says which part of a large graph it is."""
    part = ""
    if drawn.centre is not None:
        shown, all_ = f"{len(drawn.nodes):,}", counted(len(graph.nodes), "node")
        part = note(
            f"The picture shows {shown} of {all_}: {text(drawn.centre)}, which has the most neighbours, and the nodes "
            "nearest to it."
        )
    picture = draw_graph(drawn, "net", label="The graph", caption=caption)
    return Section("Graph", part + picture + _edges_in_words(graph), lead=lead, key="graph")


def _edges_in_words(graph: Graph) -> str:
    """The parents of each node, for readers who do not see the picture."""
    edges = _edges(graph)
    shown = "".join(f"<li>{edge}</li>" for edge in edges[:_MOST_EDGES])
    more = f"<p>and {len(edges) - _MOST_EDGES:,} more edges.</p>" if len(edges) > _MOST_EDGES else ""
    held = f'<ul class="columns">{shown}</ul>{more}'
    return details(f"The {counted(len(edges), 'edge')} as text", held) if edges else ""


def _edges(graph: Graph) -> list[str]:
    return [f"{text(a)} {kind} {text(b)}" for a, kind, b in graph.edges]
