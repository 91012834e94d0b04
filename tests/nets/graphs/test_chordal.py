"""Sizes of classes, and graphs drawn from them: what a causal claim is out of."""

import itertools
from collections import Counter
from math import factorial

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from scipy.stats import chisquare

import deciban as db
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.chordal import clique_tree
from tests.nets.named_graphs import dags


def class_of(graph):
    """The class with these edges, all undirected."""
    return db.CPDAG([], graph.edges, graph.nodes)


def chordal(rng, count, size):
    """A connected chordal graph: each new node joins part of a clique that is there."""
    graph = nx.Graph()
    graph.add_node(0)
    cliques = [[0]]
    for node in range(1, count):
        base = cliques[rng.integers(len(cliques))]
        part = [int(x) for x in rng.permutation(base)[: rng.integers(1, min(size, len(base)) + 1)]]
        graph.add_edges_from((node, other) for other in part)
        cliques.append([*part, node])
    return graph


@pytest.mark.parametrize("seed", range(12))
def test_random_chordal_graphs_are_counted_as_enumerated(seed):
    rng = np.random.default_rng(seed)
    graph = class_of(chordal(rng, int(rng.integers(5, 9)), 4))
    assert graph.count_dags() == sum(1 for _ in graph.dags())


@pytest.mark.parametrize("count", [1, 2, 7, 60])
def test_classes_with_a_formula(count):
    assert class_of(nx.complete_graph(count)).count_dags() == factorial(count)
    assert class_of(nx.path_graph(count)).count_dags() == count
    assert class_of(nx.star_graph(count)).count_dags() == count + 1


def test_components_multiply_and_numbers_are_exact():
    many = nx.disjoint_union_all([nx.complete_graph(5)] * 20)
    assert class_of(many).count_dags() == factorial(5) ** 20


def test_a_large_class_is_counted():
    graph = class_of(chordal(np.random.default_rng(0), 300, 6))
    assert graph.count_dags() > 10**6
    assert graph.sample_dag(random_state=1).cpdag() == graph


@given(dags(max_nodes=7))
def test_cliques_are_those_of_networkx(g):
    moral = nx.Graph(g.moral().undirected_edges)
    moral.add_nodes_from(g.nodes)
    graph, _ = nx.complete_to_chordal_graph(moral)
    for part in nx.connected_components(graph):
        masks = [sum(1 << other for other in graph[node]) for node in range(len(g.nodes))]
        found = [frozenset(bits(clique)) for clique, _ in clique_tree(masks, sum(1 << node for node in part))]
        wanted = Counter(map(frozenset, nx.find_cliques(graph.subgraph(part))))
        assert Counter(found) == wanted


@pytest.mark.parametrize(
    "edges",
    [
        [("a", "b"), ("b", "c"), ("c", "d")],
        [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "b"), ("d", "e")],
        [*itertools.combinations("abcd", 2), ("d", "e"), ("c", "e"), ("e", "f")],
    ],
)
def test_sampling_is_uniform(edges):
    graph = db.CPDAG([], edges)
    rng = np.random.default_rng(5)
    draws = Counter(graph.sample_dag(random_state=rng) for _ in range(100 * graph.count_dags()))
    assert len(draws) == graph.count_dags()
    assert chisquare(list(draws.values())).pvalue > 0.001


def test_a_seed_gives_the_same_graph_again():
    graph = class_of(nx.path_graph(30))
    assert graph.sample_dag(random_state=7) == graph.sample_dag(random_state=7)
    assert len({graph.sample_dag(random_state=seed) for seed in range(20)}) > 5
