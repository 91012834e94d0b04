"""Why a net believes what it believes: weights that add up, in an order that nothing but the net decides."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ImpossibleEvidenceError, ParameterError, UnknownNodeError, UnseenStateError
from deciban.nets import Between, MixedNetwork, Regressions
from deciban.nets.inference import net_explanation
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.net_explanation import explain_mixed_query
from tests.nets.inference.brute import asia, asked, joint, marginal, nets
from tests.reference.mixed import answers, random_network


def log_odds(net, target, state, evidence, likelihoods=None):
    """In decibans, by going through every outcome."""
    table = marginal(joint(net, evidence, likelihoods), net, [target])
    code = net.states[target].index(state)
    yes, no = table[code], np.delete(table, code).sum()
    return 10 * (math.log10(yes) if yes > 0 else -math.inf) - 10 * (math.log10(no) if no > 0 else -math.inf)


@settings(max_examples=150)
@given(st.data())
def test_weights_add_up_to_the_posterior_and_are_those_of_their_definition(data):
    net = data.draw(nets())
    evidence, weights = data.draw(asked(net))
    free = [node for node in net.nodes if node not in evidence]
    assume(free and net.probability(evidence, likelihoods=weights) > 0)
    target = data.draw(st.sampled_from(free))
    state = data.draw(st.sampled_from(net.states[target]))
    found = net.explain({target: state}, evidence, likelihoods=weights)
    assert len(found.reasons) == len(evidence) + len(weights)
    assert found.prior_db == pytest.approx(log_odds(net, target, state, {}), abs=1e-8)
    total = log_odds(net, target, state, evidence, weights)
    if math.isfinite(total) or math.isfinite(found.prior_db):
        assert found.total_db == pytest.approx(total, abs=1e-8)
    so_far, heard, before = {}, {}, found.prior_db
    for reason in found.reasons:
        assert not math.isnan(reason.weight_db)
        is_hard = reason.name in evidence and reason.name not in so_far and reason.value == evidence[reason.name]
        (so_far if is_hard else heard)[reason.name] = (evidence if is_hard else weights)[reason.name]
        after = log_odds(net, target, state, so_far, heard)
        if math.isfinite(before):
            assert reason.weight_db == pytest.approx(after - before, abs=1e-8)
        assert reason.probability == pytest.approx(net.query(target, so_far, likelihoods=heard)[state], abs=1e-9)
        before = after
    answer = net.query(target, evidence, likelihoods=weights)
    assert found.probabilities[state] == pytest.approx(answer[state], abs=1e-9)
    assert "nan" not in str(found) and found.to_text() and found._repr_html_()


def test_the_order_is_greedy_and_ties_go_by_the_order_of_the_nodes():
    net, evidence = asia(), {"dysp": "yes", "xray": "yes", "smoke": "yes", "asia": "yes", "bronc": "yes"}
    found = net.explain({"lung": "yes"}, evidence)
    seen = {}
    for reason in found.reasons:
        start = log_odds(net, "lung", "yes", seen)
        left = [node for node in net.nodes if node in evidence and node not in seen]
        steps = {node: abs(log_odds(net, "lung", "yes", {**seen, node: "yes"}) - start) for node in left}
        assert steps[reason.name] >= max(steps.values()) - 1e-9
        seen[reason.name] = "yes"
    again = net.explain({"lung": "yes"}, dict(reversed(evidence.items())))
    assert str(again) == str(found)
    told = [[0.9, 0.1], [0.2, 0.8]]
    tables = {"c": [0.5, 0.5], "b": told, "a": told}
    coins = db.BayesNet.from_tables([("c", "b"), ("c", "a")], dict.fromkeys("cba", (0, 1)), tables)
    assert [reason.name for reason in coins.explain({"c": 1}, {"a": 1, "b": 1}).reasons] == ["b", "a"]


def test_alone_and_last_are_weights_without_an_order():
    net, evidence = asia(), {"xray": "yes", "asia": "yes", "bronc": "no"}
    for reason in net.explain(("lung", "yes"), evidence).reasons:
        rest = {node: state for node, state in evidence.items() if node != reason.name}
        prior, total = log_odds(net, "lung", "yes", {}), log_odds(net, "lung", "yes", evidence)
        alone = log_odds(net, "lung", "yes", {reason.name: reason.value}) - prior
        assert reason.alone_db == pytest.approx(alone, abs=1e-9)
        assert reason.last_db == pytest.approx(total - log_odds(net, "lung", "yes", rest), abs=1e-9)


def test_what_is_irrelevant_given_the_others_is_named():
    found = asia().explain({"lung": "yes"}, {"either": "yes", "xray": "yes"})
    assert found.irrelevant == ("xray",) and "Irrelevant given the others: xray" in str(found)
    assert "Irrelevant given the others: xray" in found._repr_html_()
    assert asia().explain({"lung": "yes"}, {"either": "yes"}).irrelevant == ()


def test_several_states_are_compared_with_the_rest_together():
    net = db.BayesNet.from_tables(
        [("sky", "wet")],
        {"sky": ("sun", "cloud", "rain"), "wet": ("no", "yes")},
        {"sky": [0.5, 0.3, 0.2], "wet": [[1.0, 0.0], [0.9, 0.1], [0.1, 0.9]]},
    )
    found = net.explain({"sky": "rain"}, {"wet": "yes"})
    assert found.against == "not rain" and found.probabilities["rain"] == pytest.approx(0.18 / 0.21)
    assert found.reasons[0].likelihoods == pytest.approx((0.9, 0.03 / 0.8))
    assert net.explain("sky", {"wet": "yes"}).label == "rain" and net.explain("sky").label == "sun"
    impossible = net.explain({"sky": "sun"}, {"wet": "yes"})
    assert impossible.total_db == -math.inf and impossible.reasons[0].weight_db == -math.inf
    assert "P(sky=sun) = 0.500, then 0" in str(impossible)


def test_no_finding_moves_what_is_certain():
    net = asia()
    found = net.explain({"either": "yes"}, {"lung": "yes", "xray": "no", "tub": "no"})
    assert [reason.weight_db for reason in found.reasons] == [math.inf, 0.0, 0.0]
    assert found.total_db == math.inf and found.probabilities["yes"] == 1.0


def test_without_evidence_there_is_only_the_prior():
    found = asia().explain({"lung": "yes"})
    assert found.reasons == () and found.total_db == found.prior_db
    assert repr(found) == "NetExplanation(P(lung=yes) = 0.055, then 0.055: -12.35 decibans)"


def test_plain_values_have_all_weights():
    values = asia().explain({"lung": "yes"}, {"xray": "yes"}).to_dict()
    assert values["node"] == "lung" and values["reasons"][0]["finding"] == "xray"
    assert values["prior_db"] + values["reasons"][0]["weight_db"] == pytest.approx(values["total_db"])


def test_questions_that_cannot_be_answered():
    net = asia()
    with pytest.raises(ImpossibleEvidenceError, match="cannot be true together"):
        net.explain({"asia": "yes"}, {"either": "no", "lung": "yes"})
    with pytest.raises(ParameterError, match="also observed"):
        net.explain({"lung": "yes"}, {"lung": "yes"})
    with pytest.raises(ParameterError, match="one state"):
        net.explain({"lung": "yes", "tub": "yes"})
    with pytest.raises(UnseenStateError, match="'maybe'"):
        net.explain({"lung": "maybe"})
    with pytest.raises(UnknownNodeError, match="Did you mean 'lung'"):
        net.explain("lunge")


def test_what_is_separated_is_not_asked_for(monkeypatch):
    asked = []

    def counting(network, targets, findings):
        asked.append(findings)
        return whole(network, targets, findings)

    whole = net_explanation.joint
    monkeypatch.setattr(net_explanation, "joint", counting)
    # Given `either` the X-ray says nothing about `lung`; without it, it does.
    found = asia().explain({"lung": "yes"}, {"either": "yes", "xray": "yes"})
    assert len(asked) == 4 and [reason.weight_db for reason in found.reasons][1] == 0.0
    heard = asia().explain({"lung": "yes"}, {"xray": "yes"}, likelihoods={"either": {"yes": 0.9, "no": 0.1}})
    assert heard.irrelevant == ()


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_categories_and_numbers_add_up(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 4, 4)
    target = network.categories[int(rng.integers(4))]
    others = [node for node in network.categories if node != target and rng.random() < 0.5]
    codes = {node: int(rng.integers(network.cards[node])) for node in others}
    values = {node: float(rng.normal(0, 2)) for node in network.numbers if rng.random() < 0.6}
    queries = MixedQueries(network)
    named = {node: network.states[node][code] for node, code in codes.items()} | values
    found = explain_mixed_query(queries, {target: 0}, queries.read(named))
    before, seen = brute_odds(network, target, {}, {}), {}
    assert found.prior_db == pytest.approx(before, abs=1e-7)
    assert len(found.reasons) == len(named)
    for reason in found.reasons:
        seen[reason.name] = named[reason.name]
        own = {node: code for node, code in codes.items() if node in seen}
        after = brute_odds(network, target, own, {node: x for node, x in values.items() if node in seen})
        assert reason.weight_db == pytest.approx(after - before, abs=1e-7)
        before = after
    assert found.total_db == pytest.approx(before, abs=1e-7) and found.to_text()


def brute_odds(network, target, codes, values):
    _, categories, *_ = answers(network, codes, values)
    yes, no = categories[target][0], categories[target][1:].sum()
    return 10 * math.log10(yes / no)


def test_intervals_of_numbers_are_findings():
    network = MixedNetwork(
        db.DAG([("sex", "height")]),
        {"sex": ("f", "m")},
        {"sex": [0.5, 0.5]},
        {"height": Regressions(("sex",), (), [165.0, 178.0], [[], []], [49.0, 49.0])},
    )
    queries = MixedQueries(network)
    found = explain_mixed_query(queries, {"sex": "m"}, queries.read({"height": Between(180, None)}))
    assert found.reasons[0].value == "> 180" and found.prior_db == pytest.approx(0)
    tall = [NormalDist(mean, 7).cdf(180) for mean in (165, 178)]
    assert found.total_db == pytest.approx(10 * math.log10((1 - tall[1]) / (1 - tall[0])))
    exact = explain_mixed_query(queries, "sex", queries.read({"height": 171.5}))
    assert exact.total_db == pytest.approx(0, abs=1e-9)
    with pytest.raises(ParameterError, match="is a number: explain a state"):
        explain_mixed_query(queries, "height", queries.read({}))


def test_a_fitted_net_of_both_kinds_explains_itself():
    rng = np.random.default_rng(0)
    sex = np.where(rng.random(200) < 0.5, "f", "m")
    height = np.where(sex == "f", 165.0, 178.0) + rng.normal(size=200) * 7
    net = db.BayesNet([("sex", "height")]).fit({"sex": sex, "height": height})
    found = net.explain({"sex": "m"}, {"height": 190.0})
    odds = np.log10(net.query("sex", {"height": 190.0}).as_array())
    assert found.total_db == pytest.approx(10 * (odds[1] - odds[0])) and "height" in str(found)
