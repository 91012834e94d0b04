"""Knowledge and the largest number of parents are held by every search."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.nets.graphs.dag import CPDAG, PDAG
from tests.nets.named_graphs import dags, random_dag
from tests.nets.search.samples import knows, oracle, sampled


@pytest.mark.parametrize("method", ["hc", "tabu", "ges", "exact"])
def test_knowledge_is_held(sprinkler, method):
    knowledge = knows([("slippery", "season"), ("rain", "sprinkler")], [("wet", "rain"), ("season", "wet")])
    graph = db.search(sprinkler, method=method, knowledge=knowledge).graph
    assert set(knowledge.required) <= set(graph.directed_edges)
    possible = {*graph.directed_edges, *graph.undirected_edges, *((b, a) for a, b in graph.undirected_edges)}
    assert not possible & set(knowledge.forbidden)
    if isinstance(graph, PDAG):
        graph.extension()


@pytest.mark.parametrize("method", ["hc", "tabu", "ges", "exact"])
def test_no_arrow_leads_to_an_earlier_tier(sprinkler, method):
    knowledge = SimpleNamespace(required=(), forbidden=(), tiers=(("slippery",), ("wet", "rain"), ("season",)))
    graph = db.search(sprinkler, method=method, knowledge=knowledge).graph
    later = {("wet", "slippery"), ("rain", "slippery"), ("season", "slippery"), ("season", "wet"), ("season", "rain")}
    possible = {*graph.directed_edges, *graph.undirected_edges, *((b, a) for a, b in graph.undirected_edges)}
    assert not possible & later


def test_knowledge_directs_what_a_class_leaves_open(sprinkler):
    free = db.search(sprinkler, method="ges").graph
    assert isinstance(free, CPDAG) and not free.is_directed()
    known = db.search(sprinkler, method="ges", knowledge=knows(forbidden=[("rain", "season")])).graph
    assert ("season", "rain") in known.directed_edges
    assert known.skeleton() == free.skeleton()


@settings(max_examples=25, deadline=None)
@given(dags(min_nodes=3, max_nodes=6), st.data())
def test_true_knowledge_never_changes_the_class(dag, data):
    known = data.draw(st.sets(st.sampled_from(dag.directed_edges))) if dag.directed_edges else set()
    graph = db.search(oracle(dag), method="ges", knowledge=knows(forbidden=[(b, a) for a, b in known])).graph
    assert known <= set(graph.directed_edges)
    assert graph.extension().cpdag() == dag.cpdag()


@pytest.mark.parametrize("method", ["hc", "tabu", "exact"])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_one_has_too_many_parents(method, most):
    table = sampled(random_dag(np.random.default_rng(8), 7, 3), 800, 8)
    graph = db.search(table, method=method, max_parents=most).graph
    assert max(mask.bit_count() for mask in graph._parent_masks) <= most
