"""The graph that an order draws is the one that is fitted: an arrow too few makes it wrong, one too many slow."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import GraphError, InputError, InputTypeError, UnknownNodeError
from deciban.nets import JointTable, is_compatible, is_minimal, is_stable
from tests.nets.distributions import drawn, generic, joint_of, tables
from tests.nets.named_graphs import SPRINKLER, dags

XOR = {(0, 0, 0): 1, (0, 1, 1): 1, (1, 0, 1): 1, (1, 1, 0): 1}


class Pairs:
    """A source that answers for single variables only, as a test on data does."""

    def __init__(self, g):
        self.graph = g

    def independent(self, x, y, given):
        assert x in self.graph.nodes and y in self.graph.nodes
        return db.d_separated(self.graph, x, y, given)


def test_the_sprinkler_of_the_notes():
    found = db.markovian_parents(SPRINKLER, ["season", "sprinkler", "rain", "wet", "slippery"])
    assert found == {
        "season": set(), "sprinkler": {"season"}, "rain": {"season"}, "wet": {"sprinkler", "rain"}, "slippery": {"wet"}
    }  # fmt: skip
    assert found.graph == db.markovian_parents(SPRINKLER).graph == SPRINKLER
    assert "wet: {rain, sprinkler}" in repr(found) and len(found) == 5
    with pytest.raises(KeyError):
        found["snow"]


def test_another_order_draws_another_graph():
    found = db.markovian_parents(SPRINKLER, ["slippery", "wet", "sprinkler", "rain", "season"])
    assert found["rain"] == {"wet", "sprinkler"} and found["season"] == {"sprinkler", "rain"}
    assert is_minimal(found.graph, SPRINKLER) and not is_stable(found.graph, SPRINKLER)


@given(dags(max_nodes=6), st.data())
def test_every_order_draws_a_minimal_graph(g, data):
    order = data.draw(st.permutations(g.nodes))
    found = db.markovian_parents(g, order).graph
    assert is_compatible(found, g) and is_minimal(found, g)
    assert db.markovian_parents(Pairs(g), order).graph == found
    assert db.markovian_parents(g.cpdag(), order).graph == found
    assert db.markovian_parents(g, g.topological_order()).graph == g


@given(tables(), st.permutations(range(4)))
def test_no_part_of_the_parents_screens(table, order):
    found = db.markovian_parents(table, order)
    for place, x in enumerate(order):
        before = set(order[:place])
        assert table.independent([x], before - found[x], found[x])
        for size in range(len(found[x])):
            for part in itertools.combinations(found[x], size):
                assert not table.independent([x], before - set(part), part)
    assert is_compatible(found.graph, table) and is_minimal(found.graph, table)


@settings(max_examples=50)
@given(drawn(is_positive=True))
def test_a_distribution_is_compatible_with_the_graph_that_draws_it(case):
    g, table = case
    assert is_compatible(g, table)
    minimal = db.markovian_parents(table, g.topological_order()).graph
    assert set(minimal.directed_edges) <= set(g.directed_edges)
    assert bool(is_minimal(g, table)) == (minimal == g), "where nothing is impossible, the parents are unique"


def test_faults_are_named():
    chain, fork = db.DAG([("a", "b"), ("b", "c")]), db.DAG([("a", "b"), ("c", "b")])
    wrong = is_compatible(fork, chain)
    assert not wrong and wrong.triple == ({"a"}, {"c"}, set())
    assert str(wrong) == "not compatible: the graph implies a ⊥ c, which does not hold"
    assert not is_minimal(fork, chain) and "not compatible" in str(is_minimal(fork, chain))
    full = db.DAG([("a", "b"), ("b", "c"), ("a", "c")])
    assert str(is_minimal(full, chain)) == "not minimal: a → c can be removed, because c ⊥ a | b holds"
    assert str(is_stable(full, chain)) == "not stable: a ⊥ c | b holds in the source, but not in the graph"
    assert "in the graph, but not in the source" in str(is_stable(fork, chain))
    assert is_stable(full, chain, max_given=0) and is_compatible(full, Pairs(chain))
    assert is_compatible(fork, Pairs(chain)).triple == wrong.triple


def test_two_coins_and_their_sum_are_not_stable():
    """Any two are independent, no two given the third: the parents are found, and that no graph shows it all."""
    found = db.markovian_parents(XOR, [0, 1, 2])
    assert found == {0: set(), 1: set(), 2: {0, 1}}
    assert is_minimal(found.graph, XOR)
    assert is_stable(found.graph, XOR).triple == ({0}, {2}, set())
    wrong = is_compatible(db.DAG(nodes=range(3)), XOR)
    assert not wrong and wrong.triple.y == {1, 2}, "no single variable is at fault, two together are"


def test_arms_that_cancel_are_not_stable():
    """x reaches y on two ways of opposite sign: independent, though joined."""
    g = db.DAG([("x", "m"), ("x", "y"), ("m", "y")])
    third = {(("x", 0),): Fraction(1, 3), (("x", 1),): Fraction(2, 3)}
    last = {(0, 0): Fraction(1, 4), (0, 1): Fraction(1, 2), (1, 0): Fraction(1, 6), (1, 1): Fraction(5, 12)}
    table = joint_of(
        g,
        lambda x, up: Fraction(1, 2) if x == "x" else third[up] if x == "m" else last[dict(up)["x"], dict(up)["m"]],
    )
    assert is_minimal(g, table)
    assert str(is_stable(g, table)) == "not stable: x ⊥ y holds in the source, but not in the graph"


def test_arrays_and_floats_are_tables_too():
    rng = np.random.default_rng(0)
    g = db.DAG([(0, 1), (1, 2)])
    exact = generic(g, rng)
    array = np.array([float(exact._cells[key]) for key in itertools.product((0, 1), repeat=3)]).reshape(2, 2, 2)
    assert is_stable(g, array) and is_stable(g, exact)
    assert db.markovian_parents(array, [2, 1, 0]).graph == db.DAG([(2, 1), (1, 0)])


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        (lambda: db.markovian_parents(3, [1]), InputTypeError, "int is not a source"),
        (lambda: db.markovian_parents(XOR), GraphError, "needs an order"),
        (lambda: db.markovian_parents(XOR, [0, 0]), GraphError, "each variable once"),
        (lambda: db.markovian_parents(XOR, [0, 7]), GraphError, "names 7"),
        (lambda: JointTable({}), InputError, "outcomes"),
        (lambda: JointTable({(0,): -1, (1,): 2}), InputError, "non-negative numbers"),
        (lambda: JointTable({(0,): 0}), InputError, "not all 0"),
        (lambda: JointTable({(0,): float("nan")}), InputError, "finite"),
        (lambda: JointTable({(0,): "much"}), InputError, "finite"),
        (lambda: JointTable(XOR, ["a", "b"]), InputError, "3 variables"),
        (lambda: JointTable(XOR).independent(0, "b"), UnknownNodeError, "'b'"),
    ],
)
def test_bad_input_is_one_clear_error(ask, error, said):
    with pytest.raises(error, match=said):
        ask()
