"""A net is a source of independences, as a table or a graph is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import GraphError
from deciban.nets import JointTable, is_compatible, is_minimal, is_stable
from tests.nets.distributions import drawn
from tests.nets.inference.brute import asia, joint, nets

COINS = db.BayesNet.from_tables(
    [("a", "same"), ("b", "same")],
    dict.fromkeys(["a", "b", "same"], (0, 1)),
    {"a": [0.5, 0.5], "b": [0.5, 0.5], "same": [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]},
    parents={"same": ("a", "b")},
)


@settings(max_examples=60)
@given(nets(max_nodes=4), st.data())
def test_it_answers_as_the_whole_table_does(net, data):
    table = JointTable(joint(net), net.nodes)
    part = {node: data.draw(st.sampled_from("xyz-")) for node in net.nodes}
    x, y, given_ = ([node for node in net.nodes if part[node] == name] for name in "xyz")
    if x and y:
        assert net.independent(x, y, given_) == table.independent(x, y, given_)


def test_numbers_may_hold_what_the_graph_does_not_show():
    assert COINS.independent("a", "same") and not COINS.independent("a", "same", given="b")
    assert not COINS.independent(["a", "b"], "same")
    with pytest.raises(GraphError, match="share"):
        COINS.independent("a", "a")


def test_a_net_draws_its_graph_again():
    net = asia()
    assert db.markovian_parents(net).graph == net.dag, "in an order of its own"
    assert db.markovian_parents(net, net.dag.topological_order()).graph == net.dag
    assert is_compatible(net.dag, net) and is_minimal(net.dag, net)
    assert not is_stable(net.dag, net), "a node that is an or of its parents hides what the graph shows"
    assert str(is_stable(COINS.dag, COINS)) == "not stable: a ⊥ same holds in the source, but not in the graph"


@settings(max_examples=30)
@given(drawn(), st.data())
def test_sets_are_asked_as_sets(case, data):
    """Of a net and of its table the same parents are found, also where only two variables together tell."""
    g, table = case
    order = data.draw(st.permutations(g.nodes))
    network = _net_of(g, table)
    assert db.markovian_parents(network, order).graph == db.markovian_parents(table, order).graph


def _net_of(g, table):
    """The net of a joint table over binary nodes: each node after all before it, so that nothing is supposed."""
    order = list(g.topological_order())
    full = db.DAG([(a, b) for place, b in enumerate(order) for a in order[:place]], g.nodes)
    tables = {}
    for place, node in enumerate(order):
        cells = {}
        for outcome, number in table._cells.items():
            held = dict(zip(table.nodes, outcome, strict=True))
            key = tuple(held[up] for up in order[:place])
            cells.setdefault(key, [0, 0])[held[node]] += number
        tables[node] = _filled(cells, place)
    parents = {node: tuple(order[:place]) for place, node in enumerate(order)}
    return db.BayesNet.from_tables(full, dict.fromkeys(g.nodes, (0, 1)), tables, parents=parents)


def _filled(cells, parents):
    if parents == 0:
        return [float(p / sum(cells[()])) for p in cells[()]]

    def row(key):
        if len(key) < parents:
            return [row((*key, 0)), row((*key, 1))]
        pair = cells.get(key, [1, 1])
        return [float(p / sum(pair)) for p in pair]

    return row(())
