"""Knowledge is kept, or contradicted by an error that names the contradiction."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import KnowledgeError
from deciban.nets.graphs.bits import topological
from tests.nets.discovery.test_discover import random_table, sprinkler
from tests.nets.named_graphs import SPRINKLER, dags


@settings(max_examples=50)
@given(dags(3, 6), st.data())
def test_true_knowledge_only_directs(dag, data):
    """What is true about the graph is found with it, and nothing is directed wrongly."""
    order = [dag.nodes[i] for i in topological(dag._parent_masks)]
    cut = data.draw(st.integers(1, len(order) - 1))
    required = [edge for edge in dag.directed_edges if data.draw(st.booleans())]
    found = db.discover(db.Oracle(dag), knowledge=db.Knowledge(required=required, tiers=[order[:cut], order[cut:]]))
    assert found.graph.skeleton() == dag.skeleton()
    assert set(required) <= set(found.graph.directed_edges) <= set(dag.directed_edges)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_knowledge_is_kept_whatever_the_data_say(seed):
    rng = np.random.default_rng(seed)
    names = list(rng.permutation([f"v{i}" for i in range(6)]))
    known = db.Knowledge(
        required=[(names[0], names[5])],
        forbidden=[(names[1], names[2]), (names[2], names[1]), (names[3], names[4])],
        tiers=[names[:2], names[2:5], names[5:]],
    )
    graph = db.discover(random_table(rng, columns=6), alpha=0.05, knowledge=known).graph
    assert (names[0], names[5]) in graph.directed_edges and not graph.is_adjacent(names[1], names[2])
    tier = {name: (i >= 2) + (i >= 5) for i, name in enumerate(names)}
    assert all(tier[a] <= tier[b] for a, b in graph.directed_edges)
    assert all(tier[a] == tier[b] for a, b in graph.undirected_edges)
    assert (names[3], names[4]) not in graph.directed_edges
    assert graph.extension()


def test_knowledge_narrows_the_class_of_the_sprinkler():
    found = db.discover(sprinkler(), knowledge=db.Knowledge(required=[("season", "rain")]))
    assert type(found.graph) is db.PDAG and ("season", "rain") in found.graph.directed_edges
    assert found.graph.skeleton() == SPRINKLER.skeleton()


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "both required and forbidden"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "form a cycle: "),
        ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, "earlier tier"),
        ({"tiers": [["a"], ["a"]]}, "two tiers"),
        ({"tiers": ["ab"]}, "list of names"),
        ({"required": ["ab"]}, "pair of different names"),
    ],
)
def test_contradictions_are_errors(known, words):
    with pytest.raises(KnowledgeError, match=words):
        db.Knowledge(**known)


def test_unknown_names_are_errors():
    with pytest.raises(KnowledgeError, match="'snow', which is not a variable"):
        db.discover(sprinkler(50), knowledge=db.Knowledge(required=[("snow", "wet")]))


def test_a_cycle_that_the_data_leave_is_an_error():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 500)
    data = {"a": a, "b": a ^ (rng.random(500) < 0.2), "c": a ^ (rng.random(500) < 0.2)}
    data["c"] = data["c"] ^ (data["b"] & (rng.random(500) < 0.5))
    with pytest.raises(KnowledgeError, match="forces a cycle"):
        db.discover(data, knowledge=db.Knowledge(forbidden=[("b", "a"), ("c", "b"), ("a", "c")]))


def test_knowledge_is_equal_to_its_copy_and_to_the_same_in_another_order():
    known = db.Knowledge([("a", "b"), ("b", "c")], forbidden=[("c", "d")], tiers=[["a", "b"], ["c"]])
    other = db.Knowledge([("b", "c"), ("a", "b")], forbidden=[("c", "d")], tiers=[["b", "a"], ["c"]])
    assert pickle.loads(pickle.dumps(known)) == known == other and len({known, other}) == 1  # noqa: S301  our own
    assert known != db.Knowledge([("a", "b"), ("b", "c")]) and known != "known"
