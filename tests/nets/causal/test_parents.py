"""The parents that a node may have are found near it, and are those over all DAGs of the class."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import deciban as db
from deciban.errors import GraphError, NoExtensionError, TooLargeError
from deciban.nets.causal import ida as parents
from deciban.nets.causal.ida import possible_parents
from tests.nets.named_graphs import all_dags, dags, random_dag


def listed_parents(g, x):
    """The same by listing all DAGs."""
    return dict(Counter(dag.parents(x) for dag in g.dags()))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_small_class(count):
    """The kernel is its twin, sets and numbers of DAGs, on all classes of up to four nodes."""
    for g in {dag.cpdag() for dag in all_dags(count)}:
        for x in g.nodes:
            assert possible_parents(g, x) == listed_parents(g, x)


@given(dags(5, 7))
def test_larger_classes(dag):
    g = dag.cpdag()
    for x in g.nodes:
        found = possible_parents(g, x)
        assert found == listed_parents(g, x)
        assert sum(found.values()) == g.count_dags()


def test_a_class_too_large_to_list():
    """A star of 60 leaves: only its centre has a choice, among 61 DAGs."""
    star = db.DAG([("centre", leaf) for leaf in range(60)]).cpdag()
    assert len(possible_parents(star, "centre")) == 61
    dense = random_dag(np.random.default_rng(0), 30, 4).cpdag()
    assert all(sum(possible_parents(dense, x).values()) == dense.count_dags() for x in dense.nodes)


def test_background_knowledge_is_kept():
    g = db.PDAG([("a", "b")], [("b", "c")])
    assert possible_parents(g, "b") == {frozenset({"a"}): 1}
    full = db.PDAG([("a", "b")], [("a", "c"), ("b", "c")])
    assert possible_parents(full, "c") == listed_parents(full, "c")
    assert possible_parents(db.DAG([("a", "b")]), "b") == {frozenset({"a"}): 1}


def test_what_has_no_dag_is_refused(monkeypatch):
    square = db.PDAG([], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(NoExtensionError):
        possible_parents(square, "a")
    with pytest.raises(GraphError, match="not a list"):
        possible_parents([("a", "b")], "a")
    monkeypatch.setattr(parents, "_MOST_DAGS", 1)
    with pytest.raises(TooLargeError, match="more than 1 DAGs"):
        possible_parents(db.PDAG([("a", "b")], [("a", "c"), ("b", "c"), ("a", "d"), ("c", "d"), ("b", "d")]), "d")
