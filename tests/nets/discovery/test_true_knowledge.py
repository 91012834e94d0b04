"""Knowledge that is true of the graph directs what it decides, and never directs an edge wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.nets.graphs.bits import topological
from tests.nets.discovery.test_discover import random_table
from tests.nets.named_graphs import dags

COLLIDER = db.DAG([(0, 2), (1, 2)])
APART = {"required": [], "forbidden": [(0, 1)], "tiers": [[0], [1, 2]]}
"""An edge between 0 and 1 is forbidden from both ends, so that PC has no reason to test the pair."""


@st.composite
def told(draw, min_nodes=3, max_nodes=6):
    """A DAG, and required arrows, forbidden arrows and tiers that are true of it."""
    dag = draw(dags(min_nodes, max_nodes))
    arrows = set(dag.directed_edges)
    required = draw(st.lists(st.sampled_from(sorted(arrows)), unique=True)) if arrows else []
    absent = [(a, b) for a in dag.nodes for b in dag.nodes if a != b and (a, b) not in arrows]
    forbidden = draw(st.lists(st.sampled_from(absent), unique=True))
    order = [dag.nodes[i] for i in topological(dag._parent_masks)]
    cuts = sorted(draw(st.sets(st.integers(1, len(order) - 1), max_size=2)))
    tiers = [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)] if cuts else []
    return dag, {"required": required, "forbidden": forbidden, "tiers": tiers}


def is_allowed(arrow, known):
    tier = {node: number for number, nodes in enumerate(known["tiers"]) for node in nodes}
    a, b = arrow
    return arrow not in known["forbidden"] and tier.get(a, 0) <= tier.get(b, len(tier))


def decided(dag, known):
    """The arrows that all DAGs of the class share which agree with the knowledge."""
    agreeing = [
        set(one.directed_edges)
        for one in dag.cpdag().dags()
        if set(known["required"]) <= set(one.directed_edges)
        and all(is_allowed(arrow, known) for arrow in one.directed_edges)
    ]
    return set.intersection(*agreeing)


@pytest.mark.parametrize("method", ["pc", "ic"])
@settings(max_examples=150)
@example((COLLIDER, APART))
@given(told())
def test_pc_and_ic_direct_what_class_and_knowledge_decide(method, case):
    dag, known = case
    graph = db.discover(db.Oracle(dag), method=method, knowledge=db.Knowledge(**known)).graph
    assert graph.skeleton() == dag.skeleton()
    assert set(graph.directed_edges) == decided(dag, known)


@settings(max_examples=150)
@example((COLLIDER, APART))
@given(told())
def test_fci_sets_no_mark_against_the_truth(case):
    dag, known = case
    graph = db.discover(db.Oracle(dag), method="fci", knowledge=db.Knowledge(**known)).graph
    assert {frozenset((a, b)) for a, _, b in graph.edges} == {frozenset(edge) for edge in dag.directed_edges}
    check_marks(graph, dag)


@settings(max_examples=100)
@given(dags(4, 7), st.data())
def test_fci_with_hidden_nodes_sets_no_mark_against_the_truth(dag, data):
    """With hidden nodes a forbidden arrow says: is no cause of, itself or by way of others."""
    latent = data.draw(st.sets(st.sampled_from(dag.nodes), max_size=2))
    seen = [node for node in dag.nodes if node not in latent]
    apart = [(a, b) for a in seen for b in seen if a != b and a not in dag.ancestors(b)]
    forbidden = data.draw(st.lists(st.sampled_from(apart), unique=True)) if apart else []
    found = db.discover(db.Oracle(dag, latent), method="fci", knowledge=db.Knowledge(forbidden=forbidden))
    assert not found.conflicts
    check_marks(found.graph, dag)


def check_marks(graph, dag):
    for a, _, b in graph.edges:
        for end, other in ((a, b), (b, a)):
            is_cause = end in dag.ancestors(other)
            assert graph.mark(other, end) != ("arrow" if is_cause else "tail")


@pytest.mark.parametrize("rule", ["opening", "max_p", "majority", "conservative", "first"])
def test_pairs_that_knowledge_keeps_apart_are_judged_on_data(rule):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 3000))
    c = (a | b) ^ (rng.random(3000) < 0.1)
    known = db.Knowledge(forbidden=[("a", "b")], tiers=[["a"], ["b", "c"]])
    found = db.discover({"a": a, "b": b, "c": c}, knowledge=known, collider_rule=rule)
    assert set(found.graph.directed_edges) == {("a", "c"), ("b", "c")}
    assert "the knowledge forbids it" in found.explain("a", "b")


@pytest.mark.parametrize("method", ["hc", "tabu", "ges"])
@settings(max_examples=30)
@given(told(6, 6), st.integers(0, 10_000))
def test_a_search_obeys_knowledge(method, case, seed):
    _, known = case
    known = {
        "required": [(f"v{a}", f"v{b}") for a, b in known["required"]],
        "forbidden": [(f"v{a}", f"v{b}") for a, b in known["forbidden"]],
        "tiers": [[f"v{node}" for node in tier] for tier in known["tiers"]],
    }
    table = random_table(np.random.default_rng(seed), columns=6)
    graph = db.search(table, score="bic", method=method, knowledge=db.Knowledge(**known)).graph
    assert set(known["required"]) <= set(graph.directed_edges)
    assert all(is_allowed(arrow, known) for arrow in graph.directed_edges)
    both_ways = [pair for a, b in graph.undirected_edges for pair in ((a, b), (b, a))]
    assert all(is_allowed(arrow, known) for arrow in both_ways)
