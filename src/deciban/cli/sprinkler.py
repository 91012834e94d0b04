"""The sprinkler network: sample rows, learn the graph, estimate the tables, and compare observing with intervening.

The nodes are the season, whether the sprinkler is on, whether it rains, and whether the pavement is wet and slippery
("Bayes Nets").
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from deciban.cli.show import show_body, show_heading, show_title, simple_table
from deciban.nets import DAG, BayesNet, Discovery, Knowledge, discover
from deciban.nets.network import Evidence
from deciban.nets.search.search import search

__all__ = ["GARDEN", "show_sprinkler"]


_NO_YES = ("no", "yes")
_ROWS = 4000

GARDEN = BayesNet.from_tables(
    DAG([("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet"), ("wet", "slippery")]),
    {"season": ("dry", "rainy"), "sprinkler": _NO_YES, "rain": _NO_YES, "wet": _NO_YES, "slippery": _NO_YES},
    {
        "season": [0.5, 0.5],
        "sprinkler": [[0.3, 0.7], [0.8, 0.2]],
        "rain": [[0.9, 0.1], [0.3, 0.7]],
        "wet": [[[0.98, 0.02], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
        "slippery": [[0.95, 0.05], [0.2, 0.8]],
    },
)


def show_sprinkler(console: Console) -> None:
    """Show the example: a graph learned from rows, tables estimated by counting, and queries."""
    show_title(
        console, "The sprinkler network", f"{_ROWS:,} rows sampled from a Bayes net; the graph is learned from the rows"
    )
    days = GARDEN.sample(_ROWS, random_state=0)
    result = discover(days)
    _show_graph(console, result)
    tiers = [["season"], ["sprinkler", "rain"], ["wet"], ["slippery"]]
    net = BayesNet(search(days, knowledge=Knowledge(tiers=tiers)).dag).fit(days)
    show_heading(
        console,
        "Observation and intervention",
        'net.query("rain", {"wet": "yes"})   net.do({"wet": "yes"}).query("rain")',
    )
    rows = [(label, f"{learned:.3f}", f"{true:.3f}") for label, learned, true in _queries(net)]
    show_body(console, simple_table(["query", "learned", "true"], rows))
    show_body(
        console,
        "\nA wet pavement is evidence for rain, unless the sprinkler explains it.\n"
        "Wetting the pavement does not change the probability of rain.",
    )


def _show_graph(console: Console, result: Discovery) -> None:
    show_heading(console, "Learn the graph by independence tests (PC)", "result = db.discover(days); result.graph")
    edges = [f"{a} → {b}" for a, b in result.graph.directed_edges]
    edges += [f"{a} — {b}" for a, b in result.graph.undirected_edges]
    show_body(console, Text(", ".join(edges)))
    console.print()
    show_body(console, Text(result.explain("sprinkler", "rain")))


def _queries(net: BayesNet) -> list[tuple[str, float, float]]:
    """Each query with its result in the learned net and in the true one."""
    observed: Mapping[str, Evidence] = {
        "P(rain)": {},
        "P(rain | wet)": {"wet": "yes"},
        "P(rain | wet, sprinkler)": {"wet": "yes", "sprinkler": "yes"},
    }
    nets = (net, GARDEN)
    rows = [(query, *(n.query("rain", evidence)["yes"] for n in nets)) for query, evidence in observed.items()]
    return [*rows, ("P(rain | do(wet))", *(n.do({"wet": "yes"}).query("rain")["yes"] for n in nets))]
