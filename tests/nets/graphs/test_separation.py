"""Whoever trusts a separation conditions on it: a wrong one turns into a wrong cause."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import GraphError
from deciban.nets import d_connected_nodes, independencies, is_stable, minimal_separator
from tests.nets.distributions import drawn, generic, tables
from tests.nets.named_graphs import ASIA, SPRINKLER, dags, random_dag


def separated_by_definition(g, x, y, z):
    """Every simple path has a blocked inner node."""
    peer = g.to_networkx().to_undirected()
    return not any(is_open(g, path, z) for path in nx.all_simple_paths(peer, x, y))


def is_open(g, path, z):
    for a, node, b in zip(path, path[1:], path[2:], strict=False):
        if {a, b} <= g.parents(node):
            if not z & ({node} | g.descendants(node)):
                return False
        elif node in z:
            return False
    return True


@st.composite
def questions(draw, parts=3, max_nodes=7):
    """A graph and disjoint sets of its nodes, the first two not empty."""
    g = draw(dags(min_nodes=2, max_nodes=max_nodes))
    roles = draw(st.lists(st.integers(0, parts), min_size=len(g.nodes), max_size=len(g.nodes)))
    sets = [{x for x, role in zip(g.nodes, roles, strict=True) if role == part} for part in range(parts)]
    assume(sets[0] and sets[1])
    return g, *sets


def test_the_sprinkler_of_the_notes():
    g = SPRINKLER
    assert db.d_separated(g, "slippery", "season", "wet")
    assert db.d_separated(g, "wet", "season", ["sprinkler", "rain"])
    assert db.d_separated(g, "sprinkler", "rain", "season")
    assert not db.d_separated(g, "sprinkler", "rain", ["season", "wet"])
    assert not db.d_separated(g, "sprinkler", "rain", ["season", "slippery"])
    assert db.d_separated(g.cpdag(), "sprinkler", "rain", "season")
    assert d_connected_nodes(g, "sprinkler", "season") == {"wet", "slippery"}


@given(questions())
def test_it_is_the_definition_by_paths(question):
    g, x, y, z = question
    wanted = all(separated_by_definition(g, a, b, z) for a in x for b in y)
    assert db.d_separated(g, x, y, z) == wanted
    assert db.d_separated(g.cpdag(), x, y, z) == wanted
    assert nx.is_d_separator(g.to_networkx(), x, y, z) == wanted


def test_every_question_about_the_asia_graph():
    for x, y in itertools.combinations(ASIA.nodes, 2):
        rest = [node for node in ASIA.nodes if node not in (x, y)]
        for size in range(len(rest) + 1):
            for z in itertools.combinations(rest, size):
                assert db.d_separated(ASIA, x, y, z) == separated_by_definition(ASIA, x, y, set(z))


AXIOMS = settings(max_examples=150)


@AXIOMS
@given(questions(parts=4))
def test_axioms_hold_in_graphs(question):
    g, x, y, z, w = question
    check_axioms(lambda a, b, c: db.d_separated(g, a, b, c), x, y, z, w)


@AXIOMS
@given(tables(), st.permutations(range(4)))
def test_axioms_hold_in_distributions(table, order):
    check_axioms(table.independent, *({node} for node in order))


def check_axioms(independent, x, y, z, w):
    assert independent(x, y, z) == independent(y, x, z)  # symmetry
    if independent(x, y | w, z):
        assert independent(x, y, z) and independent(x, w, z)  # decomposition
        assert independent(x, y, z | w)  # weak union
    if independent(x, y, z) and independent(x, w, z | y):
        assert independent(x, y | w, z)  # contraction


@AXIOMS
@given(drawn(), st.data())
def test_what_is_separated_is_independent(case, data):
    g, table = case
    assume(len(g.nodes) > 1)
    x, y = data.draw(st.permutations(g.nodes))[:2]
    z = data.draw(st.sets(st.sampled_from(g.nodes))) - {x, y}
    if db.d_separated(g, x, y, z):
        assert table.independent(x, y, z)


@pytest.mark.parametrize("seed", range(5))
def test_a_generic_distribution_has_no_other_independence(seed):
    rng = np.random.default_rng(seed)
    g = random_dag(rng, 5, 1.5)
    assert is_stable(g, generic(g, rng))


@given(dags(min_nodes=2))
def test_the_local_markov_condition(g):
    for statement in independencies(g):
        (x,) = statement.x
        assert statement.given == g.parents(x) and not statement.y & g.descendants(x)
        assert db.d_separated(g, *statement)
    named = {x for statement in independencies(g) for x in statement.x}
    assert all(len(g.descendants(x) | g.parents(x)) == len(g.nodes) - 1 for x in set(g.nodes) - named)


@given(dags(min_nodes=2))
def test_the_blanket_shields_and_is_as_small_as_can_be(g):
    for x in g.nodes:
        blanket = db.markov_blanket(g, x)
        rest = set(g.nodes) - blanket - {x}
        assert not rest or db.d_separated(g, x, rest, blanket)
        assert not any(db.d_separated(g, x, y, blanket - {y}) for y in blanket)
        assert blanket == db.markov_blanket(g.cpdag(), x)


@given(questions(parts=2))
def test_a_minimal_separator_separates_and_no_part_of_it_does(question):
    g, x, y = question
    found = minimal_separator(g, x, y)
    if found is None:
        rest = sorted(set(g.nodes) - x - y)
        sets = itertools.chain.from_iterable(itertools.combinations(rest, size) for size in range(len(rest) + 1))
        assert not any(db.d_separated(g, x, y, z) for z in sets)
    else:
        assert db.d_separated(g, x, y, found)
        parts = itertools.chain.from_iterable(itertools.combinations(sorted(found), k) for k in range(len(found)))
        assert not any(db.d_separated(g, x, y, part) for part in parts)


def test_adjacent_nodes_have_no_separator():
    assert minimal_separator(SPRINKLER, "season", "rain") is None
    assert minimal_separator(SPRINKLER, "sprinkler", "rain") == {"season"}


def test_statements_read_as_one_writes_them():
    assert [str(one) for one in independencies(SPRINKLER)] == [
        "rain ⊥ sprinkler | season",
        "slippery ⊥ rain, season, sprinkler | wet",
        "sprinkler ⊥ rain | season",
        "wet ⊥ season | rain, sprinkler",
    ]


def test_sets_that_overlap_and_graphs_that_are_open_are_refused():
    with pytest.raises(GraphError, match="x and given share 'rain'"):
        db.d_separated(SPRINKLER, "rain", "wet", ["rain"])
    with pytest.raises(GraphError, match="x and y share"):
        db.d_separated(SPRINKLER, "rain", "rain")
    with pytest.raises(GraphError, match=r"a PDAG has \.extension"):
        db.d_separated(SPRINKLER.skeleton(), "rain", "wet")


def test_a_long_chain_is_no_trouble():
    chain = db.DAG([(i, i + 1) for i in range(3000)])
    assert not db.d_separated(chain, 0, 3000) and db.d_separated(chain, 0, 3000, 1500)
