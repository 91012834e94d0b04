"""The possible parents of a node over all DAGs of an equivalence class, without listing the DAGs.

In a DAG of a CPDAG some neighbours S of x are its parents and the others its children. There is a DAG of the class with
exactly these parents if and only if there is no new v-structure at x: if S is a clique (Maathuis, Kalisch and
Bühlmann, 2009, lemma 3.1). All edges at x are then directed, as after an experiment on x, so the remaining undirected
edges form chordal components again (Hauser and Bühlmann, 2012), and the DAGs with these parents can be counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from deciban.errors import GraphError, TooLargeError
from deciban.nets.graphs.base import Graph, Node
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.chordal import AcyclicMoralOrientations
from deciban.nets.graphs.graph import CPDAG, DAG, PDAG
from deciban.nets.graphs.orientation import close

__all__ = ["listed_parents", "possible_parents"]

_MOST_DAGS = 100_000


def possible_parents(g: DAG | PDAG, x: Node) -> dict[frozenset[Node], int]:
    """The sets of parents that x has in some DAG of the class, and in how many; smaller sets first.

    For a CPDAG only the neighbours of x are needed. For a PDAG with further arrows, such as those of
    background knowledge, all DAGs are listed.

    >>> possible_parents(DAG([("season", "rain"), ("season", "sprinkler")]).cpdag(), "season")
    {frozenset(): 1, frozenset({'rain'}): 1, frozenset({'sprinkler'}): 1}
    """
    if isinstance(g, DAG):
        return {g.parents(x): 1}
    if not isinstance(g, PDAG):
        raise GraphError(f"possible effects need a DAG, CPDAG or PDAG, not a {type(g).__name__}")
    node = g.index(x)
    whole = g.extension().cpdag()
    found = _near(whole, node) if whole._neighbour_masks == g._neighbour_masks else _listed(g, node)
    return {
        g._names(mask): count for mask, count in sorted(found.items(), key=lambda item: (item[0].bit_count(), item))
    }


def listed_parents(g: PDAG, x: Node) -> dict[frozenset[Node], int]:
    """The same by listing all DAGs: a simple reference for tests."""
    return dict(Counter(dag.parents(x) for dag in g.dags()))


def _near(g: CPDAG, node: int) -> dict[int, int]:
    fixed, neighbours = g._parent_masks[node], g._neighbour_masks[node]
    return {fixed | chosen: _count(g, node, chosen) for chosen in _cliques(g, 0, neighbours)}


def _cliques(g: Graph, chosen: int, left: int) -> Iterator[int]:
    """All cliques among some nodes, the empty one first."""
    yield chosen
    for peer in bits(left):
        left ^= 1 << peer
        yield from _cliques(g, chosen | 1 << peer, left & g._adjacent_masks[peer])


def _count(g: CPDAG, node: int, chosen: int) -> int:
    """The number of DAGs of the class in which exactly these neighbours are parents of the node."""
    up, free = list(g._parent_masks), list(g._neighbour_masks)
    up[node] |= chosen
    for peer in bits(free[node]):
        free[peer] &= ~(1 << node)
        if not chosen >> peer & 1:
            up[peer] |= 1 << node
    free[node] = 0
    return AcyclicMoralOrientations(close(up, free)[1]).count()


def _listed(g: PDAG, node: int) -> dict[int, int]:
    dags = list(islice((dag._parent_masks[node] for dag in g.dags()), _MOST_DAGS + 1))
    if len(dags) > _MOST_DAGS:
        raise TooLargeError(f"the PDAG has more than {_MOST_DAGS:,} DAGs; pass a CPDAG, whose DAGs need not be listed")
    return dict(Counter(dags))
