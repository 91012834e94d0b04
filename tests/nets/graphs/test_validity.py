"""Edges that are not a graph of the kind asked for would give wrong answers without an error."""

import networkx as nx
import pytest

import deciban as db
from deciban.errors import CycleError, GraphError, InvalidCPDAGError, NoExtensionError


def test_a_cycle_is_shown():
    with pytest.raises(CycleError, match=r"(b → c → d → b|c → d → b → c|d → b → c → d)"):
        db.DAG([("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e")])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: db.DAG(["ab"]), "pair of nodes"),
        (lambda: db.DAG([("a", "b", "c")]), "pair of nodes"),
        (lambda: db.DAG([3]), "pair of nodes"),
        (lambda: db.DAG([(["a"], "b")]), "hashable"),
        (lambda: db.DAG(nodes=[["a"]]), "hashable"),
        (lambda: db.DAG([("a", "a")]), "to itself"),
        (lambda: db.DAG(nodes="abc"), "list of names"),
        (lambda: db.PDAG([("a", "b")], [("b", "a")]), "two edges between 'a' and 'b'"),
        (lambda: db.PDAG([("a", "b"), ("b", "a")]), "two edges"),
        (lambda: db.DAG.from_adjacency([[0, 1]]), "square"),
        (lambda: db.DAG.from_adjacency([[0, 1], [0, 0]], ["a"]), "2 masks for 1"),
        (lambda: db.DAG.from_adjacency([[1]]), "its own"),
        (lambda: db.DAG._from_masks([0b100, 0], "ab"), "outside"),
        (lambda: db.PDAG._from_masks([0, 0], [0b10, 0], "ab"), "symmetric"),
        (lambda: db.DAG.from_networkx(nx.Graph([(1, 2)])), "undirected"),
    ],
)
def test_what_is_no_graph_is_refused(make, said):
    with pytest.raises(GraphError, match=said):
        make()


def test_no_extension_is_said_and_why():
    square = db.PDAG([], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(NoExtensionError, match="v-structure"):
        square.extension()
    assert list(square.dags()) == []
    with pytest.raises(NoExtensionError, match=r"cycle a → b → c → a|cycle b → c → a → b|cycle c → a → b → c"):
        db.PDAG([("a", "b"), ("b", "c"), ("c", "a")]).extension()


def test_a_cpdag_must_be_one():
    assert db.CPDAG([("a", "c"), ("b", "c")]) == db.DAG([("a", "c"), ("b", "c")]).cpdag()
    with pytest.raises(InvalidCPDAGError, match="a → b is not in every"):
        db.CPDAG([("a", "b")])
    with pytest.raises(InvalidCPDAGError, match="c — d is an arrow to d in every DAG of the class"):
        db.CPDAG([("a", "c"), ("b", "c")], [("c", "d")])
    with pytest.raises(InvalidCPDAGError, match="not the class of any DAG"):
        db.CPDAG([], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
