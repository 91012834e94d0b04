"""Interventional classes against a listing of all DAGs."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import CycleError, InvalidCPDAGError
from deciban.nets import InterventionalCPDAG, v_structures
from tests.nets.named_graphs import dags

CHAIN = db.DAG([("a", "b"), ("b", "c")])


@st.composite
def graphs_and_interventions(draw):
    g = draw(dags(max_nodes=4))
    return g, draw(st.lists(st.frozensets(st.sampled_from(g.nodes), min_size=1, max_size=3), max_size=3))


def cut(g, nodes):
    """The adjacencies after an intervention."""
    return {frozenset(edge) for edge in g.directed_edges if edge[1] not in nodes}


def every_direction(g):
    """All DAGs with the adjacencies of g."""
    for number in range(1 << len(g.directed_edges)):
        turned = [edge[::-1] if number >> place & 1 else edge for place, edge in enumerate(g.directed_edges)]
        try:
            yield db.DAG(turned, g.nodes)
        except CycleError:
            continue


@given(graphs_and_interventions())
@settings(max_examples=60)
def test_a_class_is_what_no_intervention_tells_apart(case):
    """Hauser and Bühlmann (2012), theorem 10: the same adjacencies after each intervention, and v-structures."""
    g, interventions = case
    members = {
        other
        for other in every_direction(g)
        if v_structures(other) == v_structures(g) and all(cut(other, nodes) == cut(g, nodes) for nodes in interventions)
    }
    found = InterventionalCPDAG.of(g, interventions)
    assert set(found.dags()) == members
    assert found.count_dags() == len(members)
    assert found.sample_dag(random_state=0) in members
    shared = set.intersection(*(set(member.directed_edges) for member in members))
    assert set(found.directed_edges) == shared
    assert set(found.directed_by_interventions) == shared - set(g.cpdag().directed_edges)
    assert found.observational == g.cpdag()
    made = (found.directed_edges, found.undirected_edges, found.nodes)
    assert InterventionalCPDAG(*made, interventions=interventions) == found
    assert deepcopy(found) == found


def test_a_class_of_other_interventions_is_another_one():
    one, other = (InterventionalCPDAG.of(CHAIN, [nodes]) for nodes in ({"a"}, {"a", "b", "c"}))
    assert one != other
    assert one != CHAIN.cpdag()
    assert InterventionalCPDAG.of(CHAIN, [(), "a", ["a"]]) == one


def test_edges_that_an_intervention_directs_must_be_arrows():
    with pytest.raises(InvalidCPDAGError, match="is an arrow to"):
        InterventionalCPDAG([], [("a", "b")], interventions=[{"a"}])
    with pytest.raises(InvalidCPDAGError, match="not in every equivalent DAG"):
        InterventionalCPDAG([("a", "b")], interventions=[{"a", "b"}])


def test_arrows_of_interventions_are_drawn_in_colour():
    svg = InterventionalCPDAG.of(CHAIN, [{"c"}]).to_svg()
    assert svg.count('stroke="#2b7bba"') == 2  # the arrow, and that of the legend
    assert "directed by the interventions" in svg
    assert "2b7bba" not in InterventionalCPDAG.of(CHAIN, []).to_svg()
