"""A text model is calibrated on what it would say of its documents had it not learned them."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError

rng = np.random.default_rng(0)
WORDS = np.array([f"w{i}" for i in range(30)])
Y = np.array(["ham", "spam"])[np.arange(60) % 2]
X = [" ".join(rng.choice(WORDS, 6, p=np.roll(np.arange(30) + 20.0, 15 * (i % 2)) / 1035)) for i in range(60)]


@pytest.mark.parametrize("event", ["boolean", "multinomial"])
def test_documents_that_were_learned_are_each_left_out(event):
    model = db.TextNB(event, smoothing=0.5, temperature=None).fit(X, Y)
    expected = [
        db.TextNB(event, smoothing=0.5, temperature=None)
        .fit(X[:i] + X[i + 1 :], np.delete(Y, i))
        .predict_proba([X[i]])[0]
        for i in range(len(X))
    ]
    assert model._honest_posterior(X, Y, None, "auto") == pytest.approx(np.array(expected), rel=1e-9)


@pytest.mark.parametrize(
    "settings", [{}, {"event": "bernoulli"}, {"event": "complement"}, {"n_bits": 6}, {"length": "root"}], ids=str
)
def test_own_documents_calibrate_as_others_do_and_not_as_learned_ones(settings):
    model = db.TextNB(**settings).fit(X, Y)
    plain, own = model.predict_proba(X), model._honest_posterior(X, Y, None, "auto")
    right = np.arange(60), np.searchsorted(model.classes_, Y)
    assert np.log(own[right]).mean() < np.log(plain[right]).mean()  # what was learned is told too well
    assert (model._honest_posterior(X, Y, None, False) == plain).all()
    assert (model._honest_posterior(X[:30], Y[:30], None, "auto") == plain[:30]).all()
    model.calibrate(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(DecibanError):
        model._honest_posterior(X[:30], Y[:30], None, True)
    assert (model.predict_proba(X) == before).all()
    assert (model._honest_posterior(X, Y, None, "auto") == own).all()


def test_what_weighs_all_documents_at_once_needs_others():
    model = db.TextNB("twcnb").fit(X, Y)
    with pytest.raises(DecibanError, match="other documents"):
        model.calibrate(X, Y)
    assert model.calibrate(X[:20], Y[:20]).calibration_
