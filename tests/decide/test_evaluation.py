"""Scores of posteriors: scikit-learn's figures, with intervals, and what one gets without any column beside them."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

import deciban as db
from deciban.errors import InputError, ParameterError

PLAY = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]]
TRUTH = ["no", "yes", "yes", "no"]


@st.composite
def judged(draw):
    classes, rows = draw(st.integers(2, 4)), draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    y = rng.integers(classes, size=rows)
    posterior = rng.dirichlet(np.full(classes, 0.3), rows)
    return "abcd"[:classes], np.array(list("abcd"))[y], posterior


@given(judged())
def test_scores_are_scikit_learns(case):
    labels, truth, posterior = case
    report = db.evaluate(truth, posterior=posterior, labels=list(labels))
    found, names = report.probability, list(labels)
    assert found.log_loss.value == pytest.approx(log_loss(truth, posterior, labels=names))
    expected = brier_score_loss(truth == names[1], posterior[:, 1]) if len(names) == 2 else None
    expected = brier_score_loss(truth, posterior, labels=names) if expected is None else expected
    assert found.brier.value == pytest.approx(expected)
    assert report.accuracy == np.mean(np.array(names)[posterior.argmax(axis=1)] == truth)
    for _, interval, _ in report.summary():
        assert interval.low <= interval.value <= interval.high
    for label, curves in report.curves.items():
        expected = roc_auc_score(truth == label, posterior[:, names.index(label)])
        assert curves.roc_area == pytest.approx(expected)


def test_the_baseline_is_the_class_shares():
    truth = ["a", "a", "a", "b"]
    shares = np.tile([0.75, 0.25], (4, 1))
    report = db.evaluate(truth, posterior=shares)
    assert report.baseline.label == "a" and report.baseline.accuracy == report.accuracy == 0.75
    assert report.baseline.log_loss == pytest.approx(report.probability.log_loss.value)
    assert report.baseline.brier == pytest.approx(report.probability.brier.value)
    assert report.probability.calibration_error.value == pytest.approx(0.0)
    assert db.evaluate(["a"], ["a"]).baseline.log_loss == 0.0


def test_by_hand():
    report = db.evaluate(TRUTH, posterior=PLAY)
    assert report.confusion.tolist() == [[2, 0], [1, 1]]  # the tie goes to the first class
    assert report.probability.log_loss.value == pytest.approx(-np.log([0.9, 0.8, 0.4, 0.5]).mean())
    assert report.probability.brier.value == pytest.approx(np.mean([0.01, 0.04, 0.36, 0.25]))
    assert report.curves["yes"].roc_area == 0.75


def test_decisions_and_posteriors_together():
    """A model with costs or rejection decides otherwise than by the largest posterior; its scores stay the same."""
    plain = db.evaluate(TRUTH, posterior=PLAY)
    careful = db.evaluate(TRUTH, ["no", "yes", None, None], posterior=PLAY)
    assert careful.decisions == ("no", "yes", "(none)") and careful.accuracy == 0.5
    assert careful.probability.log_loss == plain.probability.log_loss


def test_the_calibration_error_of_a_sure_and_wrong_model():
    posterior = np.tile([0.9, 0.1], (200, 1))
    truth = np.where(np.arange(200) % 2 == 0, "a", "b")
    error = db.evaluate(truth, posterior=posterior).probability.calibration_error
    assert error.value == pytest.approx(0.4)
    assert error[1:] == pytest.approx((0.4 - 0.069, 0.4 + 0.069), abs=0.01)  # 1.96·√(¼/200)
    again = db.evaluate(truth, posterior=posterior).probability.calibration_error
    assert again == error


def test_it_prints_scores_with_intervals_beside_the_baseline():
    report = db.evaluate(TRUTH, posterior=PLAY)
    assert "log loss" in str(report) and "baseline" in str(report) and "95% confidence interval" in str(report)
    assert "Brier score" in report._repr_html_()
    assert "log loss" not in str(db.evaluate(TRUTH, TRUTH))


def test_it_is_a_mapping_for_code():
    held = json.loads(json.dumps(db.evaluate(TRUTH, posterior=PLAY).to_dict()))
    low, high = pytest.approx(0.3006, abs=1e-4), pytest.approx(0.9544, abs=1e-4)
    assert held["accuracy"] == {"value": 0.75, "low": low, "high": high, "baseline": 0.5}
    assert set(held) > {"log_loss", "brier_score", "calibration_error"} and held["classes"][1]["label"] == "yes"
    assert "log_loss" not in db.evaluate(TRUTH, TRUTH).to_dict()


def test_leave_one_out_posteriors_of_a_fitted_model():
    table = pd.DataFrame({"sky": ["sun", "sun", "rain", "rain", "sun"], "play": ["yes", "yes", "no", "no", "no"]})
    model = db.NaiveBayes().fit(table, "play")
    posterior = model.loo_predict_proba(table, "play")
    report = db.evaluate(table["play"], posterior=posterior, labels=model.classes_)
    assert report.probability.log_loss.value == pytest.approx(log_loss(table["play"], posterior))


def test_a_class_without_rows_needs_labels():
    with pytest.raises(InputError, match=r"2 columns, for 1 classes. Pass labels=model.classes_"):
        db.evaluate(["no", "no"], posterior=PLAY[:2])
    report = db.evaluate(["no", "no"], posterior=PLAY[:2], labels=["no", "yes"])
    assert report.curves == {} and report["yes"].rows == 0


@pytest.mark.parametrize(
    ("posterior", "message"),
    [
        ([0.5, 0.5], "rows × classes, not an array of shape"),
        ([[0.5, 0.6], [0.5, 0.5]], "row 0 are .* must sum to 1"),
        ([[0.5, 0.5], [np.nan, 0.5]], "row 1 are"),
        ([["a", "b"], ["c", "d"]], "must be numbers"),
        (np.empty((0, 2)), "no posteriors"),
        ([[0.5, 0.5]], "inconsistent numbers of samples"),
        ([[0.2, 0.3, 0.5]] * 2, "3 columns, for 2 classes"),
    ],
)
def test_what_is_no_posterior_says_so(posterior, message):
    with pytest.raises(InputError, match=message):
        db.evaluate(["a", "b"], posterior=posterior)


def test_errors_name_what_is_missing():
    with pytest.raises(InputError, match="pass the labels that were decided for, or posterior"):
        db.evaluate(["a", "b"])
    with pytest.raises(InputError, match="class 'c', which is not among the labels"):
        db.evaluate(["a", "c"], posterior=PLAY[:2], labels=["a", "b"])
    with pytest.raises(ParameterError, match="curves are made from posteriors"):
        db.evaluate(["a", "b"], ["a", "b"]).curves  # noqa: B018
