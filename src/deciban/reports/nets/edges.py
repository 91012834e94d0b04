"""The sections on edges: how strong they are, and how often they are found again in bootstrap samples."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from deciban.choices import counted
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.confidence import Confidence
from deciban.nets.inference.arrow_strength import ArrowStrengths
from deciban.reports.charts import share_bar
from deciban.reports.markup import Cell, Html, listed, note, number, table, text
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = ["arrow_section", "found_section", "is_rarely_found"]

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
