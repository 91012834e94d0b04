"""An oracle with latent nodes answers for the others, as if it had never heard of these."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ParameterError, UnknownNodeError
from tests.nets.named_graphs import dags

GENE = db.DAG([("gene", "smoking"), ("gene", "cancer")])


def test_latent_nodes_are_not_to_be_asked():
    oracle = db.Oracle(GENE, latent="gene")
    assert oracle.nodes == ("smoking", "cancer") and oracle.latent == ("gene",)
    assert not oracle.independent("smoking", "cancer")
    for ask in (lambda: oracle.independent("smoking", "gene"), lambda: oracle.test("smoking", "cancer", ["gene"])):
        with pytest.raises(UnknownNodeError, match="'gene' is latent"):
            ask()
    with pytest.raises(UnknownNodeError, match="no node 'tar'"):
        oracle.test("smoking", "tar")
    with pytest.raises(UnknownNodeError, match="no node 'tar'"):
        db.Oracle(GENE, ["tar"])
    with pytest.raises(ParameterError, match="made from a DAG"):
        db.Oracle([("a", "b")])


@given(dags(3, 6), st.data())
def test_answers_are_d_separation(dag, data):
    latent = data.draw(st.sets(st.sampled_from(dag.nodes), max_size=2))
    oracle = db.Oracle(dag, latent)
    for x, y in itertools.permutations(oracle.nodes, 2):
        others = [z for z in oracle.nodes if z not in (x, y)]
        assert oracle.independent(x, y, others) == db.d_separated(dag, x, y, others)
        assert oracle.independent(x, y, others[:1]) == db.d_separated(dag, x, y, others[:1])


def test_scores_know_no_latent_nodes():
    with pytest.raises(ParameterError, match="fci"):
        db.search(db.Oracle(GENE, ["gene"]), method="ges")


@pytest.mark.parametrize("method", ["pc", "ic"])
def test_methods_that_reckon_with_no_hidden_cause_may_err(method):
    # a → x ← hidden → y ← b: no DAG of a, x, y, b has these independences.
    dag = db.DAG([("a", "x"), ("hidden", "x"), ("hidden", "y"), ("b", "y")])
    found = db.discover(db.Oracle(dag, "hidden"), method=method)
    assert found.graph.is_adjacent("x", "y") and len(found.conflicts) == 1
    assert ("x", "y") in found.graph.directed_edges or ("y", "x") in found.graph.directed_edges
