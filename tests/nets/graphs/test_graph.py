"""A graph that is wrong, unreadable or changeable would spoil every answer drawn from it."""

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import UnknownNodeError
from tests.nets.named_graphs import SPRINKLER, dags


def test_a_graph_says_who_is_next_to_whom():
    g = SPRINKLER
    assert g.nodes == ("season", "sprinkler", "rain", "wet", "slippery")
    assert g.parents("wet") == {"sprinkler", "rain"} and g.children("season") == {"sprinkler", "rain"}
    assert g.neighbours("wet") == set() and g.adjacent_nodes("wet") == {"sprinkler", "rain", "slippery"}
    assert g.is_adjacent("wet", "rain") and not g.is_adjacent("wet", "season")
    assert g.ancestors("wet") == {"season", "sprinkler", "rain"} and g.descendants("wet") == {"slippery"}
    assert g.ancestors(["rain", "wet"]) == {"season", "sprinkler", "rain"}
    assert g.directed_edges[0] == ("rain", "wet") and g.undirected_edges == ()
    assert g.topological_order() == ("season", "sprinkler", "rain", "wet", "slippery")


def test_the_moral_graph_marries_parents():
    assert ("rain", "sprinkler") in SPRINKLER.moral().undirected_edges
    assert len(SPRINKLER.moral().undirected_edges) == 6
    assert len(SPRINKLER.skeleton().undirected_edges) == 5


def test_order_does_not_matter_for_equality():
    turned = db.DAG(SPRINKLER.directed_edges[::-1], SPRINKLER.nodes[::-1])
    assert turned == SPRINKLER and hash(turned) == hash(SPRINKLER) and turned.nodes != SPRINKLER.nodes
    assert db.PDAG([], [("a", "b")]) == db.PDAG([], [("b", "a")])
    assert db.DAG([("a", "b")]) != db.DAG([("b", "a")]) != db.PDAG([("b", "a")])
    assert len({SPRINKLER, turned, SPRINKLER.cpdag(), turned.cpdag()}) == 2


def test_names_may_be_anything_hashable():
    g = db.DAG([((0, 1), "b"), (2, (0, 1))])
    assert g.parents((0, 1)) == {2} and g.ancestors("b") == {2, (0, 1)}
    assert g.descendants([2, "b"]) == {(0, 1), "b"}
    assert "→" in repr(g)


def test_a_graph_cannot_be_changed_but_copied():
    with pytest.raises(AttributeError, match="make another"):
        SPRINKLER.nodes = ()
    with pytest.raises(AttributeError, match="make another"):
        del SPRINKLER.nodes
    for g in (SPRINKLER, SPRINKLER.cpdag()):
        assert pickle.loads(pickle.dumps(g)) == copy.deepcopy(g) == g  # noqa: S301


def test_an_unknown_node_is_named():
    for ask in (SPRINKLER.parents, SPRINKLER.ancestors, SPRINKLER._mask):
        with pytest.raises(UnknownNodeError, match="no node 'rian'; its nodes are: 'season'"):
            ask("rian")
    with pytest.raises(UnknownNodeError):
        SPRINKLER.ancestors(["rain", "rian"])
    with pytest.raises(UnknownNodeError):
        SPRINKLER.parents(["rain"])


@given(dags())
def test_out_and_in_again(g):
    for graph in (g, g.cpdag(), g.skeleton()):
        kind = type(graph)
        assert kind.from_adjacency(graph.adjacency(), graph.nodes) == graph
        assert kind.from_networkx(graph.to_networkx()) == graph
    assert nx.is_directed_acyclic_graph(g.to_networkx())
    assert db.PDAG.from_networkx(nx.Graph(g.to_networkx())) == g.skeleton()
    assert {frozenset(e) for e in nx.moral_graph(g.to_networkx()).edges} == set(
        map(frozenset, g.moral().undirected_edges)
    )


def test_the_matrix_is_parent_by_child():
    assert np.array_equal(db.DAG([("a", "b")]).adjacency(), [[False, True], [False, False]])
    assert db.DAG.from_adjacency([[0, 1], [0, 0]]).parents(1) == {0}


@given(st.data())
def test_sampling_stays_in_the_class(data):
    g = data.draw(dags())
    assert g.cpdag().sample_dag(random_state=0).cpdag() == g.cpdag()
