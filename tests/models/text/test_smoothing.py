"""Discounts: Chen & Goodman's formulas by hand, their bounds, and the two backgrounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError
from deciban.models.text.smoothing import choose_discounts

X = ["aa aa bb cc dd", "aa bb ee ee", "cc cc ff", "gg aa"]
Y = ["p", "p", "q", "r"]


def bag_of(X, y):
    tally = db.TextNB("multinomial").partial_fit(X, y).tally_  # fit refuses documents without tokens
    return tally.parts[0], tally.class_counts


def test_three_discounts_are_chen_and_goodmans():
    # p has cc and dd once, bb and ee twice, aa three times.
    bag, counts = bag_of(X, Y)
    found = choose_discounts(bag, False, counts).taken[0]
    y = 2.5 / (2.5 + 2 * 2.5)
    d2 = max(y, 2 - 3 * y * 1.5 / 2.5)
    d3 = max(d2, 3 - 4 * y * 0.5 / 1.5)
    assert found == pytest.approx([y, d2, d3]) or found == pytest.approx([y, y, y])


@given(st.lists(st.tuples(st.text("abc ", max_size=12), st.sampled_from("pqr")), min_size=2, max_size=8))
def test_discounts_are_less_than_the_counts(rows):
    bag, counts = bag_of([text.replace(" ", "x ") for text, _ in rows], [label for _, label in rows])
    taken = choose_discounts(bag, False, counts).taken
    assert np.all(taken > 0)
    assert np.all(taken < [1, 2, 3])


@pytest.mark.parametrize("kind", ["discount", "kneser-ney"])
@pytest.mark.parametrize("event", ["multinomial", "boolean"])
def test_probabilities_of_the_tokens_sum_to_one(kind, event):
    model = db.TextNB(event, smoothing=kind, priors="uniform").fit(X, Y)
    tokens = list(model.vocabulary_)
    sums = np.exp(model.predict_joint_log_proba(tokens)).sum(axis=0) * 3
    assert sums == pytest.approx(1.0)


def test_two_classes_are_smoothed_by_kneser_and_ney_and_more_by_their_mean():
    for labels, kind in ((["p", "p", "q", "q"], "kneser-ney"), (Y, "discount")):
        auto, named = (db.TextNB(smoothing=smoothing).fit(X, labels) for smoothing in ("auto", kind))
        assert np.array_equal(auto.predict_proba(X), named.predict_proba(X))


def test_kneser_and_ney_is_for_draws_of_tokens():
    with pytest.raises(DecibanError, match="kneser-ney"):
        db.TextNB("bernoulli", smoothing="kneser-ney").fit(X, Y)
