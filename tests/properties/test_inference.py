"""Laws of probability that every answer of a net must keep."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban as db
from tests.nets.inference.brute import asked, nets

pytestmark = pytest.mark.usefixtures("each_instruction_set")


@st.composite
def questions(draw, least=2):
    """A net, what is known of it, and nodes that are not."""
    net = draw(nets())
    evidence, weights = draw(asked(net, max_evidence=2))
    assume(net.probability(evidence, likelihoods=weights) > 0)
    free = [node for node in net.nodes if node not in evidence]
    assume(len(free) >= least)
    return net, evidence, weights, draw(st.permutations(free))


@settings(max_examples=60)
@given(questions(least=1))
def test_beliefs_sum_to_one(question):
    net, evidence, weights, free = question
    for held in net.marginals(evidence, likelihoods=weights).values():
        assert sum(held.values()) == pytest.approx(1, abs=1e-12) and min(held.values()) >= 0
    assert net.query(free, evidence, likelihoods=weights).array.sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=60)
@given(questions())
def test_the_chain_rule(question):
    """P(x, y | e) = P(x | y, e) · P(y | e), and with P(e) it is P(x, y, e)."""
    net, evidence, _, (x, y, *_) = question
    both, second = net.query([x, y], evidence), net.query(y, evidence)
    for b, chance in second.items():
        if chance > 0:
            first = net.query(x, {**evidence, y: b})
            for a in first:
                assert both[a, b] == pytest.approx(first[a] * chance, abs=1e-12)
                whole = net.probability({**evidence, x: a, y: b})
                assert whole == pytest.approx(both[a, b] * net.probability(evidence), abs=1e-12)


@settings(max_examples=60)
@given(questions())
def test_a_joint_table_holds_the_marginals(question):
    net, evidence, weights, free = question
    both = net.query(free[:3], evidence, likelihoods=weights)
    for node in free[:3]:
        one = net.query(node, evidence, likelihoods=weights)
        assert np.abs(both.marginal(node).as_array() - one.as_array()).max() < 1e-12


@settings(max_examples=60)
@given(questions(least=1))
def test_log_probabilities_add_up_over_a_table(question):
    """The probabilities of all states of a node sum to that of the evidence."""
    net, evidence, weights, (x, *_) = question
    parts = [net.probability({**evidence, x: state}, likelihoods=weights) for state in net.states[x]]
    assert sum(parts) == pytest.approx(net.probability(evidence, likelihoods=weights), rel=1e-12)


@settings(max_examples=60)
@given(questions(least=1))
def test_no_states_are_more_probable_than_the_best(question):
    net, evidence, weights, free = question
    best = net.mpe(evidence, likelihoods=weights)
    assert best.items() >= evidence.items()
    assert best.probability <= net.map(free[:1], evidence, likelihoods=weights).probability * (1 + 1e-12)
    assert net.probability(dict(best), likelihoods=weights) == pytest.approx(best.probability, rel=1e-12)


@settings(max_examples=60)
@given(questions(), st.data())
def test_the_order_of_nodes_and_parents_changes_nothing(question, data):
    net, evidence, weights, (x, *_) = question
    order = data.draw(st.permutations(net.nodes))
    parents = {node: tuple(up for up in order if up in net.parents[node]) for node in net.nodes}
    axes = {node: [*(net.parents[node].index(up) for up in parents[node]), -1] for node in net.nodes}
    tables = {node: net.tables[node].transpose(axes[node]) for node in net.nodes}
    turned = db.BayesNet.from_tables(db.DAG(net.dag.directed_edges, order), net.states, tables, parents=parents)
    one, other = (held.query(x, evidence, likelihoods=weights).as_array() for held in (net, turned))
    assert np.abs(one - other).max() < 1e-12


@settings(max_examples=60)
@given(questions(least=1), st.sampled_from([0.25, 3.0]))
def test_only_ratios_of_likelihoods_count(question, factor):
    net, evidence, weights, (x, *_) = question
    larger = {node: {state: factor * number for state, number in held.items()} for node, held in weights.items()}
    one, other = (net.query(x, evidence, likelihoods=held).as_array() for held in (weights, larger))
    assert np.abs(one - other).max() < 1e-12


@settings(max_examples=60)
@given(questions(least=1))
def test_a_witness_is_a_child_that_was_seen(question):
    """Soft evidence is hard evidence on a node more."""
    net, evidence, weights, (x, *_) = question
    arrows, states, tables = list(net.dag.directed_edges), dict(net.states), dict(net.tables)
    seen, parents = dict(evidence), dict(net.parents)
    for node, held in weights.items():
        says = np.array([held[state] for state in net.states[node]]) / (2 * max(held.values()))
        arrows.append((node, "witness"))
        states["witness"], tables["witness"], seen["witness"] = (0, 1), np.column_stack([1 - says, says]), 1
        parents["witness"] = (node,)
    wider = db.BayesNet.from_tables(db.DAG(arrows, states), states, tables, parents=parents)
    one, other = net.query(x, evidence, likelihoods=weights), wider.query(x, seen)
    assert np.abs(one.as_array() - other.as_array()).max() < 1e-12


@settings(max_examples=60)
@given(questions())
def test_information_goes_both_ways_and_is_no_more_than_there_is(question):
    net, evidence, weights, (x, y, *_) = question
    there, back = net.information(x, evidence, likelihoods=weights), net.information(y, evidence, likelihoods=weights)
    assert there[y].nats == pytest.approx(back[x].nats, abs=1e-12)
    assert 0 <= there[y].bits <= net.query(x, evidence, likelihoods=weights).entropy + 1e-12
    if db.d_separated(net.dag, x, y, list(evidence)):
        assert there[y].nats < 1e-12


@settings(max_examples=60)
@given(questions())
def test_what_is_separated_is_not_changed(question):
    net, evidence, _, (x, y, *_) = question
    if db.d_separated(net.dag, x, y, list(evidence)):
        state = net.query(y, evidence).most_likely()
        one, other = net.query(x, evidence), net.query(x, {**evidence, y: state})
        assert np.abs(one.as_array() - other.as_array()).max() < 1e-12
