"""Adjustment sets: covariates Z with which the effect can be estimated from observations.

  P(y | do(x)) = Σ_z P(y | x, z) P(z)

holds in every model of the graph if and only if Z contains no descendant of a node other than x on a causal path from x
to y, and blocks every non-causal path from x to y: the adjustment criterion (Shpitser,
VanderWeele and Robins, 2010; Perković, Textor, Kalisch and Maathuis, 2018), which finds all that Pearl's back-door
criterion (1993) finds, and more. In the *proper back-door graph*, which lacks the first arrows of the
causal paths, it is d-separation, so the minimal sets are the minimal separators of a moral graph and can be listed
one after another (van der Zander, Liśkiewicz and Textor, 2019). Of all valid sets

  O = parents of the causal nodes, without the forbidden nodes and x

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
    down = reach([mask & ~x for mask in g.dag._child_masks], x)
    up = reach([mask & ~x for mask in g.dag._parent_masks], y)
    return down & (up | y)


def forbidden(g: CausalGraph, x: int, y: int) -> int:
    """The causal nodes and their descendants: adjusting for one of these biases the effect."""
    between = causal_nodes(g, x, y)
    return between | reach(g.dag._child_masks, between)


def is_adjustment(g: CausalGraph, x: int, y: int, z: int) -> bool:
    """Whether adjusting for z gives the effect of x on y in every model of the graph."""
    if z & (x | y | g.hidden | forbidden(g, x, y)):
        return False
    return not reached(_back_door_graph(g, x, y), x, z) & y


def minimal_adjustments(g: CausalGraph, x: int, y: int, given: int = 0) -> Iterator[int]:
    """All minimal valid sets, with polynomial delay.

    With ``given``, all minimal sets that are valid together with it; neither contains a descendant of x, so that
    P(y | do(x), given) is an average over the set within each stratum.
    """
    excluded = reach(g.dag._child_masks, x) if given else forbidden(g, x, y)
    if given & excluded:
        return
    graph = _back_door_graph(g, x, y)
    whole = x | y | given
    beside = graph._moral_masks(whole | reach(graph._parent_masks, whole))
    open_nodes = {node: mask & ~given for node, mask in beside.items() if not given >> node & 1}
    yield from minimal_separators(open_nodes, x, y, g.observed & ~whole & ~excluded)


def optimal_adjustment(g: CausalGraph, x: int, y: int) -> int | None:
    """The set O, if it is observed and valid."""
    between = causal_nodes(g, x, y)
    found = 0
    for node in bits(between):
        found |= g.dag._parent_masks[node]
    found &= ~x & ~forbidden(g, x, y)
    return found if between and is_adjustment(g, x, y, found) else None


def _back_door_graph(g: CausalGraph, x: int, y: int) -> DAG:
    """The graph without the arrows from x that start a causal path."""
    between = causal_nodes(g, x, y)
    masks = (mask & ~x if between >> node & 1 else mask for node, mask in enumerate(g.dag._parent_masks))
    return DAG._made(g.dag.nodes, tuple(masks))
