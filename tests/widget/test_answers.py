"""A live picture shows what the library gives."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import InputError, UnknownNodeError
from deciban.widget.answers import LiveNet
from tests.widget.nets import asia, mixed

ASIA, MIXED = asia(), mixed()
LIVE = LiveNet(ASIA)


def findings_of_asia():
    kinds = st.sampled_from(["observed", "interventions", "likelihoods"])
    weights = st.lists(st.floats(0.01, 1), min_size=2, max_size=2)
    return st.dictionaries(st.integers(0, 7), st.tuples(kinds, st.integers(0, 1), weights), max_size=5)


@given(findings_of_asia())
def test_the_numbers_are_those_of_marginals_after_do(chosen):
    findings = {"observed": {}, "interventions": {}, "likelihoods": {}, "turn": 3}
    for index, (kind, state, weights) in chosen.items():
        findings[kind][str(index)] = weights if kind == "likelihoods" else state
    answer = LIVE.answer(findings)
    named = LIVE.named(findings)
    net = ASIA.do(named["interventions"]) if named["interventions"] else ASIA
    if "error" in answer:
        assert np.isneginf(net.log_probability(named["evidence"], likelihoods=named["likelihoods"]))
        return
    expected = net.marginals(named["evidence"], likelihoods=named["likelihoods"])
    for node, shown in zip(ASIA.nodes, answer["now"], strict=True):
        assert shown["p"] == expected[node].as_array().tolist()
    assert answer["turn"] == 3
    json.dumps(answer, allow_nan=False)


@given(findings_of_asia())
def test_names_and_indices_say_the_same(chosen):
    findings = {"observed": {}, "interventions": {}, "likelihoods": {}}
    for index, (kind, state, weights) in chosen.items():
        findings[kind][str(index)] = weights if kind == "likelihoods" else state
    named = LIVE.named(findings)
    assert LIVE.indexed(named["evidence"], named["likelihoods"], named["interventions"]) == findings


def test_known_answers_of_asia():
    named = {"evidence": {"asia": "yes", "xray": "yes"}, "likelihoods": {}, "interventions": {}}
    now = LIVE.answer(LIVE.indexed(*named.values()))["now"]
    assert now[ASIA.nodes.index("lung")]["p"][0] == pytest.approx(0.3714871547)
    assert now[ASIA.nodes.index("tub")]["p"][0] == pytest.approx(0.3377155952)


def test_an_impossible_finding_is_said_and_the_last_answer_stays():
    before = LIVE.now
    answer = LIVE.answer(LIVE.indexed({"tub": "yes", "either": "no"}, {}, {}))
    assert "tub=yes" in answer["error"] and "either=no" in answer["error"] and "now" not in answer
    assert LIVE.now is before


def test_numbers_have_a_mean_and_a_curve():
    live = LiveNet(MIXED)
    height = MIXED.nodes.index("height")
    assert live.prior[height]["mean"] == pytest.approx(MIXED.query("height").mean)
    assert len(live.prior[height]["curve"]) > 20
    answer = live.answer(live.indexed({"height": 181.5}, {}, {}))
    of_sex = MIXED.query("sex", {"height": 181.5})
    assert answer["now"][MIXED.nodes.index("sex")]["p"] == pytest.approx(of_sex.as_array())
    assert answer["now"][height]["mean"] == 181.5 and answer["now"][height]["curve"] == []
    after = live.answer(live.indexed({}, {}, {"height": 181.5}))
    assert after["now"][MIXED.nodes.index("sex")]["p"] == pytest.approx(MIXED.query("sex").as_array())


@pytest.mark.parametrize(
    "findings",
    [{"observed": {"99": 0}}, {"observed": {"0": 7}}, {"interventions": {"0": -1}}, {"likelihoods": {"0": [1, -1]}}],
)
def test_findings_that_do_not_fit_are_said(findings):
    assert LIVE.answer(findings)["error"]


def test_names_that_do_not_fit_are_errors():
    with pytest.raises(UnknownNodeError):
        LIVE.indexed({"rain": "yes"}, {}, {})
    with pytest.raises(InputError, match="number"):
        LiveNet(MIXED).indexed({}, {"height": [1, 2]}, {})


def test_the_reason_of_an_edge_is_its_strength():
    edge = ASIA.dag.directed_edges.index(("either", "xray"))
    bits = ASIA.arrow_strengths()["either", "xray"].bits
    assert f"{bits:.4g} bits about xray" in LIVE.reason(edge)
    assert "given for each value" in LiveNet(MIXED).reason(0)
