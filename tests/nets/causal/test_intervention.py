"""Doing cuts the arrows into what is done, and changes nothing else."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError, NetworkError, UnknownNodeError, UnseenStateError
from tests.nets.causal.models import joint, random_net
from tests.nets.named_graphs import SPRINKLER, random_dag

NO_YES = ("no", "yes")


@pytest.fixture
def sprinkler():
    return db.BayesNet.from_tables(
        SPRINKLER,
        {"season": ("dry", "wet"), "sprinkler": ("off", "on"), "rain": NO_YES, "wet": NO_YES, "slippery": NO_YES},
        {
            "season": [0.6, 0.4],
            "sprinkler": [[0.25, 0.75], [0.9, 0.1]],
            "rain": [[0.9, 0.1], [0.3, 0.7]],
            "wet": [[[1, 0], [0.2, 0.8]], [[0.1, 0.9], [0.05, 0.95]]],
            "slippery": [[1, 0], [0.3, 0.7]],
        },
    )


def test_the_arrows_into_what_is_done_are_cut(sprinkler):
    after = sprinkler.do({"sprinkler": "on"})
    assert after.dag == db.DAG([edge for edge in SPRINKLER.directed_edges if edge[1] != "sprinkler"], SPRINKLER.nodes)
    assert after.tables["sprinkler"].tolist() == [0, 1]
    for node in ("season", "rain", "wet", "slippery"):
        assert after.tables[node] is not None
        assert np.array_equal(after.tables[node], sprinkler.tables[node])
    assert sprinkler.dag == SPRINKLER


def test_seeing_is_not_doing(sprinkler):
    """Seeing the sprinkler on tells of the season, and so of rain; turning it on tells nothing."""
    seen, done = joint(sprinkler), joint(sprinkler.do({"sprinkler": "on"}))
    rain = seen.sum(axis=(0, 1, 3, 4))
    assert done.sum(axis=(0, 1, 3, 4)) == pytest.approx(rain)
    on = seen.sum(axis=(0, 3, 4))[1]
    assert (on / on.sum())[1] < rain[1]


def test_one_action_after_another_is_both_at_once(sprinkler):
    both = sprinkler.do({"sprinkler": "on", "rain": "no"})
    assert sprinkler.do({"sprinkler": "on"}).do({"rain": "no"}) == both
    assert sprinkler.do({"rain": "yes"}).do({"sprinkler": "on"}).do({"rain": "no"}) == both
    assert sprinkler.do({}) == sprinkler


def test_a_lot_may_decide(sprinkler):
    trial = sprinkler.do({"sprinkler": {"on": 0.3, "off": 0.7}})
    assert trial.tables["sprinkler"].tolist() == [0.7, 0.3]
    mixed = 0.7 * joint(sprinkler.do({"sprinkler": "off"})) + 0.3 * joint(sprinkler.do({"sprinkler": "on"}))
    assert joint(trial) == pytest.approx(mixed)


def test_tables_keep_the_order_of_their_axes():
    net = db.BayesNet.from_tables(
        [("a", "c"), ("b", "c")],
        {"a": (0, 1), "b": (0, 1, 2), "c": (0, 1)},
        {"a": [0.5, 0.5], "b": [0.2, 0.3, 0.5], "c": np.full((3, 2, 2), 0.5)},
        parents={"c": ("b", "a")},
    )
    assert net.do({"a": 1}).parents["c"] == ("b", "a")


def test_truncated_factorization():
    """P(v | do(x)) is the joint divided by P(x | parents of x), where v has x."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        net = random_net(rng, random_dag(rng, 5, 1.2))
        x = int(rng.integers(5))
        state = int(rng.integers(net.network.cards[x]))
        divided = np.einsum(joint(net), range(5), 1 / net.network.factors[x], net.network.families[x], range(5))
        done = np.zeros_like(divided)
        at = tuple(state if node == x else slice(None) for node in range(5))
        done[at] = divided[at]
        assert joint(net.do({x: state})) == pytest.approx(done, abs=1e-12)


@pytest.mark.parametrize(
    ("actions", "error", "said"),
    [
        ({"hose": "on"}, UnknownNodeError, "no node 'hose'"),
        ({"sprinkler": "broken"}, UnseenStateError, "no state 'broken'; its states are: 'off', 'on'"),
        ({"sprinkler": {"broken": 1.0}}, UnseenStateError, "no state 'broken'"),
        ({"sprinkler": {"on": 0.5}}, NetworkError, "sum to 0.5, not to 1"),
        ({"sprinkler": {"on": 1.5, "off": -0.5}}, NetworkError, "between 0 and 1"),
        ({"sprinkler": {"on": float("nan")}}, NetworkError, "between 0 and 1"),
        ({"sprinkler": {"on": "often"}}, NetworkError, "between 0 and 1"),
        ({"sprinkler": {"on": None}}, NetworkError, "between 0 and 1"),
        ("sprinkler", InputError, "a mapping such as"),
    ],
)
def test_what_cannot_be_done_is_said(sprinkler, actions, error, said):
    with pytest.raises(error, match=said):
        sprinkler.do(actions)
