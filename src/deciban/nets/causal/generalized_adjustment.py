"""Adjustment in a class of graphs: sets that are right in every graph of it.

A CPDAG, a PDAG, a MAG or a PAG stands for many DAGs. Z is an adjustment set in all of them if and only if (the
generalized adjustment criterion: Perković, Textor, Kalisch and Maathuis, 2018)

  (amenable)    every possibly directed path from x to y that meets x only at its start begins with a visible arrow;
  (forbidden)   Z has no possible descendant of a node, other than x, on such a path;
  (blocked)     Z blocks every other path between x and y.

An arrow of a CPDAG is visible; one of a MAG or PAG, where no hidden common cause can be beside it (Zhang, 2008). Where
the class is not amenable, its graphs differ in the effect (CPDAG, PDAG: Perković, 2020), or may differ (MAG, PAG).

The third condition is m-separation in one graph of the class, without the first arrows of the causal paths, so the
minimal sets are again the minimal separators of a moral graph, here with an edge between nodes that a path of colliders
joins (Richardson and Spirtes, 2002, theorem 3.18).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from deciban.errors import TooLargeError
from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.causal.criteria import causal_nodes, minimal_separators
from deciban.nets.causal.effect_query import EffectQuery, Method, Names
from deciban.nets.causal.terms import Term, probability
from deciban.nets.graphs.bits import bits, components, reach, transposed
from deciban.nets.graphs.dag import DAG, PDAG
from deciban.nets.graphs.graph import Graph, Node
from deciban.nets.graphs.marked import MAG, PAG, m_reached

__all__ = ["ClassIdentification"]

# Only a PDAG with further arrows is listed, as in `ida`.
_MOST_DAGS = 100_000


@dataclass(frozen=True, eq=False)
class ClassIdentification(EffectQuery):
    """How an effect is identified in every graph of a class: the result of ``identify``, true where it is.

    Attributes
    ----------
    graph : CPDAG, PDAG, MAG or PAG
        The class.
    effect, cause, given : tuple of nodes
        The nodes of the query.

    See Also
    --------
    identify : Returns it.
    ida : The effect in each DAG of a CPDAG, where they differ.
    Identification : In one DAG.

    Examples
    --------
    >>> import deciban as db
    >>> g = db.DAG(
    ...     [("age", "drug"), ("lot", "drug"), ("drug", "pain"), ("age", "pain")]
    ... ).cpdag()
    >>> g
    CPDAG(age → drug, age → pain, drug → pain, lot → drug)
    >>> found = db.identify(g, cause="drug", effect="pain")
    >>> found.is_amenable, found.adjustment_sets
    (True, (frozenset({'age'}),))
    >>> other = db.identify(db.CPDAG([], [("drug", "pain")]), cause="drug", effect="pain")
    >>> other.is_identified, other.is_amenable
    (False, False)
    """

    graph: PDAG | MAG | PAG

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, ClassIdentification) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.graph, frozenset(self.effect), frozenset(self.cause), frozenset(self.given)

    @property
    def _whole(self) -> Graph:
        return self.graph

    @property
    def _observed(self) -> int:
        return (1 << len(self.graph.nodes)) - 1

    @cached_property
    def _member(self) -> MAG:
        return _member(self.graph)

    @cached_property
    def _paths(self) -> _Paths:
        _ = self._member  # a PAG that is no class has none
        return _paths(self.graph, self._x, self._y)

    @cached_property
    def _back_door_graph(self) -> MAG:
        """One graph of the class, without the first arrows of the causal paths."""
        member = self._member
        heads, tails, near = (list(masks) for masks in (member._head_masks, member._tail_masks, member._adjacent_masks))
        for a, b in self._paths.first:
            heads[b] &= ~(1 << a)
            tails[a] &= ~(1 << b)
            near[a] &= ~(1 << b)
            near[b] &= ~(1 << a)
        return MAG._marked(member.nodes, heads, tails, near)

    @property
    def is_amenable(self) -> bool:
        """Whether every possibly directed path from cause to effect begins with a visible arrow."""
        return not self._paths.unsure

    def _terms(self) -> Iterator[tuple[Method, Term]]:
        if not self._w and not self._paths.between:
            yield "no effect", probability(self.effect)
        if self._smallest is not None:
            yield "adjustment", self._adjusted(self._smallest)
        if self.optimal_adjustment not in (None, self._smallest):
            yield "optimal adjustment", self._adjusted(self.optimal_adjustment or frozenset())

    def iter_adjustment_sets(self) -> Iterator[Names]:
        """Every minimal adjustment set, with polynomial time between one and the next.

        Returns
        -------
        iterator of frozenset
        """
        # As in one DAG: within strata of `given`, no descendant of the cause may be averaged over.
        excluded = self._paths.later if self._w else self._paths.forbidden
        if not self.is_amenable or self._w & excluded:
            return
        graph, whole = self._back_door_graph, self._x | self._y | self._w
        beside = _moral(graph, whole | reach(graph._parent_masks, whole))
        open_nodes = {node: mask & ~self._w for node, mask in beside.items() if not self._w >> node & 1}
        allowed = self._observed & ~whole & ~excluded
        yield from map(self.graph._names, minimal_separators(open_nodes, self._x, self._y, allowed))

    @cached_property
    def optimal_adjustment(self) -> Names | None:
        """The adjustment set of least variance (Henckel, Perković and Maathuis, 2022); None of a MAG or PAG."""
        if self._w or not isinstance(self.graph, PDAG) or not self.is_amenable or not self._paths.between:
            return None
        dag = self.graph.extension()
        # In a class that is amenable, all DAGs have the same set.
        between = causal_nodes(CausalGraph(dag, 0), self._x, self._y)
        chosen = 0
        for node in bits(between):
            chosen |= dag._parent_masks[node]
        chosen &= ~self._x & ~self._paths.forbidden
        return self.graph._names(chosen) if between and self._is_adjustment(chosen) else None

    def is_adjustment_set(self, names: Node | Iterable[Node]) -> bool:
        """Whether adjusting for these nodes gives the effect in every graph of the class.

        Parameters
        ----------
        names : node or iterable of nodes
            The nodes to adjust for, besides ``given``.

        Returns
        -------
        bool
        """
        chosen = self.graph._mask(names) | self._w
        return not (self._w and chosen & self._paths.later) and self._is_adjustment(chosen)

    def _is_adjustment(self, z: int) -> bool:
        if not self.is_amenable or z & (self._x | self._y | self._paths.forbidden):
            return False
        return not m_reached(self._back_door_graph, self._x, z) & self._y

    @property
    def why(self) -> str:
        """Why the effect is not identified, or not the same in the class; empty if it is."""
        if self.is_identified:
            return ""
        nodes = self.graph.nodes
        edges = ", ".join(f"{nodes[a]} {self._symbol(a, b)} {nodes[b]}" for a, b in self._paths.unsure[:5])
        if isinstance(self.graph, PDAG):
            if not edges:
                return (
                    f"{self._title} has no adjustment set in all DAGs of the class. db.ida returns the effect in each."
                )
            return (
                f"{self._title} is not identified: it differs between the DAGs of the class, in which {edges} may "
                "point either way. db.ida returns the effect in each of them. Direct these edges by background "
                "knowledge or an experiment."
            )
        if not edges:
            return f"{self._title} is not identified by adjustment: no set blocks all paths that are not causal."
        return (
            f"{self._title} is not identified by adjustment: it may differ between the graphs of the class. There may "
            f"be a hidden common cause, or another direction, at {edges}. Observe more nodes, or do an experiment."
        )

    def _symbol(self, a: int, b: int) -> str:
        pair = {self.graph.nodes[a], self.graph.nodes[b]}
        one, symbol, _ = next(edge for edge in self.graph.edges if {edge[0], edge[2]} == pair)
        return symbol if one == self.graph.nodes[a] else symbol[::-1].translate(str.maketrans("→←", "←→"))


@dataclass(frozen=True)
class _Paths:
    """The possibly directed paths from x to y that meet x only at their start.

    `between` are their nodes without x, `forbidden` these and their possible descendants, `later` the possible
    descendants of x, `first` their first edges, and `unsure` those of them that are no visible arrows.
    """

    between: int
    forbidden: int
    later: int
    first: tuple[tuple[int, int], ...]
    unsure: tuple[tuple[int, int], ...]


def _paths(graph: PDAG | MAG | PAG, x: int, y: int) -> _Paths:
    if isinstance(graph, MAG | PAG):
        onward = [near & ~head for near, head in zip(graph._adjacent_masks, graph._head_masks, strict=True)]
        return _found(onward, x, y, lambda a, b: graph.is_visible(graph.nodes[a], graph.nodes[b]))
    parents = graph._parent_masks
    if graph.extension().cpdag()._neighbour_masks == graph._neighbour_masks:
        onward = [down | line for down, line in zip(graph._child_masks, graph._neighbour_masks, strict=True)]
        return _found(onward, x, y, lambda a, b: bool(parents[b] >> a & 1))
    return _listed(graph, x, y)


def _found(onward: list[int], x: int, y: int, is_visible: Callable[[int, int], bool] | None = None) -> _Paths:
    """The paths along edges that may be arrows."""
    # What a walk reaches, a path reaches, too, or it is a possible descendant of a node on a path: forbidden alike.
    down = reach([mask & ~x for mask in onward], x)
    between = down & (reach([mask & ~x for mask in transposed(onward)], y) | y)
    first = tuple((a, b) for a in bits(x) for b in bits(onward[a] & between))
    unsure = tuple(edge for edge in first if is_visible and not is_visible(*edge))
    return _Paths(between, between | reach(onward, between), reach(onward, x), first, unsure)


def _listed(graph: PDAG, x: int, y: int) -> _Paths:
    """The same of a PDAG with further arrows, such as those of background knowledge: DAG by DAG."""
    dags = list(islice(graph.dags(), _MOST_DAGS + 1))
    if len(dags) > _MOST_DAGS:
        raise TooLargeError(f"the PDAG has more than {_MOST_DAGS:,} DAGs; pass a CPDAG, whose DAGs need not be listed")
    found = [_found(list(dag._child_masks), x, y) for dag in dags]
    first = tuple(sorted({edge for one in found for edge in one.first}))
    unsure = tuple((a, b) for a, b in first if not all(dag._parent_masks[b] >> a & 1 for dag in dags))
    between, forbidden, later = 0, 0, 0
    for one in found:
        between, forbidden, later = between | one.between, forbidden | one.forbidden, later | one.later
    return _Paths(between, forbidden, later, first, unsure)


def _member(graph: PDAG | MAG | PAG) -> MAG:
    """One graph of the class, with arrows and ↔."""
    if isinstance(graph, MAG):
        return graph
    if isinstance(graph, PAG):
        return graph.mag()
    dag: DAG = graph.extension()
    return MAG._marked(dag.nodes, dag._parent_masks, dag._child_masks, dag._adjacent_masks)


def _moral(graph: MAG, within: int) -> dict[int, int]:
    """The adjacencies of an ancestral set, with an edge between nodes that a path of colliders joins, as masks."""
    beside = {node: graph._adjacent_masks[node] & within for node in bits(within)}
    spouses = [head & ~up & within for head, up in zip(graph._head_masks, graph._parent_masks, strict=True)]
    for district in components(spouses, within):
        joined = district
        for node in bits(district):
            joined |= graph._parent_masks[node]
        # u → c₁ ↔ … ↔ cₖ ← v: each of a district and its parents is joined to each other one.
        for node in bits(joined):
            beside[node] |= joined & ~(1 << node)
    return beside
