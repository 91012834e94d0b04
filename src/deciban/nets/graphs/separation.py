"""d-separation: the independences that a causal graph implies.

A path is blocked given Z if one of its inner nodes is

  a chain → v → or a fork ← v → with v in Z, or a collider → v ← where neither v nor any descendant of v is in Z.

X and Y are d-separated given Z if every path between them is blocked; then X ⊥ Y | Z holds in every distribution that
is compatible with the graph ("Bayes Nets", note 1 on the IC algorithm; Pearl, 1988). The Bayes-ball
algorithm decides it without listing paths, visiting each node at most twice (Shachter, 1998).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from deciban.errors import GraphError
from deciban.nets.graphs.base import Graph, Node, sort_key
from deciban.nets.graphs.bits import bits, reach
from deciban.nets.graphs.graph import CPDAG, DAG

__all__ = [
    "Independence",
    "as_dag",
    "d_connected_nodes",
    "d_separated",
    "independencies",
    "markov_blanket",
    "minimal_separator",
    "reached",
    "separation_masks",
]

Nodes = Node | Iterable[Node]


class Independence(NamedTuple):
    """The statement X ⊥ Y | Z.

    Attributes
    ----------
    x, y, given : frozenset
        The three sets of nodes.

    See Also
    --------
    independencies : The statements that a graph implies.

    Examples
    --------
    >>> import deciban as db
    >>> (only,) = db.independencies(db.DAG([("a", "b"), ("b", "c")]))
    >>> only.x, only.y, only.given
    (frozenset({'c'}), frozenset({'a'}), frozenset({'b'}))
    """

    x: frozenset[Node]
    y: frozenset[Node]
    given: frozenset[Node]

    def __str__(self) -> str:
        x, y, given = (", ".join(sorted(map(str, part))) for part in self)
        return f"{x} ⊥ {y} | {given}" if given else f"{x} ⊥ {y}"


def d_separated(graph: DAG | CPDAG, x: Nodes, y: Nodes, given: Nodes = ()) -> bool:
    """Whether every path between x and y is blocked, in time linear in the size of the graph.

    A path is blocked given Z if it has a chain → v → or a fork ← v → with v in Z, or a collider → v ← where neither v
    nor a descendant of v is in Z. If every path is blocked, x ⊥ y | Z holds in every distribution compatible with the
    graph.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph; all DAGs of a CPDAG have the same d-separations.
    x, y : node or iterable of nodes
        The two sides.
    given : node or iterable of nodes, optional
        The conditioning set Z. The three sets are disjoint.

    Returns
    -------
    bool

    See Also
    --------
    explain_separation : The reason, path by path.
    minimal_separator : A set that separates x and y.
    m_separated : The same in a MAG.

    Examples
    --------
    >>> import deciban as db
    >>> graph = db.DAG(
    ...     [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet")]
    ... )
    >>> db.d_separated(graph, "sprinkler", "rain", given="season")
    True
    >>> db.d_separated(graph, "sprinkler", "rain", given=["season", "wet"])
    False
    """
    dag = as_dag(graph)
    start, goal, shut = separation_masks(dag, x, y, given)
    return not reached(dag, start, shut) & goal


def d_connected_nodes(graph: DAG | CPDAG, x: Nodes, given: Nodes = ()) -> frozenset[Node]:
    """The nodes that are not d-separated from x.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.
    x : node or iterable of nodes
        The node, or several.
    given : node or iterable of nodes, optional
        The conditioning set.

    Returns
    -------
    frozenset
        The nodes with an open path to x, without x itself.

    See Also
    --------
    d_separated : Whether two nodes are separated.

    Examples
    --------
    >>> import deciban as db
    >>> graph = db.DAG([("rain", "wet"), ("sprinkler", "wet")])
    >>> (
    ...     sorted(db.d_connected_nodes(graph, "rain")),
    ...     sorted(db.d_connected_nodes(graph, "rain", given="wet")),
    ... )
    (['wet'], ['sprinkler'])
    """
    dag = as_dag(graph)
    start, _, shut = separation_masks(dag, x, (), given)
    return dag._names(reached(dag, start, shut) & ~start)


def markov_blanket(graph: DAG | CPDAG, x: Node) -> frozenset[Node]:
    """Parents, children and the other parents of the children: given these, x is independent of all others.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.
    x : node
        The name of a node.

    Returns
    -------
    frozenset

    See Also
    --------
    d_separated : Whether two nodes are separated.

    Examples
    --------
    >>> import deciban as db
    >>> graph = db.DAG([("gpa", "admission"), ("personality", "admission")])
    >>> sorted(db.markov_blanket(graph, "gpa"))
    ['admission', 'personality']
    """
    dag = as_dag(graph)
    node = dag.index(x)
    blanket = dag._adjacent_masks[node]
    for child in bits(dag._child_masks[node]):
        blanket |= dag._parent_masks[child]
    return dag._names(blanket & ~(1 << node))


def minimal_separator(graph: DAG | CPDAG, x: Nodes, y: Nodes) -> frozenset[Node] | None:
    """A minimal set that d-separates x and y.

    It is found among the ancestors of both (Tian, Paz and Pearl, 1998): of the nodes that are reachable from x in their
    moral graph, those that are reachable from y.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.
    x, y : node or iterable of nodes
        The two sides; they are disjoint.

    Returns
    -------
    frozenset or None
        A set of which no proper subset separates them; None if they are adjacent, so that no set does.

    See Also
    --------
    d_separated : Whether a set separates two nodes.

    Examples
    --------
    >>> import deciban as db
    >>> graph = db.DAG(
    ...     [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet")]
    ... )
    >>> db.minimal_separator(graph, "sprinkler", "rain")
    frozenset({'season'})
    >>> db.minimal_separator(graph, "rain", "wet") is None
    True
    """
    dag = as_dag(graph)
    start, goal, _ = separation_masks(dag, x, y, ())
    inside = start | goal | reach(dag._parent_masks, start | goal)
    beside = dag._moral_masks(inside)
    between = inside & ~start & ~goal
    if any(beside[node] & goal for node in bits(start)):
        return None
    touched = _touched(beside, start, between)
    return dag._names(_touched(beside, goal, touched))


def independencies(graph: DAG | CPDAG) -> list[Independence]:
    """The local Markov condition: each node is independent of its non-descendants given its parents.

    All other d-separations follow from these.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.

    Returns
    -------
    list of Independence
        A statement for each node, sorted; nodes without one are omitted.

    See Also
    --------
    is_compatible : Whether these independences hold in a distribution.

    Examples
    --------
    >>> import deciban as db
    >>> for statement in db.independencies(db.DAG([("a", "b"), ("b", "c")])):
    ...     print(statement)
    c ⊥ a | b
    """
    dag = as_dag(graph)
    all_nodes = (1 << len(dag.nodes)) - 1
    found = []
    for x in sorted(dag.nodes, key=sort_key(dag.nodes)):
        own, parents = dag._mask([x]), dag._parent_masks[dag.index(x)]
        rest = all_nodes & ~own & ~parents & ~reach(dag._child_masks, own)
        if rest:
            found.append(Independence(frozenset([x]), dag._names(rest), dag._names(parents)))
    return found


def as_dag(graph: DAG | CPDAG) -> DAG:
    """The graph itself, or a DAG of its equivalence class."""
    if isinstance(graph, DAG):
        return graph
    if isinstance(graph, CPDAG):
        return graph.extension()
    raise GraphError(f"d-separation needs a DAG or a CPDAG, not a {type(graph).__name__}; a PDAG has .extension()")


def separation_masks(graph: Graph, x: Nodes, y: Nodes, given: Nodes) -> tuple[int, int, int]:
    """The three sets as masks; an error if they overlap."""
    a, b, shut = graph._mask(x), graph._mask(y), graph._mask(given)
    for one, other, what in ((a, b, "x and y"), (a, shut, "x and given"), (b, shut, "y and given")):
        if one & other:
            shared = ", ".join(sorted(map(repr, graph._names(one & other))))
            raise GraphError(f"{what} share {shared}; the sets must be disjoint")
    return a, b, shut


def reached(graph: DAG, start: int, shut: int) -> int:
    """The nodes with an open path from ``start`` given ``shut``, as a mask, with ``start`` itself.

    A node is reached from a child (``up``) or from a parent (``down``). From a child the path continues to parents and
    children, unless the node is given. From a parent it continues to the children, unless the node is given, and back
    to the parents if the node or a descendant of it is given.
    """
    parents, children = graph._parent_masks, graph._child_masks
    opened = shut | reach(parents, shut)
    up, down = start, 0
    was_up = was_down = 0
    while up or down:
        if up:
            low = up & -up
            node = low.bit_length() - 1
            was_up |= low
            up |= parents[node] & ~shut
            down |= children[node]
        else:
            low = down & -down
            node = low.bit_length() - 1
            was_down |= low
            if low & opened:
                up |= parents[node] & ~shut
            if not low & shut:
                down |= children[node]
        up &= ~was_up
        down &= ~was_down
    return (was_up | was_down) & ~shut


def _touched(beside: dict[int, int], start: int, shut: int) -> int:
    """The nodes of ``shut`` that can be reached from ``start`` without passing through another of them."""
    found, waiting = start, start
    while waiting:
        low = waiting & -waiting
        fresh = beside[low.bit_length() - 1] & ~found
        found |= fresh
        waiting = (waiting ^ low) | (fresh & ~shut)
    return found & shut
