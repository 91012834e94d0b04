"""Causal graphs with hidden nodes.

A hidden common cause of a and b is an ordinary node, a ← u → b, that is not in the data. Criteria by d-separation
(back-door, front-door, the rules of do) use the graph with its hidden nodes. Factorizations use its *projection* on the
observed nodes (Verma, 1993), in which

  a → b    if there is a directed path from a to b whose inner nodes are all hidden, and
  a ↔ b    if a hidden node has such paths to a and to b.

The components connected by ↔ are the *c-components* (Tian and Pearl, 2002): the joint distribution is a product with
one factor for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from deciban.errors import GraphError
from deciban.nets.graphs.bits import bits, components, reach, topological
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Edge, Graph, Node, is_among
from deciban.nets.graphs.separation import reached

__all__ = ["CausalGraph", "HiddenCause", "as_nodes", "disjoint_masks"]


@dataclass(frozen=True)
class HiddenCause:
    """The name of the node that stands for a ↔ b."""

    a: Node
    b: Node

    def __str__(self) -> str:
        return f"hidden common cause of {self.a} and {self.b}"


@dataclass(frozen=True)
class CausalGraph:
    """A DAG and which of its nodes are hidden; sets of nodes are masks."""

    dag: DAG
    hidden: int

    @classmethod
    def read(cls, g: object, latent: Node | Iterable[Node] = (), confounded: Iterable[Edge] = ()) -> CausalGraph:
        """The graph from a DAG, the names of its hidden nodes, and pairs with a hidden common cause."""
        if not isinstance(g, DAG):
            raise GraphError(f"effects are identified in a DAG, a CPDAG, a PDAG, a MAG or a PAG, not in {g!r:.100}")
        extra = [HiddenCause(*_pair(g, pair)) for pair in confounded]
        edges = [(cause, end) for cause in extra for end in (cause.a, cause.b)]
        whole = DAG([*g.directed_edges, *edges], g.nodes) if extra else g
        return cls(whole, whole._mask(as_nodes(g, latent)) | whole._mask(extra))

    @property
    def observed(self) -> int:
        """The observed nodes."""
        return ((1 << len(self.dag.nodes)) - 1) & ~self.hidden

    @cached_property
    def _sources(self) -> tuple[int, ...]:
        """For each node the hidden ones with a directed path to it through hidden ones only."""
        above = [mask & self.hidden for mask in self.dag._parent_masks]
        # Through hidden nodes only: a path through an observed one is an arrow of the projection by itself.
        return tuple(reach(above, mask) | mask for mask in above)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The arrows of the projection: for each node its observed parents; none for hidden nodes."""
        up = self.dag._parent_masks
        parents = [0] * len(up)
        for node in bits(self.observed):
            parents[node] = up[node] & self.observed
            for source in bits(self._sources[node]):
                parents[node] |= up[source] & self.observed
        return tuple(parents)

    @cached_property
    def spouses(self) -> tuple[int, ...]:
        """The ↔ of the projection: for each node those with which it shares a hidden common cause."""
        spouses = [0] * len(self.dag.nodes)
        for a in bits(self.observed):
            for b in bits(self.observed & ~(1 << a)):
                if self._sources[a] & self._sources[b]:
                    spouses[a] |= 1 << b
        return tuple(spouses)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The observed nodes, parents before children."""
        return tuple(node for node in topological(self.dag._parent_masks) if self.observed >> node & 1)

    def ancestors(self, of: int, within: int) -> int:
        """A set and its ancestors in the projection on ``within``."""
        # Ancestors within the part: a path that leaves it does not count (Tian and Pearl 2002).
        inside = [mask & within if within >> node & 1 else 0 for node, mask in enumerate(self.parents)]
        return of | reach(inside, of)

    def districts(self, within: int) -> list[int]:
        """The c-components of the projection on ``within``."""
        return components([mask & within for mask in self.spouses], within)

    def cut(self, into: int = 0, out_of: int = 0) -> DAG:
        """The graph without the arrows into one set and those out of another."""
        kept = (0 if into >> node & 1 else mask & ~out_of for node, mask in enumerate(self.dag._parent_masks))
        return DAG._made(self.dag.nodes, tuple(kept))

    def separated(self, a: int, b: int, given: int = 0, *, into: int = 0, out_of: int = 0) -> bool:
        """d-separation in the graph that ``cut`` returns."""
        return not reached(self.cut(into, out_of), a & ~given, given) & b & ~given

    def disjoint_masks(self, **sets: Node | Iterable[Node]) -> list[int]:
        """Disjoint sets of observed nodes, as masks; an error if they overlap."""
        return disjoint_masks(self.dag, sets, self.hidden)

    def ordered(self, mask: int) -> tuple[Node, ...]:
        """The names of a set, in the order of the graph's nodes."""
        return tuple(self.dag.nodes[node] for node in bits(mask))

    def listed(self, mask: int) -> str:
        """The names of a set, for messages."""
        return ", ".join(map(str, self.ordered(mask)))


def disjoint_masks(g: Graph, sets: Mapping[str, Node | Iterable[Node]], hidden: int = 0) -> list[int]:
    """Disjoint sets of nodes, as masks; an error if they overlap or have a hidden node."""
    masks: dict[str, int] = {}

    def listed(mask: int) -> str:
        return ", ".join(str(g.nodes[node]) for node in bits(mask))

    for what, names in sets.items():
        mask = g._mask(as_nodes(g, names))
        if mask & hidden:
            raise GraphError(f"{what} contains {listed(mask & hidden)}, which is latent")
        for other, taken in masks.items():
            if mask & taken:
                raise GraphError(f"{other} and {what} share {listed(mask & taken)}; they must be disjoint")
        masks[what] = mask
    return list(masks.values())


def as_nodes(g: Graph, names: Node | Iterable[Node]) -> list[Node]:
    """One node or several, as a list in the order given, each once."""
    if isinstance(names, str) or not isinstance(names, Iterable) or is_among(names, g._index):
        listed: list[Node] = [names]  # type: ignore[list-item]
    else:
        listed = list(dict.fromkeys(names))
    for name in listed:
        g.index(name)
    return listed


def _pair(g: DAG, pair: object) -> Edge:
    if isinstance(pair, str) or not isinstance(pair, Iterable) or len(ends := list(pair)) != 2:
        raise GraphError(f"confounded is a list of pairs of nodes such as ('smoking', 'cancer'), not {pair!r}")
    a, b = ends
    for node in ends:
        g.index(node)
    if a == b:
        raise GraphError(f"confounded pairs {a!r} with itself; remove the pair")
    return a, b
