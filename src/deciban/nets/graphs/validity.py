"""What makes a graph of a kind: no cycle, one edge between two nodes, and for a CPDAG the arrows of its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.errors import CycleError, GraphError
from deciban.nets.graphs.base import Graph, Node
from deciban.nets.graphs.bits import bits, find_cycle, transposed

__all__ = [
    "check_masks",
    "difference_of_classes",
    "forbid_cycle",
    "forbid_two_edges",
    "masks_of_matrix",
    "why_no_extension",
]


def forbid_cycle(nodes: Sequence[Node], parents: Sequence[int]) -> None:
    """Raise an error that shows a cycle of the arrows, if there is one."""
    cycle = find_cycle(parents)
    if cycle:
        shown = " → ".join(str(nodes[index]) for index in [*cycle, cycle[0]])
        raise CycleError(f"a DAG has no cycle, but here is one: {shown}. Remove or reverse one of these arrows.")


def forbid_two_edges(nodes: Sequence[Node], parents: Sequence[int], neighbours: Sequence[int]) -> None:
    """Raise an error if there are two edges between two nodes."""
    children = transposed(parents)
    for index, (up, down, beside) in enumerate(zip(parents, children, neighbours, strict=True)):
        twice = (up & down) | (beside & (up | down))
        for other in bits(twice):
            raise GraphError(
                f"two edges between {nodes[index]!r} and {nodes[other]!r}; give one arrow or one undirected edge"
            )


def check_masks(masks: Sequence[int], nodes: Sequence[Node]) -> None:
    """Raise an error if the masks do not belong to these nodes, or a node is adjacent to itself."""
    if len(masks) != len(nodes) or len(set(nodes)) != len(nodes):
        raise GraphError(f"{len(masks)} masks for {len(set(nodes))} different names of {len(nodes)} nodes")
    for index, mask in enumerate(masks):
        if mask >> len(nodes) or mask >> index & 1:
            raise GraphError(f"the mask {mask:#b} of node {nodes[index]!r} has a bit outside the graph or its own")


def masks_of_matrix(matrix: Any, nodes: Sequence[Node] | None) -> tuple[list[int], Sequence[Node]]:
    """The parents of each node as masks, from a square matrix [parent, child]; and the names of the nodes."""
    cells = np.asarray(matrix)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1]:
        raise GraphError(f"an adjacency matrix is square; this one has the shape {cells.shape}")
    names: Sequence[Node] = range(len(cells)) if nodes is None else nodes
    return [sum(1 << int(up) for up in np.flatnonzero(cells[:, node])) for node in range(len(cells))], names


def why_no_extension(graph: Graph) -> str:
    """Why no DAG has the arrows and adjacencies of a graph and no further v-structure."""
    cycle = find_cycle(graph._parent_masks)
    if cycle:
        shown = " → ".join(str(graph.nodes[index]) for index in [*cycle, cycle[0]])
        return f"its arrows form the cycle {shown}"
    return "every direction of its undirected edges makes a cycle or a new v-structure"


def difference_of_classes(found: Graph, right: Graph) -> str:
    """The first edge in which a graph differs from the class of its DAGs."""
    arrows = [edge for edge in right.directed_edges if edge not in set(found.directed_edges)]
    if arrows:
        return f"not completed: {arrows[0][0]} — {arrows[0][1]} is an arrow to {arrows[0][1]} in every DAG of the class"
    edge = next(edge for edge in found.directed_edges if edge not in set(right.directed_edges))
    return f"not completed: {edge[0]} → {edge[1]} is not in every equivalent DAG; make it undirected, or use PDAG"
