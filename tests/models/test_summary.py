"""Scores of learned rows by leave-one-out, all of them or some."""

from __future__ import annotations

import numpy as np
import pytest

import deciban as db
from deciban.models import fitting
from deciban.models.fitting import spread_rows, summarize_fit

rng = np.random.default_rng(3)
Y = rng.integers(0, 2, 300)
TABLE = {"sky": np.where(rng.random(300) < 0.7, Y, 1 - Y).astype(str), "noise": rng.integers(0, 3, 300).astype(str)}
MODEL = db.NaiveBayes().fit(TABLE, Y)


def test_the_scores_are_those_of_leave_one_out():
    found = summarize_fit(MODEL, TABLE, Y)
    expected = db.evaluate(Y, posterior=MODEL.loo_predict_proba(TABLE, Y))
    assert found.report.probability.log_loss == expected.probability.log_loss
    assert list(found.strengths) == ["sky", "noise"] and found.how == "exact leave-one-out, 300 rows"


def test_some_rows_are_scored_as_among_all(monkeypatch):
    monkeypatch.setattr(fitting, "_MOST_ROWS", 30)
    monkeypatch.setattr(fitting, "_FEWEST_ROWS", 10)
    found = summarize_fit(MODEL, TABLE, Y)
    rows = spread_rows(300, 30)
    expected = db.evaluate(Y[rows], posterior=MODEL.loo_predict_proba(TABLE, Y)[rows])
    assert found.report.probability.log_loss == pytest.approx(expected.probability.log_loss)
    assert found.how == "exact leave-one-out, 30 rows of 300, spread over the table"


def test_a_calibration_is_part_of_the_scores():
    model = db.NaiveBayes().fit(TABLE, Y).calibrate(TABLE, Y, method="isotonic")
    plain, calibrated = (summarize_fit(m, TABLE, Y).report.probability for m in (MODEL, model))
    assert calibrated.calibration_error.value < plain.calibration_error.value


def test_documents_show_their_strongest_tokens():
    texts, labels = ["free prize", "lunch noon"] * 4, ["spam", "ham"] * 4
    found = summarize_fit(db.TextNB().fit(texts, labels), texts, labels)
    assert found.tokens["spam"][0][0] in ("free", "prize") and found.report.accuracy == 1.0
    linear = summarize_fit(db.LogCountRatio().fit(texts, labels), texts, labels)
    assert linear.report is None and set(linear.tokens) == {"ham", "spam"}


def test_columns_that_nearly_equal_the_target_are_named():
    copy = Y.copy()
    copy[:2] = 1 - copy[:2]
    table = {**TABLE, "after": copy.astype(str)}
    assert summarize_fit(db.NaiveBayes().fit(table, Y), table, Y).copies == {"after": 298 / 300}


def test_the_columns_of_left_out_rows_sum_to_their_likelihood():
    weights = np.ones(len(Y))
    data, codes = MODEL._features(TABLE), Y.astype(np.int32)
    columns = MODEL._left_out_columns(data, codes, weights)
    assert columns.shape == (300, 2, 2)
    assert columns.sum(axis=1) == pytest.approx(MODEL._left_out_likelihood(data, codes, weights))


def test_a_column_of_many_labels_is_not_the_strongest():
    table = {**TABLE, "ticket": rng.integers(0, 150, 300).astype(str)}
    found = summarize_fit(db.NaiveBayes(weights=None).fit(table, Y), table, Y)
    assert max(found.strengths, key=found.strengths.get) == "sky"
