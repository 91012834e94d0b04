"""A page of its own with a live net: it carries the tables and needs no Python, no server and no network.

The page holds a tree of buckets, one for each node in an order of elimination, and its script passes messages on it
(``Propagation`` in assets/live.js). Nets whose buckets would be too large for a page are refused.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from deciban.errors import InputError, TooLargeError
from deciban.nets import BayesNet
from deciban.nets.inference.elimination import plan
from deciban.nets.network import Network
from deciban.reports.page import HtmlReport, Section, making_section, page
from deciban.widget.answers import LiveNet
from deciban.widget.scene import net_scene

__all__ = ["START", "live_document", "live_page", "live_script", "propagation"]

_MOST_CELLS = 200_000

# The last lines of the script in a page: the document is in the element "live-net", and the picture goes into "live".
START = """
const host = document.getElementById("live");
host.replaceChildren();
render({ model: localModel(JSON.parse(document.getElementById("live-net").textContent)), el: host });
"""
_PLACE = '<div id="live"><p class="note">The picture needs scripts, which are switched off here.</p></div>'
_LEAD = "Click a state to observe it: each bar is a probability given all findings, the outline the one before."
_READ = """<p><b>Observing</b> a state says what was seen. <b>Setting</b> it (Shift and click) says that something from
outside has put the node into this state: the edges into it are cut, so nothing is learned about its causes.
<b>Weighing</b> it (drag its bar) is for a finding that is uncertain: how probable the finding is in this state,
compared with the others.</p>"""


def live_page(net: BayesNet, title: str = "Bayes net") -> HtmlReport:
    """A page with the live net, which answers without Python."""
    document = live_document(net)
    sections = [
        Section("The net", _PLACE, lead=_LEAD, key="net"),
        Section("How to read it", _READ, key="reading"),
        making_section(
            [("nodes", f"{len(net.nodes)}")],
            ["import deciban as db", "", 'net = db.read_net("net.bif")', 'net.live_page().save("net.html")'],
        ),
    ]
    html = page(title, sections, data={"live-net": document}, modules=[live_script() + START])
    return HtmlReport(title, html)


def live_document(net: BayesNet) -> dict[str, Any]:
    """What the script needs to draw a net and to answer for it, as JSON."""
    live = LiveNet(net)
    reasons = [live.reason(edge) for edge in range(len(net.dag.directed_edges))]
    return {"scene": net_scene(net), "net": propagation(net), "reasons": reasons}


def propagation(net: BayesNet) -> dict[str, Any]:
    """The tables of a net and a tree of buckets, as the script wants them; an error where they are too large."""
    network = net.network
    if not isinstance(network, Network):
        raise InputError("a page without Python has only nets of categories; this net has numbers")
    order = plan(network.families, network.cards, range(len(network.nodes))).order
    buckets = _buckets(network, order)
    cells = sum(size for _, _, size in buckets)
    if cells > _MOST_CELLS:
        raise TooLargeError(
            f"exact inference in this net needs tables of {cells:,} entries, and a page without Python takes up to "
            f"{_MOST_CELLS:,}; use net.widget() in a notebook"
        )
    return {
        "cards": list(network.cards),
        "order": list(order),
        "buckets": [{"scope": list(scope), "parent": parent} for scope, parent, _ in buckets],
        "factors": [
            {"scope": list(family), "table": factor.ravel().tolist()}
            for family, factor in zip(network.families, network.factors, strict=True)
        ],
    }


def _buckets(network: Network, order: tuple[int, ...]) -> list[tuple[tuple[int, ...], int, int]]:
    """For each node in this order: its scope, which it begins, the bucket that gets its message, and its size."""
    position = {node: place for place, node in enumerate(order)}
    beside: dict[int, set[int]] = {node: set() for node in order}
    for family in network.families:
        for node in family:
            beside[node] |= set(family) - {node}
    buckets = []
    for node in order:
        later = sorted(beside[node], key=position.__getitem__)
        for other in later:
            beside[other] |= beside[node] - {other}
            beside[other].discard(node)
        scope = (node, *later)
        size = 1
        for member in scope:
            size *= network.cards[member]
        buckets.append((scope, position[later[0]] if later else -1, size))
    return buckets


@cache
def live_script() -> str:
    """The module that draws live pictures."""
    return (files("deciban.widget") / "assets" / "live.js").read_text(encoding="utf-8")
