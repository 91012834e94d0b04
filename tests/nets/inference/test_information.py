"""What to look at next: a wrong order sends people to the wrong test."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deciban.errors import ParameterError
from deciban.nets.inference.information import mutual_information
from tests.nets.inference.brute import asia, asked, joint, marginal, nets

TREAT = {"treat": {"yes": 10.0, "no": -2.0}, "leave": {"yes": -8.0, "no": 0.0}}


@settings(max_examples=100)
@given(st.data())
def test_information_is_what_it_is_defined_to_be(data):
    net = data.draw(nets())
    evidence, weights = data.draw(asked(net, max_evidence=2))
    free = [node for node in net.nodes if node not in evidence]
    assume(len(free) > 1)
    table = joint(net, evidence, weights)
    assume(table.sum() > 0)
    target = free[0]
    found = net.information(target, evidence, likelihoods=weights)
    assert {seen.node for seen in found} == set(free[1:])
    assert all(a.nats >= b.nats - 1e-9 for a, b in pairwise(found))
    for seen in found:
        both = marginal(table, net, [target, seen.node]) / table.sum()
        apart = both.sum(axis=1, keepdims=True) * both.sum(axis=0, keepdims=True)
        known = both > 0
        wanted = (both[known] * np.log2(both[known] / apart[known])).sum()
        assert seen.bits == pytest.approx(wanted, abs=1e-12) and seen.nats >= 0
        assert seen.decibans == pytest.approx(10 * np.log10(2) * seen.bits)


def test_what_a_look_is_worth():
    net = asia()
    found = net.information("lung", {"dysp": "yes"}, utility=TREAT, among=["xray", "smoke", "asia"])
    now = max(
        sum(worth[state] * p for state, p in net.query("lung", {"dysp": "yes"}).items()) for worth in TREAT.values()
    )
    for seen in found:
        after = 0.0
        for state, p in net.query(seen.node, {"dysp": "yes"}).items():
            lung = net.query("lung", {"dysp": "yes", seen.node: state})
            after += p * max(sum(worth[s] * q for s, q in lung.items()) for worth in TREAT.values())
        assert seen.gain == pytest.approx(after - now, abs=1e-12)
    assert found[0].node == "xray"
    careful = net.information("lung", utility={"treat": {"yes": 1.0, "no": -900.0}, "leave": {"yes": -1.0, "no": 0.0}})
    assert careful["asia"].gain == 0 and careful["xray"].gain == 0 < careful["xray"].nats, (
        "no look changes what is done"
    )
    costs = {decision: {state: -number for state, number in worth.items()} for decision, worth in TREAT.items()}
    assert [
        seen.gain for seen in net.information("lung", {"dysp": "yes"}, loss=costs, among=["xray", "smoke", "asia"])
    ] == [seen.gain for seen in found]


def test_it_reads_as_a_table():
    net = asia()
    shown = str(net.information("lung", {"xray": "yes"})).splitlines()
    assert shown[0].split() == ["about", "lung", "bits", "decibans"] and len({len(line) for line in shown}) == 1
    assert "gain" in str(net.information("lung", utility=TREAT))
    assert len(net.information("lung")[:2]) == 2
    with pytest.raises(KeyError):
        net.information("lung")["snow"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"utility": TREAT, "loss": TREAT},
        {"utility": {}},
        {"utility": {"treat": {"yes": 1.0}}},
        {"utility": {"treat": {"yes": 1.0, "no": float("inf")}}},
    ],
)
def test_a_bad_utility_is_refused(wrong):
    with pytest.raises(ParameterError):
        asia().information("lung", **wrong)


def test_tiny_probabilities_have_no_infinite_information():
    tiny = np.array([[5e-324, 0.0], [0.0, 1.0]])  # the product of its margins underflows to 0
    assert 0 <= mutual_information(tiny) < 1e-300
