"""A page draws the graph: all of it, or a part that is named."""

import deciban as db
from deciban.nets.graphs.picture import picture_of
from tests.nets.named_graphs import SPRINKLER


def test_strong_edges_and_weak_ones():
    bits = {("season", "rain"): 0.5, ("rain", "wet"): 1.0}
    drawn = picture_of(SPRINKLER, strength=lambda a, b: bits.get((a, b), 0.0), is_weak=lambda a, b: (a, b) not in bits)
    assert drawn.nodes == SPRINKLER.nodes and drawn.centre is None
    by_edge = {
        (drawn.nodes[edge.a], drawn.nodes[edge.b]): (width, dashed)
        for edge, width, dashed in zip(drawn.picture.edges, drawn.picture.strengths, drawn.picture.is_weak, strict=True)
    }
    assert by_edge["rain", "wet"] == (1.0, False) and by_edge["wet", "slippery"] == (0.0, True)
    assert drawn.to_svg().count("stroke-dasharray") == 3


def test_a_part_of_a_large_graph_is_around_its_centre():
    graph = db.DAG([("hub", i) for i in range(50)] + [(i, i + 100) for i in range(50)])
    drawn = picture_of(graph, most=20, strength=lambda a, b: 1.0)
    assert drawn.centre == "hub" and len(drawn.nodes) == 20 == len(drawn.picture.labels)
    assert len(drawn.picture.strengths) == len(drawn.picture.edges) == 19
