"""One call asks and answers: from a table by counts, from a net exactly."""

import numpy as np
import pytest

import deciban as db
from tests.nets.causal.models import random_net, table_of, truth

BACK_DOOR = db.DAG([("z", "x"), ("z", "y"), ("x", "y")])


def test_a_net_is_answered_exactly():
    net = random_net(np.random.default_rng(0), BACK_DOOR)
    found = db.effect(net, BACK_DOOR, effect="y", cause="x")
    assert table_of(found) == pytest.approx(truth(net, ["y"], ["x"]), abs=1e-12)
    assert found.rows is None


@pytest.mark.parametrize("name", ["asia", "alarm", "insurance"])
def test_real_nets(name, shared_data):
    """What observing alone gives is what acting on the whole net gives, wherever it gives anything."""
    net = db.read_net(shared_data / "nets" / f"{name}.bif.gz")
    rng = np.random.default_rng(0)
    for _ in range(10):
        x, y = (net.nodes[place] for place in rng.permutation(len(net.nodes))[:2])
        found = db.effect(net, net.dag, effect=y, cause=x)
        for state in found:
            done = net.do({x: state}).query(y)
            assert list(found[state].values()) == pytest.approx(done.as_array(), abs=1e-12)


def test_a_table_is_counted():
    rows = {"x": [0, 1, 0, 1, 1], "y": [0, 1, 1, 1, 0], "z": [0, 0, 1, 1, 1]}
    found = db.effect(rows, BACK_DOOR, effect="y", cause="x", bootstrap=0)
    assert found[1][1] == pytest.approx(2 / 5 * 1 + 3 / 5 * 1 / 2)
    assert found.rows == 5


def test_the_same_draws_come_again():
    rows = {name: np.random.default_rng(len(name)).integers(0, 2, 200) for name in ("x", "yy", "zzz")}
    g = db.DAG([("zzz", "x"), ("zzz", "yy"), ("x", "yy")])
    one, other = (db.effect(rows, g, effect="yy", cause="x").error(1) for _ in range(2))
    assert one == other


def test_names_of_several_letters_are_one_node():
    assert db.identify(db.DAG([("ab", "cd")]), cause="ab", effect="cd").effect == ("cd",)
    assert db.identify(db.DAG([((0, 1), (1, 2))]), cause=(0, 1), effect=(1, 2)).cause == ((0, 1),)
