"""The three rules of the do-calculus, as d-separations.

With G(x̄) the graph without the arrows into x, and G(z̲) the one without the arrows out of z (Pearl, 1995):

  1. ignoring an observation       P(y | do(x), z, w) = P(y | do(x), w)        if y ⊥ z | x, w in G(x̄)
  2. replacing an action by an observation
                                   P(y | do(x), do(z), w) = P(y | do(x), z, w) if y ⊥ z | x, w in G(x̄, z̲)
  3. ignoring an action            P(y | do(x), do(z), w) = P(y | do(x), w)    if y ⊥ z | x, w in G(x̄, z̄(w)),

where z(w) are the nodes of z that are not ancestors of w in G(x̄). Every identified effect can be derived by these rules
(Shpitser and Pearl, 2006); if a rule does not apply, its equation fails in some model of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable

from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.graphs.bits import reach
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Edge, Node

__all__ = ["is_action_irrelevant", "is_action_replaceable", "is_observation_irrelevant"]


Nodes = Node | Iterable[Node]


def is_observation_irrelevant(
    g: DAG, effect: Nodes, z: Nodes, *, do: Nodes = (), given: Nodes = (), confounded: Iterable[Edge] = ()
) -> bool:
    """Rule 1: whether P(effect | do(do), z, given) = P(effect | do(do), given)."""
    graph, y, cut, x, w = _read(g, effect, z, do, given, confounded)
    return graph.separated(y, cut, x | w, into=x)


def is_action_replaceable(
    g: DAG, effect: Nodes, z: Nodes, *, do: Nodes = (), given: Nodes = (), confounded: Iterable[Edge] = ()
) -> bool:
    """Rule 2: whether P(effect | do(do), do(z), given) = P(effect | do(do), z, given).

    >>> g = DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")])
    >>> (
    ...     is_action_replaceable(g, "cancer", "smoking"),
    ...     is_action_replaceable(g, "cancer", "smoking", given="gene"),
    ... )
    (False, True)
    """
    graph, y, cut, x, w = _read(g, effect, z, do, given, confounded)
    return graph.separated(y, cut, x | w, into=x, out_of=cut)


def is_action_irrelevant(
    g: DAG, effect: Nodes, z: Nodes, *, do: Nodes = (), given: Nodes = (), confounded: Iterable[Edge] = ()
) -> bool:
    """Rule 3: whether P(effect | do(do), do(z), given) = P(effect | do(do), given)."""
    graph, y, cut, x, w = _read(g, effect, z, do, given, confounded)
    above = reach(graph.cut(into=x)._parent_masks, w)
    return graph.separated(y, cut, x | w, into=x | (cut & ~above))


def _read(
    g: DAG, effect: Nodes, z: Nodes, do: Nodes, given: Nodes, confounded: Iterable[Edge]
) -> tuple[CausalGraph, int, int, int, int]:
    graph = CausalGraph.read(g, (), confounded)
    y, cut, x, w = graph.disjoint_masks(effect=effect, z=z, do=do, given=given)
    return graph, y, cut, x, w
