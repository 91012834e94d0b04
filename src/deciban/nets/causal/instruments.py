"""Instruments: nodes that move the cause, and reach the effect only through it.

z is an instrument given w for the effect of x on y if, with w free of the nodes on causal paths and their descendants,

  (1) z and x are d-connected given w, and
  (2) z and y are d-separated given w in the graph without the first arrows of the causal paths from x to y

(Brito and Pearl, 2002; van der Zander, Textor and Liśkiewicz, 2015, here for the total effect). In a linear model, the
effect then is cov(z, y | w) / cov(z, x | w), whatever hidden common causes x and y have. Without linearity that does
not follow: an instrument does not identify P(y | do(x)).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.causal.criteria import back_door_graph, causal_nodes, forbidden, minimal_separators
from deciban.nets.graphs.bits import bits, reach
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.separation import reached

__all__ = ["Instrument", "find_instruments"]

# Of the minimal sets that separate a node from the effect, how many are tried.
_MOST_SETS = 1000


@dataclass(frozen=True)
class Instrument:
    """A node that is an instrument given a set of nodes.

    Attributes
    ----------
    node : node
        The instrument.
    given : frozenset
        The nodes to adjust for.

    See Also
    --------
    Identification : Its ``instruments``.

    Examples
    --------
    >>> import deciban as db
    >>> g = db.DAG([("draft", "service"), ("service", "wage")])
    >>> found = db.identify(g, cause="service", effect="wage", confounded=[("service", "wage")])
    >>> found.instruments
    (Instrument(draft),)
    """

    node: Node
    given: frozenset[Node] = frozenset()

    def __str__(self) -> str:
        return f"{self.node} given {', '.join(sorted(map(str, self.given)))}" if self.given else str(self.node)

    def __repr__(self) -> str:
        return f"Instrument({self})"


def find_instruments(g: CausalGraph, x: int, y: int) -> list[tuple[int, int]]:
    """Each instrument, a node, with the smallest set found that makes it one: those that need none first.

    >>> g = CausalGraph.read(DAG([("z", "x"), ("x", "y")]), confounded=[("x", "y")])
    >>> find_instruments(g, 0b010, 0b100)
    [(0, 0)]
    """
    if not causal_nodes(g, x, y):
        return []
    graph = back_door_graph(g, x, y)
    # What x causes does not move x.
    allowed = g.observed & ~x & ~forbidden(g, x, y)
    found = [
        (node, given)
        for node in bits(allowed & ~reach(g.dag._child_masks, x))
        if (given := _given(g.dag, graph, 1 << node, x, y, allowed & ~(1 << node))) is not None
    ]
    return sorted(found, key=lambda pair: (pair[1].bit_count(), pair[0]))


def _given(dag: DAG, graph: DAG, z: int, x: int, y: int, allowed: int) -> int | None:
    """A smallest set among those tried that makes z an instrument; None where there is none."""
    # Only z's connections to y that do not go through the effect of x are left in the graph.
    if not reached(graph, z, 0) & y:
        sets: list[int] = [0]
    else:
        whole = z | y
        beside = graph._moral_masks(whole | reach(graph._parent_masks, whole))
        sets = sorted(islice(minimal_separators(beside, z, y, allowed), _MOST_SETS), key=int.bit_count)
    return next((given for given in sets if reached(dag, z, given) & x), None)
