"""d-separation: the independences that a causal graph implies.

A path is blocked given Z if one of its inner nodes is

  a chain → v → or a fork ← v → with v in Z, or a collider → v ← where neither v nor any descendant of v is in Z.

X and Y are d-separated given Z if every path between them is blocked; then X ⊥ Y | Z holds in every distribution that
is compatible with the graph ("Bayes Nets", note 1 on the IC algorithm; Pearl, 1988). The Bayes-ball
algorithm decides it without listing paths, visiting each node at most twice (Shachter, 1998).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from html import escape
from itertools import islice, pairwise
from typing import NamedTuple

from deciban.errors import GraphError
from deciban.nets.graphs.bits import bits, reach
from deciban.nets.graphs.dag import CPDAG, DAG
from deciban.nets.graphs.drawing import part_of_picture, to_svg
from deciban.nets.graphs.graph import Graph, Node, sort_key

__all__ = [
    "Blocked",
    "Independence",
    "Separation",
    "as_dag",
    "d_connected_nodes",
    "d_separated",
    "explain_separation",
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
    >>> from deciban.nets import independencies
    >>> (only,) = independencies(db.DAG([("a", "b"), ("b", "c")]))
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
    >>> from deciban.nets import d_connected_nodes
    >>> graph = db.DAG([("rain", "wet"), ("sprinkler", "wet")])
    >>> (
    ...     sorted(d_connected_nodes(graph, "rain")),
    ...     sorted(d_connected_nodes(graph, "rain", given="wet")),
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
    >>> from deciban.nets import minimal_separator
    >>> graph = db.DAG(
    ...     [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet")]
    ... )
    >>> minimal_separator(graph, "sprinkler", "rain")
    frozenset({'season'})
    >>> minimal_separator(graph, "rain", "wet") is None
    True
    """
    dag = as_dag(graph)
    start, goal, _ = separation_masks(dag, x, y, ())
    inside = start | goal | reach(dag._parent_masks, start | goal)
    beside = dag._moral_masks(inside)
    between = inside & ~start & ~goal
    if any(beside[node] & goal for node in bits(start)):
        return None
    # The nodes that x reaches first, of these the ones that y reaches: each is next to both sides, so none is spare.
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
    >>> from deciban.nets import independencies
    >>> for statement in independencies(db.DAG([("a", "b"), ("b", "c")])):
    ...     print(statement)
    c ⊥ a | b
    """
    dag = as_dag(graph)
    all_nodes = (1 << len(dag.nodes)) - 1
    statements = []
    for x in sorted(dag.nodes, key=sort_key(dag.nodes)):
        own, parents = dag._mask([x]), dag._parent_masks[dag.index(x)]
        rest = all_nodes & ~own & ~parents & ~reach(dag._child_masks, own)
        if rest:
            statements.append(Independence(frozenset([x]), dag._names(rest), dag._names(parents)))
    return statements


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
        # A node is handled once from below and once from above, whatever the number of paths: the time is linear.
        up &= ~was_up
        down &= ~was_down
    return (was_up | was_down) & ~shut


def _touched(beside: dict[int, int], start: int, shut: int) -> int:
    """The nodes of ``shut`` that can be reached from ``start`` without passing through another of them."""
    seen, waiting = start, start
    while waiting:
        low = waiting & -waiting
        fresh = beside[low.bit_length() - 1] & ~seen
        seen |= fresh
        waiting = (waiting ^ low) | (fresh & ~shut)
    return seen & shut


_LEFT = '<td style="text-align:left">'
_DRAWN = 60
"""The most nodes that the picture of a separation has."""


@dataclass(frozen=True)
class Blocked:
    """A path, and the first node that blocks it.

    Attributes
    ----------
    path : tuple of nodes
        The path from x to y.
    at : node
        The node that blocks it.
    is_collider : bool
        Whether that node is a collider, with neither it nor a descendant given; otherwise it is given.
    shown : str
        The path with its arrows.

    See Also
    --------
    Separation : Lists the paths.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.explain_separation(
    ...     db.DAG([("rain", "wet"), ("sprinkler", "wet")]), "rain", "sprinkler"
    ... )
    >>> print(found.blocked[0])
    rain → wet ← sprinkler is blocked at wet (collider: neither it nor a descendant is given)
    """

    path: tuple[Node, ...]
    at: Node
    is_collider: bool
    shown: str

    @property
    def reason(self) -> str:
        """Why the node blocks the path."""
        return "collider: neither it nor a descendant is given" if self.is_collider else "given"

    def __str__(self) -> str:
        return f"{self.shown} is blocked at {self.at} ({self.reason})"


@dataclass(frozen=True)
class Separation:
    """Whether x and y are separated, and why: the result of ``explain_separation``, true if they are.

    It prints as a list of paths. A notebook also shows the nodes of these paths, given ones filled and the open path
    thick.

    Attributes
    ----------
    is_separated : bool
        Whether they are separated.
    question : str
        The answer in words.
    open_path : tuple of nodes or None
        A shortest open path if they are not separated; else None.
    blocked : tuple of Blocked
        The paths, shortest first, each with the node that blocks it, if they are separated.
    has_more : bool
        Whether there are more paths than these.
    reason : str
        The paths in words.
    given : tuple of nodes
        The conditioning set.
    graph : DAG
        The graph.

    See Also
    --------
    explain_separation : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.explain_separation(
    ...     db.DAG([("rain", "wet"), ("sprinkler", "wet")]), "rain", "sprinkler", given="wet"
    ... )
    >>> found.is_separated, found.open_path
    (False, ('rain', 'wet', 'sprinkler'))
    """

    is_separated: bool
    question: str
    open_path: tuple[Node, ...] | None
    blocked: tuple[Blocked, ...]
    has_more: bool
    reason: str
    given: tuple[Node, ...]
    graph: DAG = field(repr=False)

    def __bool__(self) -> bool:
        return self.is_separated

    def __repr__(self) -> str:
        paths = f", {len(self.blocked)}{' or more' * self.has_more} blocked paths" if self.is_separated else ""
        return f"Separation({self.question}{paths})"

    def __str__(self) -> str:
        lines = self.reason.split("; ")
        return f"{self.question}: {self.reason}" if len(lines) == 1 else "\n  ".join([f"{self.question}:", *lines])

    def _repr_html_(self) -> str:
        title = f"<p><b>{escape(self.question)}</b></p>"
        if not self.blocked:
            return f"{title}{self._drawn()}<p>{escape(self.reason)}</p>"
        cells = ((one.shown, f"blocked at {one.at}", one.reason) for one in self.blocked)
        rows = "".join(f"<tr>{''.join(f'{_LEFT}{escape(cell)}</td>' for cell in row)}</tr>" for row in cells)
        more = "<p>and more paths</p>" if self.has_more else ""
        return f"{title}{self._drawn()}<table>{rows}</table>{more}"

    def _drawn(self) -> str:
        """The nodes of the paths and the given ones; nothing where there are none, or too many to draw."""
        paths = [one.path for one in self.blocked] if self.open_path is None else [self.open_path]
        nodes = {self.graph.index(node) for path in paths for node in path}
        if not nodes or len(nodes) + len(self.given) > _DRAWN:
            return ""
        given, whole = {self.graph.index(node) for node in self.given}, self.graph._picture
        thick = {frozenset(map(self.graph.index, pair)) for pair in pairwise(self.open_path or ())}
        fills = tuple("highlight" if node in given else "paper" for node in range(len(whole.labels)))
        picture = replace(whole, fills=fills)
        if thick:
            picture = replace(picture, strengths=tuple(float(frozenset(edge[:2]) in thick) for edge in whole.edges))
        return to_svg(part_of_picture(picture, sorted(nodes | given)))


def explain_separation(graph: DAG | CPDAG, x: Nodes, y: Nodes, given: Nodes = (), *, max_paths: int = 10) -> Separation:
    """Why x and y are d-separated given some nodes, or why not.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.
    x, y : node or iterable of nodes
        The two sides.
    given : node or iterable of nodes, optional
        The conditioning set. The three sets are disjoint.
    max_paths : int
        The most paths that are listed.

    Returns
    -------
    Separation
        True if they are separated. It prints the paths, each with the node that blocks it; or an open path.

    See Also
    --------
    d_separated : The answer alone.

    Examples
    --------
    >>> import deciban as db
    >>> graph = db.DAG(
    ...     [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet")]
    ... )
    >>> print(db.explain_separation(graph, "sprinkler", "rain", given="season"))
    sprinkler and rain are separated given season:
      sprinkler ← season → rain is blocked at season (given)
      sprinkler → wet ← rain is blocked at wet (collider: neither it nor a descendant is given)
    """
    dag = as_dag(graph)
    start, goal, shut = separation_masks(dag, x, y, given)
    separated = not reached(dag, start, shut) & goal
    known = tuple(dag.nodes[node] for node in bits(shut))
    ends = f"{_list(dag, start)} and {_list(dag, goal)} are {'' if separated else 'not '}separated"
    question = f"{ends} given {_list(dag, shut)}" if shut else ends
    if not separated:
        path = _open_path(dag, start, goal, shut)
        why = _why_open(dag, path, shut)
        return Separation(False, question, _names(dag, path), (), False, why, known, dag)
    paths = list(islice(_paths(dag, start, goal), max_paths + 1))
    blocked = tuple(_blocker(dag, path, shut) for path in paths[:max_paths])
    more = len(paths) > max_paths
    reason = "; ".join(map(str, blocked)) or "there is no path between them"
    reason += "; and more paths" if more else ""
    return Separation(True, question, None, blocked, more, reason, known, dag)


def _names(graph: DAG, path: list[int]) -> tuple[Node, ...]:
    return tuple(graph.nodes[node] for node in path)


def _list(graph: DAG, mask: int) -> str:
    return ", ".join(str(graph.nodes[node]) for node in bits(mask)) or "nothing"


def _shown(graph: DAG, path: list[int]) -> str:
    text = str(graph.nodes[path[0]])
    for a, b in pairwise(path):
        text += f" {'→' if graph._parent_masks[b] >> a & 1 else '←'} {graph.nodes[b]}"
    return text


def _is_collider(graph: DAG, a: int, node: int, b: int) -> bool:
    return bool(graph._parent_masks[node] >> a & graph._parent_masks[node] >> b & 1)


def _blocker(graph: DAG, path: list[int], shut: int) -> Blocked:
    opened = shut | reach(graph._parent_masks, shut)
    for a, node, b in zip(path, path[1:], path[2:], strict=False):
        collider = _is_collider(graph, a, node, b)
        if not opened >> node & 1 if collider else shut >> node & 1:
            break
    return Blocked(_names(graph, path), graph.nodes[node], collider, _shown(graph, path))


def _why_open(graph: DAG, path: list[int], shut: int) -> str:
    reasons = [f"{_shown(graph, path)} is open"]
    for a, node, b in zip(path, path[1:], path[2:], strict=False):
        if _is_collider(graph, a, node, b):
            # One given descendant is enough to open a collider: the first is named.
            below = reach(graph._child_masks, 1 << node) & shut
            is_given = shut >> node & 1
            cause = "which is given" if is_given else f"whose effect {_list(graph, below & -below)} is given"
            reasons.append(f"through the collider {graph.nodes[node]}, {cause}")
    return ", ".join(reasons)


def _open_path(graph: DAG, start: int, goal: int, shut: int) -> list[int]:
    """A shortest open path: the search of ``reached``, breadth first and with back pointers.

    A shortest open walk is a path: if it visited a node twice, it would be open without the loop, too.
    """
    opened = shut | reach(graph._parent_masks, shut)
    before: dict[tuple[int, bool], tuple[int, bool] | None] = {(node, True): None for node in bits(start)}
    queue = list(before)
    for state in queue:
        node, from_child = state
        if goal >> node & 1:
            path = [node]
            while (state := before[state]) is not None:  # type: ignore[assignment]
                path.append(state[0])
            return path[::-1]
        go_up = from_child or opened >> node & 1
        go_down = not shut >> node & 1
        steps = [(up, True) for up in bits(graph._parent_masks[node] & ~shut if go_up else 0)]
        steps += [(down, False) for down in bits(graph._child_masks[node] if go_down else 0)]
        for step in steps:
            if step not in before:
                before[step] = state
                queue.append(step)
    return []


def _paths(graph: DAG, start: int, goal: int) -> Iterator[list[int]]:
    """All paths between two sets, shortest first, with polynomial delay.

    Best-first search by the length so far plus the distance to the goal without the visited nodes. Prefixes that cannot
    reach the goal are not added to the queue.
    """
    queue: list[tuple[int, list[int]]] = []
    for node in bits(start):
        _push(graph, queue, [node], start, goal)
    while queue:
        _, path = heappop(queue)
        if goal >> path[-1] & 1:
            yield path
            continue
        visited = start | sum(1 << node for node in path[1:])
        for step in bits(graph._adjacent_masks[path[-1]] & ~visited):
            _push(graph, queue, [*path, step], visited, goal)


def _push(graph: DAG, queue: list[tuple[int, list[int]]], path: list[int], visited: int, goal: int) -> None:
    length, layer, seen = len(path), 1 << path[-1], visited | 1 << path[-1]
    while layer and not layer & goal:
        nearby = 0
        for node in bits(layer):
            nearby |= graph._adjacent_masks[node]
        layer = nearby & ~seen
        seen |= layer
        length += 1
    if layer:
        heappush(queue, (length, path))
