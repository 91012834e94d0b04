"""The three rules of the do-calculus, as questions of d-separation.

With G(x̄) the graph without the arrows into x, and G(z̲) the one without the arrows out of z (Pearl, 1995):

  1. observing z changes nothing      P(y | do(x), z, w) = P(y | do(x), w)        if y ⊥ z | x, w in G(x̄)
  2. doing z is as good as seeing it  P(y | do(x), do(z), w) = P(y | do(x), z, w) if y ⊥ z | x, w in G(x̄, z̲)
  3. doing z changes nothing          P(y | do(x), do(z), w) = P(y | do(x), w)    if y ⊥ z | x, w in G(x̄, z̄(w)),

where z(w) are the nodes of z that are no ancestors of w in G(x̄). Every identified effect can be derived by these rules
(Shpitser and Pearl, 2006); where a rule does not apply, some model of the graph breaks its equation.
"""

from __future__ import annotations

from collections.abc import Iterable

from deciban.nets.causal.identification.graphs import CausalGraph
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.bits import reach
from deciban.nets.graphs.graph import DAG

__all__ = ["action_changes_nothing", "doing_is_seeing", "observation_changes_nothing"]

Nodes = Node | Iterable[Node]


def observation_changes_nothing(
    g: DAG, effect: Nodes, z: Nodes, *, done: Nodes = (), given: Nodes = (), confounded: Iterable[Edge] = ()
) -> bool:
    """Rule 1: whether P(effect | do(done), z, given) = P(effect | do(done), given)."""
    graph, y, cut, x, w = _read(g, effect, z, done, given, confounded)
    return graph.separated(y, cut, x | w, into=x)


def doing_is_seeing(
    g: DAG, effect: Nodes, z: Nodes, *, done: Nodes = (), given: Nodes = (), confounded: Iterable[Edge] = ()
) -> bool:
    """Rule 2: whether P(effect | do(done), do(z), given) = P(effect | do(done), z, given).

    >>> g = DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")])
    >>> doing_is_seeing(g, "cancer", "smoking"), doing_is_seeing(g, "cancer", "smoking", given="gene")
    (False, True)
    """
    graph, y, cut, x, w = _read(g, effect, z, done, given, confounded)
    return graph.separated(y, cut, x | w, into=x, out_of=cut)


def action_changes_nothing(
    g: DAG, effect: Nodes, z: Nodes, *, done: Nodes = (), given: Nodes = (), confounded: Iterable[Edge] = ()
) -> bool:
    """Rule 3: whether P(effect | do(done), do(z), given) = P(effect | do(done), given)."""
    graph, y, cut, x, w = _read(g, effect, z, done, given, confounded)
    above = reach(graph.cut(into=x).parent_masks, w)
    return graph.separated(y, cut, x | w, into=x | (cut & ~above))


def _read(
    g: DAG, effect: Nodes, z: Nodes, done: Nodes, given: Nodes, confounded: Iterable[Edge]
) -> tuple[CausalGraph, int, int, int, int]:
    graph = CausalGraph.read(g, (), confounded)
    y, cut, x, w = graph.disjoint_masks(effect=effect, z=z, done=done, given=given)
    return graph, y, cut, x, w
