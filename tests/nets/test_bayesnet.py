"""A Bayes net says what it is, and that it has no tables where it has none."""

import inspect

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


def test_a_net_reads_what_it_wrote(tmp_path):
    net = db.BayesNet.from_tables(db.DAG(nodes=["rain"]), {"rain": ("no", "yes")}, {"rain": [0.8, 0.2]})
    net.write(tmp_path / "rain.bif.gz")
    assert db.read_net(tmp_path / "rain.bif.gz") == net


def test_given_tables_have_no_counts_to_add_to():
    net = db.BayesNet.from_tables(db.DAG(nodes=["rain"]), {"rain": (0, 1)}, {"rain": [0.8, 0.2]})
    for call in (lambda: net.partial_fit({"rain": [0]}), lambda: net.forget({"rain": [0]}), lambda: net.tally_):
        with pytest.raises(UnfittedError, match="given, not counted"):
            call()


def test_samples_of_both_kinds_of_nets_take_the_same_arguments():
    discrete, gaussian = (inspect.signature(kind.sample).parameters for kind in (db.BayesNet, db.GaussianNet))
    assert list(gaussian) == list(discrete)[: len(gaussian)]
    assert all(gaussian[name].kind == discrete[name].kind for name in gaussian)


def test_free_parameters_are_counted():
    """The sprinkler: 1 + 2 + 2 + 4 + 2, where the joint table of five binary variables has 31."""
    sprinkler = db.DAG([("X1", "X2"), ("X1", "X3"), ("X2", "X4"), ("X3", "X4"), ("X4", "X5")])
    table = {node: [0, 1] for node in sprinkler.nodes}
    assert db.BayesNet(sprinkler).fit(table).n_parameters == 11
    whole = db.DAG([(a, b) for i, a in enumerate(sprinkler.nodes) for b in sprinkler.nodes[i + 1 :]])
    assert db.BayesNet(whole).fit(table).n_parameters == 31
    with pytest.raises(UnfittedError):
        _ = db.BayesNet(sprinkler).n_parameters


def test_states_of_all_sizes_are_counted():
    net = db.BayesNet.from_tables(
        [("a", "b")], {"a": (0, 1, 2), "b": (0, 1, 2, 3)}, {"a": [0.2, 0.3, 0.5], "b": [[0.25] * 4] * 3}
    )
    assert net.n_parameters == 2 + 3 * 3
