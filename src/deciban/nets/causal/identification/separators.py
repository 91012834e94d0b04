"""All minimal separators of two sets of nodes in an undirected graph.

A separator S of a and b is minimal if and only if each of its nodes is adjacent to both the component of a and the
component of b without S. From one such set others are found: add a node of S to the component of a, take the neighbours
of the result as the new border, and drop those that are not adjacent to the component of b. Starting from the
neighbours of a, this finds every minimal separator (Shen and Liang, 1997), with polynomial delay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deciban.nets.graphs.bits import bits

__all__ = ["minimal_separators"]


def minimal_separators(beside: Mapping[int, int], a: int, b: int, allowed: int) -> Iterator[int]:
    """Every minimal set of allowed nodes that separates a from b, each once; none if there is no such set.

    Parameters
    ----------
    beside
        For each node its neighbours, as a mask.
    a, b
        The sets to be separated, as masks.
    allowed
        The nodes that a separator may contain, as a mask.

    Examples
    --------
    The two ways to cut 0 — 1 — 2 — 3:

    >>> [
    ...     list(bits(found))
    ...     for found in minimal_separators(
    ...         {0: 0b10, 1: 0b101, 2: 0b1010, 3: 0b100}, 1, 8, 0b110
    ...     )
    ... ]
    [[1], [2]]
    """
    graph = _without(beside, ~(a | b | allowed))
    first = _next_to(graph, a, a, b)
    if first is None:
        return
    known, waiting = {first}, [first]
    while waiting:
        border = waiting.pop(0)
        yield border
        inside = _part(graph, a, ~border)
        for node in bits(border):
            found = _next_to(graph, a, inside | 1 << node, b)
            if found is not None and found not in known:
                known.add(found)
                waiting.append(found)


def _without(beside: Mapping[int, int], gone: int) -> dict[int, int]:
    """The graph without the nodes that a separator must not contain: their neighbours become adjacent."""
    graph = dict(beside)
    for node in [node for node in graph if gone >> node & 1]:
        around = graph.pop(node)
        for peer in bits(around):
            graph[peer] = (graph[peer] | around) & ~(1 << node) & ~(1 << peer)
    return graph


def _next_to(graph: Mapping[int, int], a: int, inside: int, b: int) -> int | None:
    """The minimal separator within the border of ``inside``; None if b is in the border."""
    border = _around(graph, inside | a)
    if border & b:
        return None
    return _around(graph, _part(graph, b, ~border))


def _around(graph: Mapping[int, int], part: int) -> int:
    found = 0
    for node in bits(part):
        found |= graph[node]
    return found & ~part


def _part(graph: Mapping[int, int], start: int, within: int) -> int:
    part, waiting = 0, start
    while waiting:
        low = waiting & -waiting
        part |= low
        waiting = (waiting | (graph[low.bit_length() - 1] & within)) & ~part
    return part
