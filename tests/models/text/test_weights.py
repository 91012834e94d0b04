"""The weights of tokens are 10·log10 of P(t | a) / P(t | b), by hand; the rest is weighed by its prior."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError, InputError

MODEL = db.TextNB("multinomial", smoothing=1.0).fit(["sun sun sea", "rain sea", "rain rain"], ["dry", "wet", "wet"])
# vocabulary sun, sea, rain; P(sun | dry) = 3/6, P(sun | wet) = 1/7; P(rain | wet) = 4/7, P(rain | dry) = 1/6


def test_decibans_of_tokens_by_hand():
    weights = dict(MODEL.top_tokens("dry", against="wet", n=3))
    assert weights["sun"] == pytest.approx(10 * np.log10((3 / 6) / (1 / 7)))
    assert weights["rain"] == pytest.approx(10 * np.log10((1 / 6) / (4 / 7)))


def test_a_token_counts_as_often_as_it_occurs():
    (token, times, weight), *_ = MODEL.token_weights("sun sun hail", "dry", against="wet")
    assert (token, times) == ("sun", 2)
    assert weight == pytest.approx(20 * np.log10((3 / 6) / (1 / 7)))


def test_the_largest_weights_come_first():
    assert [token for token, _ in MODEL.top_tokens("dry", n=2)] == ["sun", "sea"]


def test_a_class_that_is_not_there_and_a_single_class_are_refused():
    with pytest.raises(InputError, match=r"no class 'dri'. Did you mean 'dry'"):
        MODEL.top_tokens("dri")
    with pytest.raises(InputError, match="one class"):
        db.TextNB().fit(["sun"], ["dry"]).top_tokens("dry")


def test_known_tokens_are_counted():
    assert MODEL.known_tokens(["sun hail sun", "snow"]).tolist() == [2, 0]


def test_weights_and_prior_sum_to_the_log_odds():
    document = "sun sea rain rain"
    dry, wet = MODEL.predict_proba([document])[0]
    weights = sum(weight for _, _, weight in MODEL.token_weights(document, "dry", against="wet"))
    assert weights + 10 * np.log10((1 / 3) / (2 / 3)) == pytest.approx(10 * np.log10(dry / wet))


def test_one_document_is_predicted_as_in_a_list():
    assert MODEL.predict_one("sun") == MODEL.predict(["sun"])[0]
    assert MODEL.predict_proba_one("sun")["dry"] == pytest.approx(MODEL.predict_proba(["sun"])[0, 0])


def test_hashed_tokens_have_no_spelling():
    hashed = db.TextNB(n_bits=4).fit(["sun", "rain"], ["dry", "wet"])
    with pytest.raises(DecibanError, match="n_bits"):
        hashed.token_weights("sun", "dry", against="wet")
