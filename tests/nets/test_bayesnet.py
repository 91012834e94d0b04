"""A Bayes net says what it is, and that it has no tables where it has none."""

import pytest

import deciban as db
from deciban.errors import InputTypeError, UnfittedError


def test_a_net_without_tables_says_so():
    net = db.BayesNet([("rain", "wet")])
    assert repr(net) == "BayesNet(2 nodes, 1 arrow, not fitted)"
    with pytest.raises(UnfittedError, match="call fit"):
        _ = net.tables


def test_a_net_is_made_from_a_graph():
    assert db.BayesNet(db.DAG([("a", "b")])).dag == db.DAG([("a", "b")])
    with pytest.raises(InputTypeError, match="from a DAG"):
        db.BayesNet("rain")


def test_nets_with_equal_tables_are_equal():
    tables = {"rain": [0.8, 0.2]}
    nets = [db.BayesNet.from_tables(db.DAG(nodes=["rain"]), {"rain": (0, 1)}, tables) for _ in range(2)]
    assert nets[0] == nets[1]
    assert repr(nets[0]) == "BayesNet(1 node, 0 arrows, 2 table entries)"
