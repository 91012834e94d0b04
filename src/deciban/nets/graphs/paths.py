"""Explain a d-separation: the open path, or where each path is blocked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from html import escape
from itertools import islice, pairwise

from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import bits, reach
from deciban.nets.graphs.drawing.part import part_of_picture
from deciban.nets.graphs.drawing.svg import to_svg
from deciban.nets.graphs.graph import CPDAG, DAG
from deciban.nets.graphs.separation import Nodes, as_dag, reached, separation_masks

__all__ = ["Blocked", "Separation", "explain_separation"]

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
        Whether that node is a collider, of which neither it nor a descendant is given; otherwise it is given.
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
    length, layer, found = len(path), 1 << path[-1], visited | 1 << path[-1]
    while layer and not layer & goal:
        nearby = 0
        for node in bits(layer):
            nearby |= graph._adjacent_masks[node]
        layer = nearby & ~found
        found |= layer
        length += 1
    if layer:
        heappush(queue, (length, path))
