"""A missing ancestor would leave out a table of a query, or direct an edge against time."""

import networkx as nx
from hypothesis import given

from deciban.nets import MAG
from tests.nets.named_graphs import dags


@given(dags())
def test_ancestors_are_those_of_networkx(g):
    peer = g.to_networkx()
    for x in g.nodes:
        assert g.ancestors(x) == nx.ancestors(peer, x) and g.descendants(x) == nx.descendants(peer, x)
    place = {x: at for at, x in enumerate(g.topological_order())}
    assert len(place) == len(g.nodes) and all(place[a] < place[b] for a, b in g.directed_edges)


@given(dags())
def test_ancestors_of_a_mag_are_those_of_its_dag(g):
    hidden = g.nodes[:1]
    mag = MAG.of_dag(g, hidden)
    for x in mag.nodes:
        assert mag.ancestors(x) == g.ancestors(x) - set(hidden)
        assert mag.descendants(x) == g.descendants(x) - set(hidden)
