"""The temperature of TextNB: learned on documents that are left out, kept, and without effect on decisions."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

import deciban as db
from deciban.decide.calibration import document_temperature
from deciban.errors import DecibanError
from deciban.models.text.fitted import TextForm, document_temperatures
from deciban.models.text.log_count_ratio import every_third

CLASSES = np.array(["eggs", "ham", "spam"])


def made(seed, rows, length=30):
    """Documents of three classes whose words come in pairs, so that naive Bayes counts all evidence twice."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    words = [rng.integers(0, 40, rng.integers(2, length)) + 4 * c for c in y]
    return [" ".join(f"a{w} b{w}" for w in row) for row in words], CLASSES[y]


X, Y = made(0, 300)
NEW, TRUTH = made(1, 300)
EVENTS = ["boolean", "multinomial", "bernoulli"]  # "complement" is not overconfident here


@pytest.mark.parametrize("settings", [*({"event": e} for e in EVENTS), {"n_bits": 8}, {"length": "root"}], ids=str)
def test_it_lowers_the_log_loss_and_changes_no_decision(settings):
    plain, learned = (db.TextNB(temperature=t, **settings).fit(X, Y) for t in (None, "auto"))
    assert plain.temperature_ == 1.0 < learned.temperature_
    assert log_loss(TRUTH, learned.predict_proba(NEW)) < log_loss(TRUTH, plain.predict_proba(NEW))
    assert (learned.predict(NEW) == plain.predict(NEW)).all()
    assert (learned.classes_[learned.predict_proba(NEW).argmax(axis=1)] == plain.predict(NEW)).all()
    given = db.TextNB(temperature=learned.temperature_, **settings).fit(X, Y)
    assert np.array_equal(given.predict_proba(NEW), learned.predict_proba(NEW))


@pytest.mark.parametrize("settings", [*({"event": e} for e in (*EVENTS, "complement")), {"n_bits": 8}], ids=str)
def test_given_priors_of_new_documents_leave_it_as_it_is(settings):
    priors = np.linspace(0.01, 1.0, len(CLASSES))
    plain, given = db.TextNB(**settings).fit(X, Y), db.TextNB(priors=priors / priors.sum(), **settings).fit(X, Y)
    assert given.temperature_ == pytest.approx(plain.temperature_)


def test_the_formula_by_hand():
    plain, hot = (db.TextNB(temperature=t).fit(X, Y) for t in (None, 3.0))
    mean = plain.tally_.parts[0].totals().sum() / 300
    heat = 1 + 2 * np.sqrt(plain.known_tokens(NEW) / mean)
    joint = plain.predict_joint_log_proba(NEW)
    assert hot.predict_joint_log_proba(NEW) == pytest.approx(joint / heat[:, None])
    assert hot.predict_proba(["unknown"]) == pytest.approx(plain.predict_proba(["unknown"]))
    assert document_temperatures(0.5, np.array([0, 1, 9]), 4.0).tolist() == [1.0, 0.5, 0.5]


def test_long_documents_do_not_calibrate_on_themselves():
    """A model that is fitted on few long documents knows their words: resubstitution would find no overconfidence."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    documents = [" ".join(f"w{i}" for i in rng.integers(0, 4000, 400)) for _ in labels]  # noise
    model = db.TextNB().fit(documents, labels)
    codes = np.arange(60), labels
    resubstitution = db.TextNB.from_tally(model.tally_).predict_proba(documents)[codes]
    assert resubstitution.min() > 0.99
    assert model.temperature_ > 5
    assert (model._honest_posterior(documents, labels, None, "auto")[codes] < 0.5).sum() > 20
    calibrated = db.TextNB(temperature=None).fit(documents, labels).calibrate(documents, labels)
    assert calibrated.calibration_.value > 5
    new = [" ".join(f"w{i}" for i in rng.integers(0, 4000, 400)) for _ in range(40)]
    assert calibrated.predict_proba(new).max() < 0.95


@pytest.mark.parametrize("settings", [{}, {"event": "complement"}, {"rule": "ml"}, {"priors": "uniform"}], ids=str)
def test_explanations_sum_to_the_log_odds_of_the_posterior(settings):
    model = db.TextNB(**settings).fit(X, Y)
    assert model.temperature_ > 1
    for document in NEW[:5]:
        told, posterior = model.explain(document), model.predict_proba_one(document)
        odds = np.log(posterior[told.label] / posterior[told.against])
        if model.rule == "ml":
            prior = dict(zip(model.classes_.tolist(), model.class_log_prior_, strict=True))
            heat = document_temperatures(
                model.temperature_, model.known_tokens([document]), model._current().model.mean_tokens
            )
            odds -= (prior[told.label] - prior[told.against]) / heat[0]
        assert told.total_db == pytest.approx(10 / np.log(10) * odds)
        parts = told.prior_db + sum(reason.weight_db for reason in told.reasons)
        assert parts == pytest.approx(told.total_db)


def test_it_is_learned_once_and_kept(tmp_path):
    model = db.TextNB().fit(X, Y)
    learned = model.temperature_
    assert model.partial_fit(NEW, TRUTH).temperature_ == learned
    assert model.learn_one(X[0], "ham").temperature_ == learned
    model.predict(NEW)
    assert model.temperature_ == learned
    assert model.forget(NEW, TRUTH).temperature_ == learned
    db.save(model, tmp_path / "model")
    assert db.load(tmp_path / "model").temperature_ == learned
    assert db.TextNB.from_tally(model.tally_).temperature_ == 1.0
    other = db.TextNB().fit(NEW[:100], TRUTH[:100])
    rows, theirs = model.tally_.total, other.temperature_
    assert model.merge(other).temperature_ == pytest.approx((rows * learned + 100 * theirs) / (rows + 100))


def test_a_stream_learns_it_with_the_first_batch_that_is_large_enough():
    model = db.TextNB().partial_fit(X[:10], Y[:10])
    assert model.temperature_ == 1.0
    assert model.partial_fit(X[10:200], Y[10:200]).temperature_ > 1
    assert db.TextNB().fit(X[:10], Y[:10]).temperature_ == 1.0
    assert db.TextNB("twcnb").fit(X, Y).temperature_ == 1.0


def test_a_weight_of_two_is_a_document_twice():
    weights = 1 + np.arange(300) % 2
    weighted = db.TextNB().fit(X, Y, sample_weight=weights)
    repeated = db.TextNB().fit(np.repeat(X, weights), np.repeat(Y, weights))
    assert weighted.temperature_ == pytest.approx(repeated.temperature_, rel=1e-3)


def test_bad_temperatures_are_errors():
    for bad in (0, -1, "hot", float("nan")):
        with pytest.raises(DecibanError):
            db.TextNB(temperature=bad).fit(X, Y)


def test_the_least_loss_by_hand():
    # Log-odds of 4 that are right in 3 of 4 cases: the best log-odds are log 3.
    joint = np.array([[4.0, 0.0]] * 4)
    assert document_temperature(joint, np.array([0, 0, 0, 1]), np.ones(4), np.ones(4)) == pytest.approx(
        4 / np.log(3), rel=1e-2
    )
    assert document_temperature(joint, np.zeros(4, dtype=int), np.ones(4), np.ones(4)) == 1.0  # never below 1


def test_forms_without_a_temperature_take_the_other():
    assert TextForm(1).averaged(TextForm(1, temperature=2.0), 3.0, 1.0).temperature == 2.0
    assert TextForm(1, temperature=4.0).averaged(TextForm(1, temperature=2.0), 3.0, 1.0).temperature == 3.5


def test_every_third_keeps_all_classes():
    y = np.array([0, 0, 1, 2, 2, 2, 2, 2, 2])
    assert every_third(y).tolist() == [False] * 5 + [True, False, False, True]
