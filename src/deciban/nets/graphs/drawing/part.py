"""A part of a graph that is too large to draw: the node with the most neighbours and the nodes nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.drawing.formats import Picture

__all__ = ["central_nodes", "part_of_picture"]


def central_nodes(adjacent: Sequence[int], most: int) -> list[int]:
    """Indices of at most so many nodes, by breadth-first search from the node with the most neighbours, which is first.

    Where its component has fewer nodes, the first of the others are added. `adjacent` are the neighbours as masks.

    >>> central_nodes([0b0010, 0b0101, 0b0010, 0b0000], 2)
    [1, 0]
    """
    centre = max(range(len(adjacent)), key=lambda index: adjacent[index].bit_count())
    order = {centre: None}
    waiting = [centre]
    for index in waiting:
        fresh = [near for near in bits(adjacent[index]) if near not in order]
        order.update(dict.fromkeys(fresh))
        waiting += fresh
        if len(order) >= most:
            break
    rest = (index for index in range(len(adjacent)) if index not in order)
    return [*order, *rest][:most]


def part_of_picture(picture: Picture, nodes: Sequence[int]) -> Picture:
    """Some nodes of a picture, in its order, and the edges between them."""
    index = {old: new for new, old in enumerate(sorted(nodes))}
    is_kept = [edge.a in index and edge.b in index for edge in picture.edges]
    edges = [edge._replace(a=index[edge.a], b=index[edge.b]) for edge in compress(picture.edges, is_kept)]
    looks = (tuple(compress(picture.strengths, is_kept)), tuple(compress(picture.is_weak, is_kept)))
    fills = tuple(picture.fills[old] for old in index) if picture.fills else ()
    return Picture(tuple(picture.labels[old] for old in index), tuple(edges), *looks, fills)
