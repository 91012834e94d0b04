"""RFCI: what it says of causes is true, and it ends on hundreds of variables."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.nets import MAG
from tests.nets.discovery.test_fci import BEYOND
from tests.nets.named_graphs import dags, random_dag


def assert_no_mark_is_false(graph, dag):
    for x, y in itertools.permutations(graph.nodes, 2):
        is_cause = y in dag.ancestors(x)
        assert graph.mark(x, y) in ((None, "circle", "tail") if is_cause else (None, "circle", "arrow"))


@settings(max_examples=60)
@given(st.integers(4, 8), st.integers(0, 3), st.integers(5000, 100_000))
def test_no_mark_is_false_and_no_edge_is_lost(count, hidden, seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, count + hidden, rng.uniform(0.8, 2.2))
    latent = [int(node) for node in rng.permutation(count + hidden)[:hidden]]
    found, pag = db.discover(db.Oracle(dag, latent), "rfci"), db.PAG.of_dag(dag, latent)
    assert_no_mark_is_false(found.graph, dag)
    assert not found.conflicts
    assert all(found.graph.is_adjacent(x, y) for x, _, y in pag.edges)


def test_an_edge_that_only_distant_sets_separate_is_left():
    oracle = db.Oracle(BEYOND, ["l1", "l2", "l3"])
    near, far = db.discover(oracle, "rfci").graph, db.discover(oracle, "fci").graph
    assert near.is_adjacent("x", "y")
    assert not far.is_adjacent("x", "y")
    assert_no_mark_is_false(near, BEYOND)


@pytest.mark.parametrize("method", ["fci", "rfci"])
@settings(max_examples=30)
@given(dag=dags(3, 6), data=st.data())
def test_true_knowledge_makes_no_mark_false(method, dag, data):
    """Tiers put arrowheads, and no tails that they do not say (causal-learn's FCI did: its issue 266)."""
    latent = data.draw(st.sets(st.sampled_from(dag.nodes), max_size=2))
    left = [node for node in dag.topological_order() if node not in latent]
    cuts = sorted(data.draw(st.sets(st.integers(1, max(len(left) - 1, 1)), max_size=2)))
    tiers = [left[a:b] for a, b in itertools.pairwise([0, *cuts, len(left)])]
    arrows = MAG.of_dag(dag, latent).directed_edges
    required = data.draw(st.lists(st.sampled_from(arrows), unique=True, max_size=1)) if arrows else []
    known = db.Knowledge(required=required, tiers=[tier for tier in tiers if tier])
    found = db.discover(db.Oracle(dag, latent), method, knowledge=known)
    assert not found.conflicts
    assert_no_mark_is_false(found.graph, dag)


def sampled(seed, count, rows):
    """Numbers of a sparse linear model, of which some common causes are hidden."""
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, count, 1.25)
    values = {}
    for node in dag.topological_order():
        parents = sorted(dag.parents(node))
        values[node] = rng.normal(size=rows) + sum(rng.uniform(0.5, 1) * values[up] for up in parents)
    causes = [node for node in dag.nodes if len(dag.children(node)) > 1][: count // 20]
    return dag, {f"v{node:03}": values[node] for node in dag.nodes if node not in causes}


def test_names_and_order_change_nothing():
    _, data = sampled(5000, 30, 200)
    found = db.discover(data, "rfci", alpha=0.1).graph
    other = {f"n{999 - int(name[1:]):03}": data[name] for name in reversed(data)}
    again = db.discover(other, "rfci", alpha=0.1).graph
    for x, y in itertools.permutations(data, 2):
        assert found.mark(x, y) == again.mark(*(f"n{999 - int(name[1:]):03}" for name in (x, y)))


def test_two_hundred_variables():
    dag, data = sampled(5001, 200, 1000)
    found = db.discover(data, "rfci")
    pairs = {frozenset((int(x[1:]), int(y[1:]))) for x, _, y in found.graph.edges}
    true = {frozenset(edge) for edge in dag.directed_edges}
    assert len(pairs & true) > 0.9 * len([edge for edge in true if all(f"v{node:03}" in data for node in edge)])
    assert found.tests < 200_000
    x, y = next(pair for pair in itertools.combinations(data, 2) if not found.graph.is_adjacent(*pair))
    assert found.separating_set(x, y) is not None
