"""Expectation maximization climbs, needs no gaps to be right, and finds what was taken out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError, UnfittedError
from deciban.nets import MultivariateNormal
from deciban.nets.learning.em import _complete_at_once, _complete_by_pattern
from tests.nets.learning.samples import DAYS, SPRINKLER, net_samples

ASIA = db.DAG(
    [("A", "T"), ("S", "L"), ("S", "B"), ("T", "E"), ("L", "E"), ("E", "X"), ("E", "D"), ("B", "D")]
)  # fmt: skip


@settings(max_examples=40)
@given(net_samples(), st.sampled_from([db.MLE(), db.Laplace(), db.BDeu(1), db.Lidstone(0.1)]))
def test_the_objective_never_falls(sample, rule):
    g, columns, weights = sample
    net = db.BayesNet(g).fit(
        columns, missing="em", smoothing=rule, sample_weight=weights, unseen_parents="uniform", max_iter=15, tol=0
    )
    objectives = np.array(net.em_.objectives)
    assert (np.diff(objectives) >= -1e-9 * np.abs(objectives[1:])).all()
    if rule == db.MLE():
        assert net.em_.objectives == net.log_likelihoods_


@given(net_samples(has_gaps=False))
def test_without_gaps_it_is_counting(sample):
    g, columns, weights = sample
    counted = db.BayesNet(g).fit(columns, sample_weight=weights)
    climbed = db.BayesNet(g).fit(columns, sample_weight=weights, missing="em")
    assert climbed == counted
    assert climbed.tally_ == counted.tally_
    assert climbed.em_.iterations == 0
    assert climbed.partial_fit(columns).tally_ == (counted.tally_ + db.BayesNet(g).fit(columns).tally_)


def test_the_log_likelihood_is_that_of_the_tables():
    gapped = {name: [None if (place * 7 + i) % 4 == 0 else v for i, v in enumerate(column)]
              for place, (name, column) in enumerate(DAYS.items())}  # fmt: skip
    net = db.BayesNet(SPRINKLER).fit(gapped, missing="em", tol=1e-9)
    again = db.BayesNet(SPRINKLER).fit(gapped, missing="em", max_iter=net.em_.iterations, tol=0)
    assert again == net
    assert "iterations" in net.report()
    assert net.em_.is_converged
    short = db.BayesNet(SPRINKLER).fit(gapped, missing="em", max_iter=1)
    assert "not converged" in short.report()


def test_asia_with_a_fifth_removed(shared_data):
    frame = pd.read_csv(shared_data / "nets" / "asia.sample.csv.gz", dtype=str)
    gapped = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.2)
    rule = db.BDeu(1)
    complete = db.BayesNet(ASIA).fit(frame, smoothing=rule)
    climbed = db.BayesNet(ASIA).fit(gapped, smoothing=rule, missing="em")
    available = db.BayesNet(ASIA).fit(gapped, smoothing=rule, missing="skip")
    rows = {node: complete.tally_[node].sum(axis=-1, keepdims=True) for node in ASIA.nodes}
    for node in ASIA.nodes:
        often = np.broadcast_to(rows[node] >= 100, complete.tables[node].shape)
        assert np.abs(climbed.tables[node] - complete.tables[node])[often].max() < 0.03
    off = [
        sum((rows[node] * np.abs(net.tables[node] - complete.tables[node])).sum() for node in ASIA.nodes)
        for net in (climbed, available)
    ]
    assert off[0] < off[1]
    assert climbed.tally_.rows == 5000
    for node in ASIA.nodes:
        assert climbed.tally_[node].sum() == pytest.approx(5000, rel=1e-12)


def mixture_by_formula(x, prior, chances, turns):
    """The textbook turns for a hidden class with two-state attributes: responsibilities, then relative weights."""
    for _ in range(turns):
        joint = prior * np.prod(np.where(x[:, None, :] == 1, chances, 1 - chances), axis=2)
        share = joint / joint.sum(axis=1, keepdims=True)
        prior = share.mean(axis=0)
        chances = (share.T @ x) / share.sum(axis=0)[:, None]
    return prior, chances


def test_a_hidden_class_is_the_mixture_of_the_formula():
    rng = np.random.default_rng(3)
    kind = rng.random(300) < 0.4
    x = (rng.random((300, 4)) < np.where(kind[:, None], 0.85, 0.2)).astype(int)
    dag = db.DAG([("class", f"x{i}") for i in range(4)])
    data = {f"x{i}": x[:, i] for i in range(4)}
    options = {"missing": "em", "states": {"class": 2}, "smoothing": db.MLE(), "random_state": 5, "tol": 0}
    steps = []
    db.BayesNet(dag).fit(data, max_iter=1, progress=steps.append, **options)
    one = db.BayesNet(dag).fit(data, max_iter=1, **options)
    many = db.BayesNet(dag).fit(data, max_iter=21, **options)
    prior, chances = one.tables["class"], np.array([one.tables[f"x{i}"][:, 1] for i in range(4)]).T
    prior, chances = mixture_by_formula(x, prior, chances, 20)
    np.testing.assert_allclose(many.tables["class"], prior, rtol=1e-10)
    np.testing.assert_allclose(np.array([many.tables[f"x{i}"][:, 1] for i in range(4)]).T, chances, rtol=1e-10)
    assert [step.iteration for step in steps] == [0, 1]
    assert abs(many.tables["class"].min() - 0.4) < 0.1


def test_more_starts_are_never_worse():
    rng = np.random.default_rng(0)
    data = {f"x{i}": rng.integers(0, 2, 60) for i in range(3)}
    dag = [("class", f"x{i}") for i in range(3)]
    options = {"missing": "em", "states": {"class": 3}, "max_iter": 20}
    one = db.BayesNet(dag).fit(data, random_state=0, **options)
    many = db.BayesNet(dag).fit(data, random_state=0, starts=5, **options)
    assert many.em_.objectives[-1] >= one.em_.objectives[-1]
    assert one == db.BayesNet(dag).fit(data, random_state=0, **options)


def test_progress_is_shown(capsys):
    data = {"a": [0, 1, None], "b": [0, 1, 1]}
    db.BayesNet([("a", "b")]).fit(data, missing="em", progress=True, max_iter=2)
    assert "start 0, iteration 1: log-likelihood" in capsys.readouterr().err


def test_what_does_not_go_with_it_is_said():
    data = {"a": [0, 1, None], "b": [0, 1, 1]}
    net = db.BayesNet([("a", "b")]).fit(data, missing="em")
    for call in (net.partial_fit, net.forget):
        with pytest.raises(ParameterError, match="fit it to all rows"):
            call(data)
    with pytest.raises(ParameterError, match="fit it to all rows"):
        net.merge(net)
    with pytest.raises(ColumnMismatchError, match="number of its states"):
        db.BayesNet([("a", "b"), ("c", "b")]).fit(data, missing="em")
    with pytest.raises(ParameterError, match="at least 1"):
        db.BayesNet([("a", "b")]).fit(data, missing="em", max_iter=0)
    with pytest.raises(UnfittedError, match="em"):
        _ = db.BayesNet([("a", "b")]).fit(data, missing="skip").em_


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_numbers_are_completed_alike_all_at_once_and_one_pattern_at_a_time(share):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5)) * [1, 1e3, 1e-3, 1, 1] + [0, 1e4, 0, -5, 1]
    joint = MultivariateNormal(list("abcde"), values.mean(axis=0), np.cov(values.T))
    values[rng.random(values.shape) < share] = np.nan
    weights = rng.integers(1, 4, 200).astype(float)
    sd = np.sqrt(np.diag(joint.covariance))
    filled, extra, likelihood = _complete_at_once(values, weights, joint)
    wanted, more, known = _complete_by_pattern(values, weights, joint)
    np.testing.assert_allclose((filled - joint.mean) / sd, (wanted - joint.mean) / sd, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(extra / np.outer(sd, sd), more / np.outer(sd, sd), rtol=1e-9, atol=1e-9)
    assert likelihood == pytest.approx(known, rel=1e-11)
