"""Every algorithm stands on these."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from deciban.nets.graphs.bits import bits, components, find_cycle, mask_of, reach, topological, transposed


@st.composite
def digraphs(draw):
    """Parents of each node, cycles allowed."""
    count = draw(st.integers(0, 8))
    return [draw(st.integers(0, (1 << count) - 1)) & ~(1 << node) for node in range(count)]


def as_networkx(parents):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(parents)))
    graph.add_edges_from((up, node) for node, mask in enumerate(parents) for up in bits(mask))
    return graph


@given(st.sets(st.integers(0, 300)))
def test_a_mask_is_a_set(members):
    assert list(bits(mask_of(members))) == sorted(members)


@given(digraphs())
def test_graphs_of_masks_are_those_of_networkx(parents):
    graph = as_networkx(parents)
    assert transposed(transposed(parents)) == parents
    beside = [up | down for up, down in zip(parents, transposed(parents), strict=True)]
    parts = components(beside, (1 << len(parents)) - 1)
    assert {frozenset(bits(part)) for part in parts} == set(map(frozenset, nx.weakly_connected_components(graph)))
    for node in range(len(parents)):
        found = set(bits(reach(parents, 1 << node)))
        assert found - {node} == nx.ancestors(graph, node)
        assert (node in found) == any(node in cycle for cycle in nx.simple_cycles(graph))


@given(digraphs())
def test_a_cycle_is_found_when_there_is_one(parents):
    cycle = find_cycle(parents)
    assert bool(cycle) != nx.is_directed_acyclic_graph(as_networkx(parents))
    assert (len(topological(parents)) == len(parents)) != bool(cycle)
    assert len(set(cycle)) == len(cycle)
    assert all(parents[b] >> a & 1 for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
