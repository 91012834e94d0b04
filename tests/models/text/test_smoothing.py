"""Discounts: Chen & Goodman's formulas by hand, their bounds, and the two backgrounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError
from deciban.models.text.model import _Occurrences, choose_discounts

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
        auto, named = (db.TextNB(smoothing=smoothing).fit(X, labels) for smoothing in ("by-classes", kind))
        assert np.array_equal(auto.predict_proba(X), named.predict_proba(X))


@pytest.mark.parametrize("smoothing", ["discount", "kneser-ney"])
def test_the_likelihood_is_that_of_a_bag_without_the_occurrence(smoothing):
    """Σ n·log P(c | t) of one token with another background for each occurrence, by the formulas of the module."""
    bag, documents = bag_of(X, Y)
    discounts = choose_discounts(bag, False, documents, smoothing)
    table, taken, total = bag.matrix(False).toarray().astype(float), discounts.taken, 0.0
    weight = documents / table.sum(axis=1)
    rest = [
        w * sum(min(n, d[int(min(n, 3)) - 1]) for n in row if n) for w, row, d in zip(weight, table, taken, strict=True)
    ]

    def kept(n, j):
        return weight[j] * (n - min(n, taken[j][int(min(n, 3)) - 1])) if n > 0 else 0.0

    for j, t in zip(*np.nonzero(table), strict=True):
        left = table.copy()
        left[j, t] -= 1
        if left[:, t].sum() == 0:
            continue  # unknown without this occurrence
        of_mean = (left / np.maximum(left.sum(axis=1, keepdims=True), 1))[:, t].sum() / np.count_nonzero(
            left.sum(axis=1)
        )
        background = (left[:, t] > 0).sum() / (left > 0).sum() if smoothing == "kneser-ney" else of_mean
        joint = [rest[c] * background + kept(left[c, t], c) for c in range(3)]
        total += table[j, t] * np.log(joint[j] / sum(joint))
    found = _Occurrences.of(bag, False, documents, False).best([discounts])[0]
    assert found == pytest.approx(total)


def test_auto_is_the_kind_of_the_larger_likelihood():
    rng = np.random.default_rng(0)
    chosen = set()
    for classes, words in ((2, 40), (4, 400), (6, 60)):
        y = rng.integers(0, classes, 80)
        X = [" ".join(f"w{i}" for i in (rng.integers(0, words, 12) + 7 * c) % words) for c in y]
        bag, counts = bag_of(X, y)
        of = _Occurrences.of(bag, False, counts, False)
        kinds = {kind: of.best([choose_discounts(bag, False, counts, kind)])[0] for kind in ("kneser-ney", "discount")}
        auto = choose_discounts(bag, False, counts)
        assert of.best([auto])[0] == max(kinds.values())
        assert auto.is_kneser == (kinds["kneser-ney"] >= kinds["discount"])
        chosen.add(auto.is_kneser)
        order = rng.permutation(80)
        again = choose_discounts(*bag_of([X[i] for i in order], y[order])[:1], False, counts)
        assert again.is_kneser == auto.is_kneser  # from counts alone
    assert chosen == {True, False}


def test_kneser_and_ney_is_for_draws_of_tokens():
    with pytest.raises(DecibanError, match="kneser-ney"):
        db.TextNB("bernoulli", smoothing="kneser-ney").fit(X, Y)
