"""A net that is wrong is refused, and says where it is wrong."""

import pickle

import numpy as np
import pytest

import deciban as db
from deciban.errors import NetworkError, UnknownNodeError, UnseenStateError
from deciban.nets import DAG, Network
from deciban.nets.network import as_network

YES_NO = ("no", "yes")
RAIN = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
STATES = {"rain": YES_NO, "wet": YES_NO}
ARROW = DAG([("rain", "wet")])


def made(tables=RAIN, states=STATES, parents=None):
    return Network(ARROW, states, tables, parents)


def test_a_network_keeps_what_it_was_given_and_computes_with_rows_that_sum_to_one():
    rounded = made({"rain": [0.333333, 0.666666], "wet": RAIN["wet"]})
    assert rounded.tables["rain"].tolist() == [0.333333, 0.666666]
    assert rounded.factors[0].sum() == pytest.approx(1, abs=1e-15)
    assert rounded.families == ((0,), (0, 1))


def test_the_order_of_axes_is_that_of_the_parents():
    dag = DAG([("a", "c"), ("b", "c")], ["a", "b", "c"])
    states = {"a": (0, 1), "b": (0, 1, 2), "c": (0, 1)}
    table = np.full((3, 2, 2), 0.5)
    network = Network(dag, states, {"a": [0.5, 0.5], "b": [0.2, 0.3, 0.5], "c": table}, {"c": ("b", "a")})
    assert network.families[2] == (1, 0, 2)
    with pytest.raises(NetworkError, match=r"needs \(2, 3, 2\): a \(2\) × b \(3\) × c \(2\)"):
        Network(dag, states, {"a": [0.5, 0.5], "b": [0.2, 0.3, 0.5], "c": table})


@pytest.mark.parametrize(
    ("tables", "states", "parents", "says"),
    [
        ({**RAIN, "wet": [[0.9, 0.1], [0.2, 0.9]]}, STATES, None, "sums to 1.1 given rain=yes"),
        ({**RAIN, "rain": [1.1, -0.1]}, STATES, None, "holds -0.1 for 'yes'; probabilities"),
        ({**RAIN, "rain": [np.nan, 1]}, STATES, None, "holds nan"),
        ({**RAIN, "rain": ["dry", "wet"]}, STATES, None, "not an array of numbers"),
        ({"rain": RAIN["rain"]}, STATES, None, "there is no table for 'wet'"),
        (RAIN, {"rain": YES_NO}, None, "there are no states for 'wet'"),
        (RAIN, {**STATES, "wet": ("no", "no")}, None, "state 'no' twice"),
        (RAIN, STATES, {"wet": ()}, "the parents of 'wet' are"),
    ],
)
def test_what_makes_no_net_is_named(tables, states, parents, says):
    with pytest.raises(NetworkError, match=says):
        made(tables, states, parents)


def test_unknown_nodes_and_states_are_named():
    with pytest.raises(UnseenStateError, match="'rain' has no state 'maybe'; its states are: 'no', 'yes'"):
        made().evidence_codes({"rain": "maybe"})
    with pytest.raises(UnknownNodeError, match="no node 'snow'"):
        made().evidence_codes({"snow": "yes"})


def test_a_network_cannot_be_changed_and_pickles():
    network = made()
    with pytest.raises(ValueError, match="read-only"):
        network.tables["rain"][0] = 1
    assert pickle.loads(pickle.dumps(network)) == network  # noqa: S301  made here
    assert network.with_tables({"rain": [0.5, 0.5]}) != network


def test_a_network_is_found_in_a_net_and_nowhere_else():
    net = db.BayesNet.from_tables(db.DAG(nodes=["rain"]), {"rain": (0, 1)}, {"rain": [0.8, 0.2]})
    assert as_network(net) is net.network is as_network(net.network)
    assert as_network({"network": [1]}) is None and as_network(db.GaussianNet([("a", "b")])) is None
