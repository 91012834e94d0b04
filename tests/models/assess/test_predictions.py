"""Scores of a model on its own rows are those of rows it has not learned; other rows are predicted as they are."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import InputError
from deciban.models.assess import named_target, predict_honestly
from tests.models.assess.tables import DAYS


@pytest.fixture(scope="module")
def model():
    return db.NaiveBayes().fit(DAYS, "play")


def test_learned_rows_are_left_out(model):
    found = predict_honestly(model, DAYS, "play")
    assert found.origin == "leave-one-out"
    np.testing.assert_array_equal(found.posterior, model.loo_predict_proba(DAYS, "play"))
    assert found.scores.accuracy == np.mean(found.decided == DAYS["play"])


def test_other_rows_are_predicted_as_they_are(model):
    some = DAYS.head(6)
    found = predict_honestly(model, some, "play")
    assert found.origin == "other"
    np.testing.assert_array_equal(found.posterior, model.predict_proba(some))
    assert found.decided.tolist() == model.predict(some).tolist()


def test_the_rows_may_come_in_another_order(model):
    assert predict_honestly(model, DAYS.iloc[::-1], "play").origin == "leave-one-out"


@pytest.mark.parametrize(
    ("kind", "origin"),
    [(db.TAN(), "leave-one-out"), (db.CategoricalNB(), "learned"), (db.JointBayes(), "leave-one-out")],
)
def test_models_without_leave_one_out_say_so(kind, origin):
    X, y = DAYS.drop(columns="play"), DAYS["play"]
    assert predict_honestly(kind.fit(X, y), X, y).origin == origin


def test_of_a_large_table_some_rows_are_predicted(model, monkeypatch):
    monkeypatch.setattr("deciban.models.fitting._MOST_CELLS", 1)
    monkeypatch.setattr("deciban.models.fitting._FEWEST_ROWS", 5)
    found = predict_honestly(model, DAYS, "play")
    assert found.rows.tolist() == [0, 3, 6, 10, 13] and found.scores.confusion.sum() == 5
    np.testing.assert_array_equal(found.posterior, model.loo_predict_proba(DAYS, "play")[found.rows])


def test_documents_are_held_out_in_parts():
    documents, y = ["win cash now", "see you at noon", "cash prize", "lunch at noon"] * 5, ["spam", "ham"] * 10
    assert predict_honestly(db.TextNB().fit(documents, y), documents, y).origin == "held-out"
    assert predict_honestly(db.LogCountRatio().fit(documents, y), documents, y).origin == "unknown"


def test_decisions_follow_costs_and_rejection():
    """A model that loses much by a wrong yes decides for yes less often, in leave-one-out, too."""
    careful = db.NaiveBayes(loss={"no": {"yes": 20}}).fit(DAYS, "play")
    found = predict_honestly(careful, DAYS, "play")
    expected = np.where(found.posterior[:, 0] * 20 < found.posterior[:, 1], "yes", "no")
    assert found.decided.tolist() == expected.tolist()
    rejecting = predict_honestly(db.NaiveBayes(reject=0.7).fit(DAYS, "play"), DAYS, "play")
    assert [label is None for label in rejecting.decided] == (rejecting.posterior.max(axis=1) < 0.7).tolist()


def test_likelihoods_alone_decide_by_the_ml_rule():
    model = db.NaiveBayes(rule="ml", weights=None).fit(DAYS, "play")
    found = predict_honestly(model, DAYS, "play")
    odds = found.posterior / np.exp(model._prior)
    assert found.decided.tolist() == model.classes_[odds.argmax(axis=1)].tolist()


def test_calibration_is_applied():
    model = db.NaiveBayes().fit(DAYS, "play")
    plain = predict_honestly(model, DAYS, "play").posterior
    model.calibrate(DAYS.drop(columns="play"), DAYS["play"])
    found = predict_honestly(model, DAYS, "play").posterior
    np.testing.assert_allclose(found, model.calibration_.apply(plain))


def test_the_target_is_known_where_it_was_named(model):
    assert named_target(model, None) == "play" and named_target(model, ["a"]) == ["a"]
    unnamed = db.NaiveBayes().fit(DAYS.drop(columns="play"), DAYS["play"])
    with pytest.raises(InputError, match="pass y, one label for each row"):
        named_target(unnamed, None)


def test_a_class_that_was_not_learned_is_an_error(model):
    with pytest.raises(InputError, match="'maybe'"):
        predict_honestly(model, pd.DataFrame({**DAYS.head(2), "play": ["yes", "maybe"]}), "play")
