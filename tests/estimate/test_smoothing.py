"""Smoothing: probabilities sum to one, nothing is NaN, and wrong constants are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ParameterError
from deciban.estimate import Smoothing
from tests.reference import tallies as reference

counts = st.lists(st.integers(0, 50), min_size=1, max_size=6)


@given(counts, st.sampled_from([db.MLE(), db.Laplace(), db.Jeffreys(), db.Lidstone(0.1), db.MEstimate(3), db.BDeu(3)]))
def test_probabilities_sum_to_one(n, rule):
    p = rule(np.array(n))
    assert p.sum() == pytest.approx(1)
    assert not np.isnan(p).any()


@given(counts, st.integers(1, 8))
def test_lidstone_is_its_twin(n, eighths):
    alpha = eighths / 8
    assert db.Lidstone(alpha)(np.array(n)) == pytest.approx(reference.smooth(n, alpha), rel=1e-13)


def test_what_is_unknown_is_uniform():
    assert db.MLE()(np.zeros((2, 4))) == pytest.approx(np.full((2, 4), 0.25))


@pytest.mark.parametrize("make", [lambda: db.Lidstone(-1), lambda: db.Lidstone(np.nan), lambda: db.MEstimate(-1)])
def test_negative_constants_are_refused(make):
    with pytest.raises(ParameterError, match="not negative"):
        make()


def test_priors_of_the_m_estimate_are_checked():
    with pytest.raises(ParameterError, match="sum to 1"):
        db.MEstimate(1, [0.5, 0.6])
    with pytest.raises(ParameterError, match="2 probabilities, but there are 3 states"):
        db.MEstimate(1, [0.5, 0.5])(np.zeros(3))
    with pytest.raises(ParameterError, match="leave prior=None"):
        db.MEstimate(1, [0.5, 0.5]).pseudocount(2)


def test_rules_are_values():
    assert db.Laplace() == db.Laplace()
    assert repr(db.MEstimate(2)) == "MEstimate(m=2, prior=None)"


TABLE = {"sky": list("srrsrcss"), "wind": list("hllhhhll"), "play": list("nyyynyyn")}


def test_bdeu_is_a_smoothing_of_classifiers_as_of_nets():
    """A naive Bayes model is a star-shaped net: the imaginary rows are shared by the classes, too."""
    net = db.BayesNet([("play", "sky"), ("play", "wind")]).fit(TABLE, smoothing=db.BDeu(6))
    model = db.NaiveBayes(smoothing=db.BDeu(6), priors=db.BDeu(6), weights=None).fit(TABLE, "play")
    row = {"sky": "c", "wind": "l"}
    assert model.predict_proba_one(row)["y"] == pytest.approx(net.query("play", row)["y"])
    live = db.NaiveBayes(smoothing=db.BDeu(6), priors=db.BDeu(6), weights=None)
    for values in zip(*TABLE.values(), strict=True):
        *columns, label = values
        live.learn_one(dict(zip(row, columns, strict=True)), label)
    assert live.predict_proba_one(row) == pytest.approx(model.predict_proba_one(row))


@pytest.mark.parametrize(
    "make", [db.NaiveBayes, db.AODE, db.JointBayes, lambda **rule: db.NaiveBayes(db.Bernoulli(), **rule, weights=None)]
)
def test_leaving_a_row_out_is_refitting_with_bdeu(make):
    is_binary = not isinstance(make, type)
    X = {name: [value in "sh" if is_binary else value for value in TABLE[name]] for name in ("sky", "wind")}
    y = np.array(TABLE["play"])
    textbook = {"weights": None} if make in (db.NaiveBayes, db.AODE) else {}
    if make is db.AODE:
        textbook |= {"strength": 1.0, "temperature": 1.0}
    model = make(smoothing=db.BDeu(4), **textbook).fit(X, y)
    kept = np.arange(len(y)) != 3  # its labels and its class have other rows
    refit = make(smoothing=db.BDeu(4), **textbook).fit({n: np.array(v)[kept].tolist() for n, v in X.items()}, y[kept])
    left_out = model.loo_predict_proba(X, y)[3]
    assert left_out == pytest.approx(refit.predict_proba({n: [v[3]] for n, v in X.items()})[0])


def test_a_rule_of_ones_own_defines_one_method():
    class Perks(Smoothing):
        def pseudocount(self, states, configurations=1):
            return 1 / states

    assert Perks().pseudocounts(4).tolist() == [0.25] * 4 and Perks().is_even
    model = db.NaiveBayes(smoothing=Perks(), weights=None).fit(TABLE, "play")
    same = db.NaiveBayes(smoothing=db.MEstimate(1), weights=None).fit(TABLE, "play")
    X = {name: TABLE[name] for name in ("sky", "wind")}
    assert model.predict_proba(X) == pytest.approx(same.predict_proba(X))
