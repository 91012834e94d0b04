"""A row is learned whole or not at all, and a label that can be none is refused."""

import pytest

import deciban as db
from deciban.errors import DecibanError

TABLE = {"sky": ["sun", "sun", "rain"], "n": [1.0, 2.0, 5.0]}


def model():
    return db.NaiveBayes({"n": db.Gaussian()}).fit(TABLE, ["no", "no", "yes"])


@pytest.mark.parametrize("row", [{"sky": "sun", "n": "five"}, {"sky": "sun", "n": 1.0, "m": 2}, {"sky": [], "n": 1.0}])
def test_a_row_that_cannot_be_read_changes_nothing(row):
    one = model()
    before = one.predict_proba(TABLE)
    with pytest.raises((DecibanError, TypeError)):
        one.learn_one(row, "yes")
    assert one.tally_.total == 3
    assert one.predict_proba(TABLE).tolist() == before.tolist()


@pytest.mark.parametrize("label", [None, float("nan"), []])
def test_what_is_no_label_is_refused(label):
    with pytest.raises(DecibanError):
        model().learn_one({"sky": "sun", "n": 1.0}, label)


def test_a_new_class_may_come_at_any_time():
    one = model().learn_one({"sky": "fog", "n": 3.0}, "maybe")
    assert one.classes_.tolist() == ["maybe", "no", "yes"]
    assert one.predict_proba_one({"sky": "fog", "n": 3.0})["maybe"] > 0


def test_priors_follow_the_rows():
    one = model()
    for _ in range(3):
        one.learn_one({"sky": None, "n": None}, "yes")
    assert one.predict_proba_one({})["yes"] == pytest.approx(4 / 6)
