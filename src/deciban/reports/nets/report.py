"""Reports on Bayes nets, of tables and of normal variables, and on graphs that were found by tests or by scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from math import isfinite
from typing import Any

from deciban.choices import counted
from deciban.errors import ColumnMismatchError, InputTypeError, ParameterError, TooLargeError
from deciban.nets import (
    DAG,
    BayesNet,
    Beliefs,
    Confidence,
    Discovery,
    GaussianNet,
    MixedNetwork,
    SearchResult,
    TestResult,
)
from deciban.nets.data.node_rows import Reads
from deciban.nets.graphs.graph import Edge, Graph, Node
from deciban.nets.graphs.marked import MarkedGraph
from deciban.nets.graphs.picture import GraphPicture, picture_of
from deciban.nets.inference.information import ArrowStrengths
from deciban.nets.scores.registry import SCORES
from deciban.nets.search.search import edge_support
from deciban.reports.markup import (
    Cell,
    Html,
    details,
    draw_graph,
    listed,
    note,
    number,
    paragraph,
    share_bar,
    table,
    text,
)
from deciban.reports.nets import probabilities
from deciban.reports.page import HtmlReport, Section, making_section, page
from deciban.ties import largest_first

__all__ = ["NETS", "NetOptions", "report_net"]


NETS = (BayesNet, GaussianNet, Discovery, SearchResult)
"""What a report on a net can be about."""

_CELLS = 100_000_000
"""The most table entries of a clique tree for which a report computes probabilities."""

_WORK, _FEWEST, _MOST, _NODES = 330_000_000, 10, 100, 200
"""Bootstrap samples: rows × nodes² in all, the fewest, the most, and the most nodes for which there are any."""


@dataclass(frozen=True)
class NetOptions:
    """What a caller can say about the page: its heading, and observed states or numbers that probabilities are given.

    `bootstrap` is the number of bootstrap samples, 0 for none; from 10 to 100 by the size of the data where not given.
    """

    title: str | None = None
    evidence: Mapping[Any, Any] | None = None
    bootstrap: int | None = None

    def __post_init__(self) -> None:
        if self.bootstrap is not None and (not isinstance(self.bootstrap, int) or self.bootstrap < 0):
            raise ParameterError(f"bootstrap is a number of samples, 0 for none; not {self.bootstrap!r}.")

    def samples(self, nodes: int, rows: int) -> int:
        """The number of bootstrap samples: as given, or as many as take some seconds."""
        if self.bootstrap is not None:
            return self.bootstrap
        return 0 if nodes > _NODES else min(max(_WORK // max(rows * nodes**2, 1), _FEWEST), _MOST)


@singledispatch
def report_net(net: object, data: Any, options: NetOptions) -> HtmlReport:  # noqa: ARG001
    """One page about a net, or about a graph that was found.

    `data` are rows with a column for each node, for a net: its edges are looked for in bootstrap samples of them.
    """
    raise InputTypeError(f"a report is about a fitted classifier or net, not about a {type(net).__name__}.")


@report_net.register
def _(net: BayesNet, data: Any, options: NetOptions) -> HtmlReport:
    network = net.network
    if isinstance(network, MixedNetwork):
        return _of_numbers_too(net, network, data, options)
    beliefs, strengths, reason = _inferred(net, options.evidence)
    support, without = _support(net, data, "categories", options)
    facts = [
        *_size(net.dag),
        (f"{network.n_parameters:,}", "free parameters"),
        (f"{max(map(len, network.states.values()), default=0):,}", "states of a node at most"),
    ]
    tally = getattr(net, "tally_", None)  # none where the tables were given
    sections = [
        overview_section(
            facts,
            _about(net) + without,
            "A Bayes net describes a joint distribution by a graph and a table for each node.",
        ),
        _net_graph(net.dag, strengths, support),
        *([] if strengths is None else [arrow_section(strengths, support, "uncertainty")]),
        probabilities.belief_section(beliefs) if beliefs is not None else probabilities.too_large_section(reason),
        probabilities.table_section(network, None if tally is None else tally.counts),
        *([] if data is None or beliefs is None else [probabilities.fit_section(network, data, net.marginals())]),
        net_making(net, has_data=data is not None, evidence=options.evidence),
    ]
    return _page(options.title or f"Bayes net of {counted(len(net.nodes), 'node')}", sections, _subtitle(net.dag))


def _of_numbers_too(net: BayesNet, network: MixedNetwork, data: Any, options: NetOptions) -> HtmlReport:
    """A net with numbers: what each node is, and its marginal distribution."""
    facts = [*_size(net.dag), (f"{network.n_parameters:,}", "free parameters")]
    said = _about(net) if hasattr(net, "tally_") else paragraph("The tables and regressions were given.")
    lead = "A Bayes net describes a joint distribution by a graph, tables of categories and regressions of numbers."
    sections = [
        overview_section(facts, said, lead),
        _net_graph(net.dag, None, None),
        *([probabilities.schema_section(net.schema_)] if hasattr(net, "schema_") else []),
        probabilities.mixed_section(net.marginals(options.evidence), net.marginals(), options.evidence or {}),
        net_making(net, has_data=data is not None, evidence=options.evidence),
    ]
    return _page(options.title or f"Bayes net of {counted(len(net.nodes), 'node')}", sections, _subtitle(net.dag))


@report_net.register
def _(net: GaussianNet, data: Any, options: NetOptions) -> HtmlReport:
    strengths, prior = net.arrow_strengths(), net.marginals()
    support, without = _support(net, data, "numbers", options)
    lead = "A Gaussian net describes a joint normal distribution by a graph and a linear regression for each node."
    sections = [
        overview_section(_size(net.dag), without, lead),
        _net_graph(net.dag, strengths, support),
        arrow_section(strengths, support, "variance"),
        probabilities.normal_section(net.marginals(options.evidence), prior, options.evidence or {}),
        probabilities.regression_section(net.parameters),
        net_making(net, has_data=data is not None, evidence=options.evidence),
    ]
    return _page(options.title or f"Gaussian net of {counted(len(net.nodes), 'node')}", sections, _subtitle(net.dag))


@report_net.register
def _(found: Discovery, data: Any, options: NetOptions) -> HtmlReport:
    _refuse(data, options.evidence, "a discovery")
    edges = _pairs(found.graph)
    sample = getattr(found.test, "sample", None)
    count = 0 if sample is None else options.samples(len(found.graph.nodes), len(sample))
    support = found.bootstrap(count) if count else None
    facts = [
        *_size(found.graph),
        (f"{found.tests:,}", "tests of independence"),
        (f"{len(found.conflicts):,}", "conflicts"),
        *([] if sample is None else [(f"{len(sample):,}", "rows")]),
    ]
    lead = "The graph was found by tests of independence: two variables are joined if no set of others separates them."
    sections = [
        overview_section(facts, notes_html(found.notes), lead),
        _found_graph(found.graph, support),
        *([] if support is None or not edges else [found_section(edges, support)]),
        *discovery_sections(found, edges),
        discovery_making(found, 0 if support is None else support.draws),
    ]
    return _page(options.title or "Graph found by tests of independence", sections, _subtitle(found.graph))


@report_net.register
def _(result: SearchResult, data: Any, options: NetOptions) -> HtmlReport:
    _refuse(data, options.evidence, "the result of a search")
    edges = _pairs(result.graph)
    count = 0 if result.sample is None else options.samples(len(result.graph.nodes), len(result.sample))
    support = result.bootstrap(count) if count else None
    facts = [
        *_size(result.graph),
        *([] if result.score is None else [(f"{result.score:,.1f}", f"{result.criterion}, in nats")]),
        (f"{len(result.moves):,}", "moves"),
        *([] if result.sample is None else [(f"{len(result.sample):,}", "rows")]),
    ]
    lead = "The graph was found by its score: how well it explains the rows, less a penalty for its parameters."
    sections = [
        overview_section(facts, notes_html(result.notes), lead),
        _found_graph(result.graph, support),
        *([] if support is None or not edges else [found_section(edges, support)]),
        search_section(result),
        search_making(result, 0 if support is None else support.draws),
    ]
    return _page(options.title or "Graph found by its score", sections, _subtitle(result.graph))


def _page(title: str, sections: list[Section], subtitle: str) -> HtmlReport:
    return HtmlReport(title, page(title, sections, subtitle=subtitle))


def _refuse(data: Any, evidence: Any, what: str) -> None:
    if data is not None:
        raise ParameterError(f"{what} has its rows already: leave out the data.")
    if evidence is not None:
        raise ParameterError(f"{what} has a graph but no tables: evidence is for a fitted net.")


def _inferred(net: BayesNet, evidence: Mapping[Any, Any] | None) -> tuple[Beliefs | None, ArrowStrengths | None, str]:
    """The probabilities and the strengths of arrows, or the reason why they are not computed."""
    cost = net.cost()  # before the tables are made: a clique tree of this size does not fit into memory
    if cost.cells > _CELLS:
        return None, None, f"Exact inference is too expensive for a report: {cost}. Ask net.estimate(node) instead."
    try:
        return net.beliefs(evidence), net.arrow_strengths(), ""
    except TooLargeError as error:
        return None, None, str(error)


def _support(net: BayesNet, data: Any, reads: Reads, options: NetOptions) -> tuple[Confidence | None, str]:
    """How often the edges are found in the rows, or a note why they are not looked for."""
    count = 0 if data is None else options.samples(len(net.nodes), _rows(data))
    if not count:
        return None, ""
    try:
        return edge_support(data, net.nodes, reads=reads, n=count), ""
    except ColumnMismatchError as error:
        return None, note(f"The edges were not looked for in the rows: {text(error, 300)}", "warning")


def _rows(data: Any) -> int:
    """The number of rows of a table, of whatever kind."""
    if isinstance(data, Mapping):
        return len(next(iter(data.values()), ()))
    return len(data)


def _net_graph(graph: Graph, strengths: ArrowStrengths | None, support: Confidence | None) -> Section:
    lead = "An arrow points from a parent to a child, whose table depends on the parent."
    if strengths is None:
        return graph_section(graph, picture_of(graph), lead=lead)
    # all shares may be 0
    most = max((strength.share for strength in strengths.values()), default=0.0) or 1.0
    drawn = picture_of(
        graph,
        strength=lambda a, b: strengths[a, b].share / most,
        is_weak=None if support is None else is_rarely_found(support),
    )
    caption = "Thick arrows remove much of the uncertainty about the child, given its other parents."
    if support is not None:
        caption += " Dashed arrows join pairs that a search finds in fewer than half of the bootstrap samples."
    return graph_section(graph, drawn, lead=lead, caption=caption)


def _found_graph(graph: Graph, support: Confidence | None) -> Section:
    lead = "An arrow points from a cause to an effect; of a line without an arrowhead, the data decide no direction."
    if isinstance(graph, MarkedGraph):
        lead = (
            "An arrowhead at a variable says that it is not a cause of the other; a tail, that it is; a circle, that "
            "the data do not decide. A line with two arrowheads joins two effects of a hidden common cause."
        )
    if support is None:
        return graph_section(graph, picture_of(graph), lead=lead)
    drawn = picture_of(graph, strength=support.edge, is_weak=is_rarely_found(support))
    caption = "Thick edges are found in most bootstrap samples, dashed ones in fewer than half."
    return graph_section(graph, drawn, lead=lead, caption=caption)


def _pairs(graph: Graph) -> list[Edge]:
    return [(a, b) for a, _, b in graph.edges]


def _size(graph: Graph) -> list[Fact]:
    return [(f"{len(graph.nodes):,}", "nodes"), (f"{len(_pairs(graph)):,}", "edges")]


def _subtitle(graph: Graph) -> str:
    names = ", ".join(text(node, 30) for node in graph.nodes[:8])
    return f"{names}{', …' if len(graph.nodes) > 8 else ''}"


def _about(net: BayesNet) -> str:
    """The rows that the tables were estimated from."""
    if not hasattr(net, "tally_"):
        return paragraph("The tables were given, not estimated from rows.")
    unseen = net.unseen_parents_
    said = f"The tables were estimated from {counted(net.tally_.rows, 'row')}."
    if not unseen.count:
        return paragraph(said, "Every combination of parents' states occurs in them.")
    parts = (f"{counted(unseen.count, 'combination')} of parents' states of {unseen.possible:,}", "occur in no row:")
    worst = sorted(unseen.values(), key=lambda rows: -len(rows))[:5]
    nodes = ", ".join(f"{text(rows.node)} ({len(rows):,} of {rows.possible:,})" for rows in worst)
    return paragraph(said) + note(
        f"{' '.join(parts)} their probabilities come from the smoothing alone. Most: {nodes}."
    )


Fact = tuple[str, str]
"""A number, and what it counts."""


def overview_section(facts: Iterable[Fact], rest_html: str, lead: str) -> Section:
    """Numbers at a glance, and what to know before reading on."""
    cards = "".join(
        f'<li><span class="value">{text(value)}</span><span class="of">{text(what)}</span></li>'
        for value, what in facts
    )
    return Section("Overview", f'<ul class="cards">{cards}</ul>{rest_html}', lead=lead, key="overview")


_ARROWS = 40
_IMPORT = "import deciban as db"
_TO_PAGE = " --format html -o report.html"
_OTHER = (
    "Background knowledge, sample weights and other options are not recorded in the result: add them where they were "
    "used."
)


def net_making(net: BayesNet, *, has_data: bool, evidence: Mapping[Any, Any] | None) -> Section:
    """Of a net: the settings of its fit, where it was fitted."""
    given = f", evidence={dict(evidence)!r}" if evidence else ""
    report = f"db.report(net{', data' if has_data else ''}{given}).save('report.html')"
    name = type(net).__name__
    settings = None if isinstance(net, GaussianNet) else getattr(net, "settings_", None)
    if not isinstance(net, GaussianNet) and settings is None:
        return making_section([("tables", "given")], [_IMPORT, "net = db.read_net('net.bif')", report])
    fit = "" if settings is None else f", smoothing={_rule(settings.smoothing)}, missing={settings.missing!r}"
    facts = [("model", name)]
    if settings is not None:
        facts += [
            ("smoothing", repr(settings.smoothing)),
            ("missing values", settings.missing),
            ("parents without rows", settings.unseen_parents),
        ]
    return making_section(facts, [_IMPORT, f"net = db.{name}({_arrows(net.dag)}).fit(data{fit})", report])


def discovery_making(found: Discovery, samples: int) -> Section:
    """Of a discovery: the test and its level; `samples` is the number of bootstrap samples."""
    alpha = getattr(found.test, "alpha", None)
    name = getattr(found.test, "name", type(found.test).__name__)
    facts = [("method", found.method), ("test", str(name))]
    facts += [] if alpha is None else [("alpha", f"{alpha:g}")]
    facts.append(("largest conditioning set", f"{found.depth:,}"))
    if getattr(found.test, "sample", None) is None:
        return making_section(facts, _lines("found", f"db.discover(db.Oracle(dag), {found.method!r})"), (), _OTHER)
    level = ("", "") if alpha is None else (f", alpha={alpha:g}", f" --alpha {alpha:g}")
    command = f"deciban discover data.csv --method {found.method}{level[1]} --bootstrap {samples}{_TO_PAGE}"
    return making_section(facts, _lines("found", f"db.discover(data, {found.method!r}{level[0]})"), [command], _OTHER)


def search_making(result: SearchResult, samples: int) -> Section:
    """Of a search: the score and the method; `samples` is the number of bootstrap samples."""
    facts = [("method", result.method), ("score", result.criterion)]
    if result.sample is None:
        return making_section(facts, _lines("result", "db.search(db.Oracle(dag))"), (), _OTHER)
    is_named = result.criterion in SCORES
    score = repr(result.criterion) if is_named else f"db.{result.criterion}"
    lines = _lines("result", f"db.search(data, {score}, method={result.method!r})")
    options = f"--score {result.criterion} --method {result.method} --bootstrap {samples}"
    return making_section(facts, lines, [f"deciban search data.csv {options}{_TO_PAGE}"] if is_named else [], _OTHER)


def _lines(name: str, call: str) -> list[str]:
    return [_IMPORT, f"{name} = {call}", f"db.report({name}).save('report.html')"]


def _rule(smoothing: object) -> str:
    """A smoothing, or one for each node, as Python code."""
    if isinstance(smoothing, Mapping):
        return f"{{{', '.join(f'{node!r}: {_rule(rule)}' for node, rule in smoothing.items())}}}"
    return f"db.{smoothing!r}"


def _arrows(dag: DAG) -> str:
    """The arrows of a graph as Python code; a long list is named only."""
    arrows = [f"({parent!r}, {child!r})" for parent, child in dag.directed_edges]
    return f"[{', '.join(arrows)}]" if len(arrows) <= _ARROWS else f"arrows  # {counted(len(arrows), 'pair')}\n"


_MOST_ARROWS = 60
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
    for (parent, child), strength in list(strengths.items())[:_MOST_ARROWS]:
        bits = number(f"{strength.bits:.4f}" if isfinite(strength.bits) else "∞")
        bar = Html(share_bar(strength.share), "bars")
        row: list[Cell] = [f"{parent} → {child}", bits, number(f"{strength.share:.1%}"), bar]
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
    # sorted first, so that equal shares do not follow the order in which the edges were found
    order = largest_first(sorted(edges, key=str), lambda edge: support.edge(*edge))
    rows: list[list[Cell]] = [
        [
            f"{a} — {b}",
            _percent(support.edge(a, b)),
            Html(share_bar(support.edge(a, b)), "bars"),
            _percent(support.arrow(a, b)),
            _percent(support.arrow(b, a)),
        ]
        for a, b in order[:_MOST_ARROWS]
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
        # the gain, in parentheses at the end of a move, has a column of its own
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
    shown = listed([*items[:_ITEMS], *more])
    summary = f"{title}: {len(items):,}"
    return details(summary, shown) if len(items) > 8 else f"<h3>{text(summary)}</h3>{shown}"


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
    edges = [f"{text(a)} {kind} {text(b)}" for a, kind, b in graph.edges]
    if not edges:
        return ""
    shown = "".join(f"<li>{edge}</li>" for edge in edges[:_MOST_EDGES])
    more = f"<p>and {len(edges) - _MOST_EDGES:,} more edges.</p>" if len(edges) > _MOST_EDGES else ""
    return details(f"The {counted(len(edges), 'edge')} as text", f'<ul class="columns">{shown}</ul>{more}')
