"""Of a large graph a part is drawn: nodes that belong together, and the edges between them."""

import deciban as db
from deciban.nets.graphs.drawing import central_nodes, part_of_picture
from tests.nets.named_graphs import ASIA


def test_the_part_is_connected_and_has_its_edges():
    star = db.DAG([("hub", f"x{i}") for i in range(6)] + [("far", "away")])
    chosen = central_nodes(star._adjacent_masks, 4)
    assert star.nodes[chosen[0]] == "hub" and len(chosen) == 4
    part = part_of_picture(star._picture, chosen)
    assert set(part.labels) <= {"hub", *(f"x{i}" for i in range(6))} and len(part.edges) == 3
    assert all(part.labels[edge.a] == "hub" for edge in part.edges)


def test_the_whole_is_a_part():
    assert part_of_picture(ASIA._picture, range(8)) == ASIA._picture
    assert sorted(central_nodes(ASIA._adjacent_masks, 20)) == list(range(8))
