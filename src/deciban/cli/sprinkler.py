"""The sprinkler of the notes: days drawn from a net, its graph found again, and what seeing and doing say.

The season, whether the sprinkler is on, whether it rains, and whether the pavement is wet and slippery ("Bayes Nets").
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
    """Show the example: a graph from rows, tables by counting, and answers."""
    show_title(console, "The sprinkler", f"{_ROWS:,} days drawn from the notes' graph, which is then found again")
    days = GARDEN.sample(_ROWS, random_state=0)
    found = discover(days)
    _show_graph(console, found)
    tiers = [["season"], ["sprinkler", "rain"], ["wet"], ["slippery"]]
    net = BayesNet(search(days, knowledge=Knowledge(tiers=tiers)).dag).fit(days)
    show_heading(
        console, "Seeing is not doing", 'net.query("rain", {"wet": "yes"})   net.do({"wet": "yes"}).query("rain")'
    )
    rows = [(label, f"{asked:.3f}", f"{true:.3f}") for label, asked, true in _answers(net)]
    show_body(console, simple_table(["P(rain)", "counted", "true"], rows))


def _show_graph(console: Console, found: Discovery) -> None:
    show_heading(console, "Its graph, from tests of independence", "found = db.discover(days); found.graph")
    edges = [f"{a} → {b}" for a, b in found.graph.directed_edges]
    edges += [f"{a} — {b}" for a, b in found.graph.undirected_edges]
    show_body(console, Text(", ".join(edges)))
    console.print()
    show_body(console, Text(found.explain("sprinkler", "rain")))


def _answers(net: BayesNet) -> list[tuple[str, float, float]]:
    seen: Mapping[str, Evidence] = {
        "nothing is known": {},
        "the pavement is seen to be wet": {"wet": "yes"},
        "it is wet, and the sprinkler is on": {"wet": "yes", "sprinkler": "yes"},
    }
    rows = [(label, *(one.query("rain", evidence)["yes"] for one in (net, GARDEN))) for label, evidence in seen.items()]
    wetted = (one.do({"wet": "yes"}).query("rain")["yes"] for one in (net, GARDEN))
    return [*rows, ("the pavement is wetted with a hose", *wetted)]
