"""A graph as a picture for a page: of a large graph a part, with edges as thick as they are strong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from deciban.nets.graphs.drawing import Picture, central_nodes, part_of_picture, to_svg
from deciban.nets.graphs.graph import Graph, Node
from deciban.nets.graphs.scene import Look, cut

__all__ = ["GraphPicture", "picture_of"]

Strength = Callable[[Node, Node], float]


@dataclass(frozen=True)
class GraphPicture:
    """The nodes that are drawn, the one around which they lie where they are a part, and the picture."""

    nodes: tuple[Node, ...]
    centre: Node | None
    picture: Picture

    def to_svg(self, look: Look | None = None) -> str:
        """The picture as SVG."""
        return to_svg(self.picture, look)


def picture_of(
    graph: Graph,
    *,
    most: int = 60,
    longest: int = 24,
    strength: Strength | None = None,
    is_weak: Callable[[Node, Node], bool] | None = None,
) -> GraphPicture:
    """The picture of a graph: of one with more than `most` nodes, the node with the most neighbours and those near it.

    Names are cut to `longest` letters. An edge is as thick as its `strength`, from 0 to 1, and dashed where `is_weak`.
    """
    picture, nodes, centre = graph._picture, graph.nodes, None
    picture = replace(picture, labels=tuple(cut(label, longest) for label in picture.labels))
    if strength is not None:
        strengths = tuple(strength(nodes[edge.a], nodes[edge.b]) for edge in picture.edges)
        picture = replace(picture, strengths=strengths)
    if is_weak is not None:
        weak = tuple(is_weak(nodes[edge.a], nodes[edge.b]) for edge in picture.edges)
        picture = replace(picture, is_weak=weak)
    if len(nodes) > most:
        chosen = central_nodes(graph._adjacent_masks, most)
        picture, centre = part_of_picture(picture, chosen), nodes[chosen[0]]
        nodes = tuple(nodes[index] for index in sorted(chosen))
    return GraphPicture(nodes, centre, picture)
