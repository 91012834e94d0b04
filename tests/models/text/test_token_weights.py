"""What a text model tells of a document: the tokens it knows, and weights that sum to its log-odds."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError

MODEL = db.TextNB("multinomial", smoothing=1.0).fit(["sun sun sea", "rain sea", "rain rain"], ["dry", "wet", "wet"])


def test_known_tokens_are_counted():
    assert MODEL.known_tokens(["sun hail sun", "snow"]).tolist() == [2, 0]


def test_weights_and_prior_sum_to_the_log_odds():
    document = "sun sea rain rain"
    dry, wet = MODEL.predict_proba([document])[0]
    weights = sum(weight for _, _, weight in MODEL.token_weights(document, "dry", "wet"))
    assert weights + 10 * np.log10((1 / 3) / (2 / 3)) == pytest.approx(10 * np.log10(dry / wet))


def test_one_document_is_predicted_as_in_a_list():
    assert MODEL.predict_one("sun") == MODEL.predict(["sun"])[0]
    assert MODEL.predict_proba_one("sun")["dry"] == pytest.approx(MODEL.predict_proba(["sun"])[0, 0])


def test_hashed_tokens_have_no_spelling():
    hashed = db.TextNB(n_bits=4).fit(["sun", "rain"], ["dry", "wet"])
    with pytest.raises(DecibanError, match="n_bits"):
        hashed.token_weights("sun", "dry", "wet")
