"""The weights of tokens are 10·log10 of P(t | a) / P(t | b), by hand; the rest is weighed by its prior."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError

MODEL = db.TextNB("multinomial", smoothing=1.0).fit(["sun sun sea", "rain sea", "rain rain"], ["dry", "wet", "wet"])
# vocabulary sun, sea, rain; P(sun | dry) = 3/6, P(sun | wet) = 1/7; P(rain | wet) = 4/7, P(rain | dry) = 1/6


def test_decibans_of_tokens_by_hand():
    weights = dict(MODEL.top_tokens("dry", against="wet", many=3))
    assert weights["sun"] == pytest.approx(10 * np.log10((3 / 6) / (1 / 7)))
    assert weights["rain"] == pytest.approx(10 * np.log10((1 / 6) / (4 / 7)))


def test_a_token_counts_as_often_as_it_occurs():
    (token, times, weight), *_ = MODEL.token_weights("sun sun hail", "dry", "wet")
    assert (token, times) == ("sun", 2)
    assert weight == pytest.approx(20 * np.log10((3 / 6) / (1 / 7)))


def test_the_largest_weights_come_first():
    assert [token for token, _ in MODEL.top_tokens("dry", many=2)] == ["sun", "sea"]


def test_a_class_that_is_not_there_and_a_single_class_are_refused():
    with pytest.raises(InputError, match=r"no class 'dri'. Did you mean 'dry'"):
        MODEL.top_tokens("dri")
    with pytest.raises(InputError, match="one class"):
        db.TextNB().fit(["sun"], ["dry"]).top_tokens("dry")
