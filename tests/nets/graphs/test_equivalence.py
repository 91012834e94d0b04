"""What no observation can tell apart must not be told apart, and the rest must be."""

import itertools
from collections import Counter
from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import deciban as db
from deciban.errors import GraphError, NoExtensionError
from deciban.nets import meek_closure
from tests.nets.named_graphs import ASIA, SPRINKLER, all_dags, dags, random_dag, read_structure


@cache
def classes(count):
    """Every class on some nodes with the number of its DAGs, by enumeration."""
    return Counter(g.cpdag() for g in all_dags(count))


@pytest.mark.parametrize(
    ("count", "graphs", "wanted"), [(1, 1, 1), (2, 3, 2), (3, 25, 11), (4, 543, 185), (5, 29281, 8782)]
)
def test_all_small_graphs_fall_into_their_classes(count, graphs, wanted):
    found = classes(count)
    assert sum(found.values()) == graphs and len(found) == wanted
    for graph, size in found.items():
        assert graph.count_dags() == size
        assert graph.extension().cpdag() == graph
        assert len(set(graph.dags())) == size


def test_classes_are_equal_adjacencies_and_v_structures():
    """The notes' theorem, on all pairs of DAGs on three nodes, and by separation on all on four."""
    for g in all_dags(3):
        for h in all_dags(3):
            assert bool(db.equivalent(g, h)) == (g.cpdag() == h.cpdag())
    shown = {(separations(g), g.cpdag()) for g in all_dags(4)}
    assert len(shown) == len({statements for statements, _ in shown}) == 185


def separations(g):
    """All that a graph says of two nodes."""
    found = []
    for x, y in itertools.combinations(g.nodes, 2):
        rest = [node for node in g.nodes if node not in (x, y)]
        sets = itertools.chain.from_iterable(itertools.combinations(rest, size) for size in range(len(rest) + 1))
        found += [db.d_separated(g, x, y, given) for given in sets]
    return tuple(found)


@given(dags(max_nodes=6))
def test_arrows_of_a_class_are_those_all_its_graphs_share(g):
    members = list(g.cpdag().dags())
    shared = set.intersection(*(set(member.directed_edges) for member in members))
    assert set(g.cpdag().directed_edges) == shared
    assert g in members and all(db.equivalent(g, member) for member in members)


def test_the_sprinkler_of_the_notes():
    c = SPRINKLER.cpdag()
    assert c.undirected_edges == (("rain", "season"), ("season", "sprinkler"))
    assert c.directed_edges == (("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery"))
    assert c.count_dags() == len(list(c.dags())) == 3
    assert db.v_structures(SPRINKLER) == db.v_structures(c) == (("rain", "wet", "sprinkler"),)


def test_the_difference_is_named():
    chain, collider = db.DAG([("a", "b"), ("b", "c")]), db.DAG([("a", "b"), ("c", "b")])
    difference = db.equivalent(chain, collider)
    assert not difference and difference.v_structures == ((), (("a", "b", "c"),))
    assert str(difference) == "not equivalent: a → b ← c is a v-structure only in the second"
    assert "a — b is only in the first" in str(db.equivalent(chain, db.DAG(nodes=["a", "b", "c"])))
    assert "equivalent: same" in str(db.equivalent(chain, chain.cpdag()))
    with pytest.raises(GraphError, match="different nodes: 'c' is in one only"):
        db.equivalent(chain, db.DAG([("a", "b")]))


MEEK = {
    1: (db.PDAG([("c", "a")], [("a", "b")]), [("a", "b")]),
    2: (db.PDAG([("a", "c"), ("c", "b")], [("a", "b")]), [("a", "b")]),
    3: (db.PDAG([("c", "b"), ("d", "b")], [("a", "b"), ("a", "c"), ("a", "d")]), [("a", "b")]),
    4: (db.PDAG([("d", "c"), ("c", "b")], [("a", "b"), ("a", "c"), ("a", "d")]), [("a", "b")]),
}


@pytest.mark.parametrize("rule", MEEK)
def test_each_rule_of_meek(rule):
    graph, wanted = MEEK[rule]
    closed = meek_closure(graph)
    assert set(closed.directed_edges) - set(graph.directed_edges) == set(wanted)
    assert all(set(closed.directed_edges) <= set(member.directed_edges) for member in graph.dags())


@given(dags(min_nodes=2, max_nodes=6))
def test_rules_find_all_that_follows_from_knowing_an_arrow(g):
    """With background knowledge, too, what is left open may point either way (Meek, 1995, theorem 4)."""
    known = g.directed_edges[: max(1, len(g.directed_edges) // 2)]
    c = g.cpdag()
    open_edges = [edge for edge in c.undirected_edges if edge not in known and edge[::-1] not in known]
    graph = db.PDAG({*c.directed_edges, *known}, open_edges, g.nodes)
    members = list(graph.dags())
    shared = set.intersection(*(set(member.directed_edges) for member in members))
    assert set(meek_closure(graph).directed_edges) == shared
    assert len(set(members)) == sum(set(known) <= set(member.directed_edges) for member in c.dags())
    assert graph.extension() in members


@pytest.mark.parametrize("count", [2, 3])
def test_an_extension_is_found_whenever_there_is_one(count):
    """All PDAGs on a few nodes against all DAGs."""
    every = list(all_dags(count))
    for graph in every:
        arrows = graph.directed_edges
        for choice in range(1 << len(arrows)):
            kept = [edge for place, edge in enumerate(arrows) if choice >> place & 1]
            loose = [edge for place, edge in enumerate(arrows) if not choice >> place & 1]
            partly = db.PDAG(kept, loose, graph.nodes)
            wanted = {g for g in every if set(kept) <= set(g.directed_edges) and db.equivalent(g, partly)}
            assert set(partly.dags()) == wanted
            if wanted:
                assert partly.extension() in wanted
            else:
                with pytest.raises(NoExtensionError):
                    partly.extension()


@pytest.mark.parametrize(
    ("name", "directed", "undirected", "count"), [("alarm", 42, 4, 16), ("insurance", 34, 18, 41), ("asia", 5, 3, 6)]
)
def test_known_classes(shared_data, name, directed, undirected, count):
    g = read_structure(shared_data / "nets" / f"{name}.bif.gz")
    c = g.cpdag()
    assert (len(c.directed_edges), len(c.undirected_edges), c.count_dags()) == (directed, undirected, count)
    assert len(set(c.dags())) == count and g in c.dags()
    if name == "asia":
        assert g == ASIA


def test_a_class_too_large_to_list_is_counted(shared_data):
    assert 10**35 < read_structure(shared_data / "nets" / "link.bif.gz").cpdag().count_dags() < 10**36


def test_every_network_has_a_class(shared_data):
    for path in sorted((shared_data / "nets").glob("*.bif.gz")):
        c = read_structure(path).cpdag()
        assert c.count_dags() > 0 and c.extension().cpdag() == c
        assert db.CPDAG._from_masks(c._parent_masks, c._neighbour_masks, c.nodes) == c
        assert c.sample_dag(random_state=0).cpdag() == c


def test_the_class_is_that_of_networkx_v_structures():
    rng = np.random.default_rng(3)
    for _ in range(20):
        g = random_dag(rng, 15, 2)
        peer = {(frozenset((a, b)), c) for a, c, b in nx.dag.v_structures(g.to_networkx())}
        assert {(frozenset((a, b)), c) for a, c, b in db.v_structures(g)} == peer
