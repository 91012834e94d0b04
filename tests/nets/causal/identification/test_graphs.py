"""The projection keeps what hidden nodes do to those that are observed, and wrong questions are refused."""

import pytest

import deciban as db
from deciban.errors import GraphError, UnknownNodeError
from deciban.nets.causal.causal_graph import CausalGraph


def named(g, masks):
    return {g.dag.nodes[node]: set(g.dag._names(mask)) for node, mask in enumerate(masks) if g.observed >> node & 1}


def test_hidden_nodes_leave_arrows_and_common_causes():
    g = CausalGraph.read(db.DAG([("a", "u"), ("u", "v"), ("v", "b"), ("u", "c"), ("b", "d")]), latent=["u", "v"])
    assert named(g, g.parents) == {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b"}}
    assert named(g, g.spouses) == {"a": set(), "b": {"c"}, "c": {"b"}, "d": set()}
    assert [set(g.dag._names(part)) for part in g.districts(g.observed)] == [{"a"}, {"b", "c"}, {"d"}]


def test_a_confounded_pair_is_a_hidden_common_cause():
    given_pairs = CausalGraph.read(db.DAG([("x", "y")]), confounded=[("x", "y")])
    given_nodes = CausalGraph.read(db.DAG([("x", "y"), ("u", "x"), ("u", "y")]), latent="u")
    assert named(given_pairs, given_pairs.spouses) == named(given_nodes, given_nodes.spouses)
    assert str(given_pairs.dag.nodes[2]) == "hidden common cause of x and y"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"effect": "y", "cause": "x", "latent": "x"}, "cause contains x, which is latent"),
        ({"effect": "y", "cause": ["x", "y"]}, "effect and cause share y"),
        ({"effect": "y", "cause": "x", "given": "x"}, "cause and given share x"),
        ({"effect": "y", "cause": []}, "at least one node each"),
        ({"effect": "y", "cause": "x", "confounded": ["xy"]}, "confounded is a list of pairs"),
        ({"effect": "y", "cause": "x", "confounded": [("x", "x")]}, "pairs 'x' with itself"),
    ],
)
def test_a_wrong_question_is_refused(question, said):
    with pytest.raises(GraphError, match=said):
        db.identify(db.DAG([("x", "y")]), **question)


def test_unknown_nodes_are_named():
    for question in ({"latent": "u"}, {"given": ["w"]}, {"confounded": [("x", "w")]}):
        with pytest.raises(UnknownNodeError, match="its nodes are: 'x', 'y'"):
            db.identify(db.DAG([("x", "y")]), cause="x", effect="y", **question)


def test_where_a_class_differs_users_are_sent_to_ida():
    assert "db.ida returns the effect in each" in db.identify(db.CPDAG([], [("x", "y")]), cause="x", effect="y").why
