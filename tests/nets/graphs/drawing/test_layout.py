"""A picture in which nodes lie on each other, or arrows point up, is not read."""

import itertools

from hypothesis import given

from deciban.nets.graphs.drawing.layout import layered
from tests.nets.named_graphs import SPRINKLER, dags


@given(dags(max_nodes=9))
def test_causes_stand_above_effects_and_nodes_apart(g):
    edges = list(g.directed_edges)
    places, routes = layered(len(g.nodes), edges)
    assert all(places[a][1] < places[b][1] for a, b in edges)
    for a, b in itertools.combinations(places, 2):
        assert places[a][1] != places[b][1] or abs(places[a][0] - places[b][0]) >= 1 - 1e-9
    assert all(len(routes[a, b]) == places[b][1] - places[a][1] - 1 for a, b in edges)
    assert all(column >= 0 and row >= 0 for column, row in places.values())


def test_cycles_are_laid_out_too():
    places, routes = layered(3, [(0, 1), (1, 2), (2, 0)])
    assert len(set(places.values())) == 3 and set(routes) == {(0, 1), (1, 2), (2, 0)}
    assert layered(0, []) == ({}, {})


def test_the_sprinkler_is_a_diamond():
    edges = [edge[:2] for edge in SPRINKLER._picture.edges]
    places, _ = layered(5, edges)
    assert [row for _, row in places.values()] == [0, 1, 1, 2, 3]
    assert places[0][0] == places[3][0] == places[4][0] == (places[1][0] + places[2][0]) / 2
