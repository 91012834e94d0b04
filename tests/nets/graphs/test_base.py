"""What every graph answers: who is next to whom, by names, in one order."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import UnknownNodeError

GRAPH = db.DAG([("rain", "wet"), ("sprinkler", "wet")], ["rain", "sprinkler", "wet", "moon"])


def test_neighbourhoods_by_name():
    assert GRAPH.parents("wet") == {"rain", "sprinkler"}
    assert GRAPH.children("rain") == {"wet"}
    assert GRAPH.adjacent_nodes("moon") == frozenset()
    assert GRAPH.is_adjacent("wet", "rain") and not GRAPH.is_adjacent("rain", "sprinkler")


def test_the_matrix_has_the_order_of_the_nodes():
    expected = np.zeros((4, 4), dtype=bool)
    expected[0, 2] = expected[1, 2] = True
    assert np.array_equal(GRAPH.adjacency(), expected)


def test_a_node_that_is_not_there_is_named():
    with pytest.raises(UnknownNodeError, match="'wett'"):
        GRAPH.parents("wett")


def test_pictures_name_every_node():
    for drawn in (GRAPH.to_svg(), GRAPH.to_dot(), GRAPH.to_mermaid()):
        assert all(node in drawn for node in GRAPH.nodes)


def test_the_edges_of_every_graph_are_triples():
    assert GRAPH.edges == (("rain", "→", "wet"), ("sprinkler", "→", "wet"))
    assert db.PDAG([("a", "b")], [("b", "c")]).edges == (("a", "→", "b"), ("b", "—", "c"))
    assert db.PAG([("a", "o→", "b")]).edges == (("a", "o→", "b"),)
    assert db.DAG(nodes=["a"]).edges == ()
