"""A picture in which nodes lie on each other, or arrows point up, is not read."""

import itertools

from hypothesis import given

from deciban.nets.graphs.layout import layered
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


@given(dags(max_nodes=9))
def test_nodes_are_as_far_apart_as_they_are_wide(g):
    widths = [1.0 + index % 3 for index in range(len(g.nodes))]
    positions, _ = layered(len(g.nodes), list(g.directed_edges), widths=widths)
    for a, b in itertools.combinations(positions, 2):
        apart = abs(positions[a][0] - positions[b][0])
        assert positions[a][1] != positions[b][1] or apart >= (widths[a] + widths[b]) / 2 - 1e-9
    assert all(column >= widths[node] / 2 - 1e-9 for node, (column, _) in positions.items())


def test_a_wide_layer_is_broken_into_several():
    edges = [(0, effect) for effect in range(1, 13)]
    flat, _ = layered(13, edges)
    assert {row for _, row in flat.values()} == {0, 1}
    narrow, _ = layered(13, edges, widest=4)
    rows = [row for _, row in narrow.values()]
    assert max(map(rows.count, rows)) == 4 and max(column for column, _ in narrow.values()) < 8
    alone, _ = layered(6, [], widest=2)
    assert sorted(row for _, row in alone.values()) == [0, 0, 1, 1, 2, 2]


def test_a_node_stands_at_the_mean_of_its_neighbours_where_there_is_room():
    positions, _ = layered(4, [(0, 1), (0, 2), (0, 3)])
    assert positions[0][0] == positions[2][0]
