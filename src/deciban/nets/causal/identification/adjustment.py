"""Adjustment: which sets of observed variables turn seeing into doing.

  P(y | do(x)) = Σ_z P(y | x, z) P(z)

holds in every model of the graph exactly when Z holds no descendant of a node on a causal path from x to y (such a node
itself left out of x), and blocks every path from x to y that is not causal: the adjustment criterion (Shpitser,
VanderWeele and Robins, 2010; Perković, Textor, Kalisch and Maathuis, 2018), which finds all that Pearl's back-door
criterion (1993) finds, and more. With the first arrows of the causal paths taken out, the *proper back-door graph*, it
is one question of d-separation, so that the minimal sets are the minimal separators of a moral graph and can be listed
one after another (van der Zander, Liśkiewicz and Textor, 2019). Of all valid sets

  O = parents of the causal nodes, without what is forbidden and without x

gives the estimate of least variance (Henckel, Perković and Maathuis, 2022; Rotnitzky and Smucler, 2020).
"""

from __future__ import annotations

from collections.abc import Iterator

from deciban.nets.causal.identification.graphs import CausalGraph
from deciban.nets.causal.identification.separators import minimal_separators
from deciban.nets.graphs.bits import bits, reach
from deciban.nets.graphs.graph import DAG
from deciban.nets.graphs.separation import reached

__all__ = ["causal_nodes", "forbidden", "is_adjustment", "minimal_adjustments", "optimal_adjustment"]


def causal_nodes(g: CausalGraph, x: int, y: int) -> int:
    """The nodes on directed paths from x to y that meet x only at their start, without x."""
    down = reach([mask & ~x for mask in g.dag.child_masks], x)
    up = reach([mask & ~x for mask in g.dag.parent_masks], y)
    return down & (up | y)


def forbidden(g: CausalGraph, x: int, y: int) -> int:
    """The causal nodes and all that descends from them: to hold one of these constant hides or bends the effect."""
    between = causal_nodes(g, x, y)
    return between | reach(g.dag.child_masks, between)


def is_adjustment(g: CausalGraph, x: int, y: int, z: int) -> bool:
    """Whether adjusting for z gives the effect of x on y in every model of the graph."""
    if z & (x | y | g.hidden | forbidden(g, x, y)):
        return False
    return not reached(_back_door_graph(g, x, y), x, z) & y


def minimal_adjustments(g: CausalGraph, x: int, y: int, given: int = 0) -> Iterator[int]:
    """Every valid set of which no part is valid, with polynomial time between one and the next.

    With ``given``, every set that is valid together with it, and none of whose parts is; its members and ``given``
    then are no descendants of x, so that P(y | do(x), given) is an average over the set within each stratum.
    """
    away = reach(g.dag.child_masks, x) if given else forbidden(g, x, y)
    if given & away:
        return
    graph = _back_door_graph(g, x, y)
    whole = x | y | given
    beside = graph.moral_masks(whole | reach(graph.parent_masks, whole))
    open_nodes = {node: mask & ~given for node, mask in beside.items() if not given >> node & 1}
    yield from minimal_separators(open_nodes, x, y, g.observed & ~whole & ~away)


def optimal_adjustment(g: CausalGraph, x: int, y: int) -> int | None:
    """The set O, where all of it is observed and it is valid."""
    between = causal_nodes(g, x, y)
    found = 0
    for node in bits(between):
        found |= g.dag.parent_masks[node]
    found &= ~x & ~forbidden(g, x, y)
    return found if between and is_adjustment(g, x, y, found) else None


def _back_door_graph(g: CausalGraph, x: int, y: int) -> DAG:
    """The graph without the arrows from x that begin a causal path."""
    between = causal_nodes(g, x, y)
    masks = (mask & ~x if between >> node & 1 else mask for node, mask in enumerate(g.dag.parent_masks))
    return DAG._made(g.dag.nodes, tuple(masks))
