"""How much hangs on one number: a wrong sign would have the wrong number looked up again."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ParameterError
from deciban.nets.inference.sensitivity import Sensitivities
from tests.nets.inference.brute import asia, asked, nets


def moved(net, entry, theta):
    """The net with one entry changed and its row rescaled; rows of zeros beside it share evenly."""
    table = np.array(net.network.factors[net.nodes.index(entry.node)])
    row = tuple(net.states[up].index(entry.given[up]) for up in net.parents[entry.node])
    own = net.states[entry.node].index(entry.state)
    old = table[row][own]
    rest = np.ones(len(table[row])) / (len(table[row]) - 1) if old == 1 else table[row] / (1 - old)
    table[row] = rest * (1 - theta)
    table[(*row, own)] = theta
    return db.BayesNet.of(net.network.with_tables({entry.node: table}))


@settings(max_examples=60)
@given(st.data())
def test_the_function_is_what_the_changed_net_answers(data):
    net = data.draw(nets(max_nodes=4, min_states=2))
    evidence, weights = data.draw(asked(net, max_evidence=2))
    free = [node for node in net.nodes if node not in evidence]
    assume(free and net.probability(evidence, likelihoods=weights) > 0)
    target = data.draw(st.sampled_from(free))
    state = data.draw(st.sampled_from(net.states[target]))
    answer = net.query(target, evidence, likelihoods=weights)
    found = net.sensitivity({target: state}, evidence, likelihoods=weights)
    assert all(
        a >= b - 1e-12
        for a, b in zip(*[[abs(f.derivative) for f in part] for part in (found[:-1], found[1:])], strict=True)
    )
    for one in (data.draw(st.sampled_from(list(found))) for _ in range(3)):
        assert one.posterior == pytest.approx(answer[state], abs=1e-12)
        theta = data.draw(st.sampled_from([0.125, 0.5, 0.9]))
        changed = moved(net, one.entry, theta)
        assume(changed.probability(evidence, likelihoods=weights) > 1e-6)
        now = changed.query(target, evidence, likelihoods=weights)
        assert one(theta) == pytest.approx(now[state], abs=1e-9)
        low, high = one.interval
        assert low <= one.value <= high
        best = answer[answer.most_likely()]
        if low + 1e-6 < theta < high - 1e-6:
            assert now[answer.most_likely()] == pytest.approx(max(now.values()), abs=1e-9)
        elif (theta < low - 1e-6 or theta > high + 1e-6) and sorted(answer.values())[-2] < best - 1e-9:
            assert now[answer.most_likely()] < max(now.values())


def test_the_derivative_is_that_of_small_steps():
    net, seen = asia(), {"asia": "yes", "xray": "yes"}
    one = net.sensitivity(("lung", "yes"), seen, parameter=("tub", "yes", {"asia": "yes"}))
    step = 1e-6
    up, down = (moved(net, one.entry, one.value + way * step).query("lung", seen)["yes"] for way in (1, -1))
    assert one.derivative == pytest.approx((up - down) / (2 * step), rel=1e-6)
    assert one.value == 0.05 and one.posterior == pytest.approx(0.3714871547, abs=1e-9)
    low, _ = one.interval
    assert moved(net, one.entry, low).query("lung", seen)["yes"] == pytest.approx(0.5, abs=1e-12)


def test_entries_that_do_not_matter():
    net = asia()
    flat = net.sensitivity({"smoke": "yes"}, parameter=("xray", "yes", {"either": "no"}))
    assert flat.derivative == 0 and flat.posterior == 0.5 and flat.interval == (0.0, 1.0)
    assert {one.entry.node for one in net.sensitivity({"smoke": "yes"})} == {"smoke"}
    assert "P(xray=yes | either=no) = 0.05" in repr(flat)


def test_it_reads_as_a_table():
    found = asia().sensitivity({"lung": "yes"}, {"xray": "yes"})
    assert "\n" not in repr(found)
    shown = str(found).splitlines()
    assert shown[0].split()[:3] == ["entry", "value", "derivative"] and len(shown) == len(found) + 1 == 13
    assert str(Sensitivities(list(found) * 3)).endswith("… and 16 more")
    assert found[0].entry == ("xray", "yes", {"either": "no"}) and str(found[0].entry) in shown[1]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"lung": "yes", "tub": "no"}, None),
        ("lung", None),
        ({"lung": "yes"}, "tub"),
        ({"lung": "yes"}, ("tub", "yes")),
        ({"lung": "yes"}, ("tub", "yes", {"smoke": "yes"})),
    ],
)
def test_bad_questions_are_refused(query, parameter):
    with pytest.raises(ParameterError):
        asia().sensitivity(query, parameter=parameter)


def test_values_outside_are_refused():
    one = asia().sensitivity({"lung": "yes"}, parameter=("lung", "yes", {"smoke": "yes"}))
    with pytest.raises(ParameterError, match="between 0 and 1"):
        one(1.5)
    sure = asia().sensitivity({"lung": "yes"}, {"tub": "yes"}, parameter=("tub", "yes", {"asia": "no"}))
    assert sure(0.5) > 0
    net = db.BayesNet.from_tables([("a", "b")], {"a": (0, 1), "b": (0, 1)}, {"a": [0.5, 0.5], "b": [[0, 1], [1, 0]]})
    with pytest.raises(ParameterError, match="the evidence is impossible if"):
        net.sensitivity({"a": 0}, {"b": 0}, parameter=("b", 0, {"a": 1}))(0)
