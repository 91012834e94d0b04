"""The sections that say why a graph is as it is: the tests of a discovery, the moves of a search."""

from __future__ import annotations

from deciban.choices import counted
from deciban.nets.discovery.result import Discovery
from deciban.nets.graphs.base import Edge
from deciban.nets.search.result import SearchResult
from deciban.nets.tests.results import TestResult
from deciban.reports.markup import Cell, Html, details, listed, note, number, table, text
from deciban.reports.page import Section

__all__ = ["discovery_sections", "notes_html", "search_section"]

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
