"""Wang & Manning's log-count ratios, by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

import deciban as db
from deciban.models.text.log_count_ratio import log_count_ratios, presence

X = ["good good film", "good fun", "bad film", "bad no fun", "good film", "bad bad"] * 3
Y = ["pos", "pos", "neg", "neg", "pos", "neg"] * 3


def test_ratios_are_those_of_presence():
    model = db.LogCountRatio(ngram_range=(1, 1)).fit(X, Y)
    bag = model.tally_.parts[0]
    ratios = dict(zip(bag.vocabulary, log_count_ratios(bag, [1], 1.0)[0], strict=True))
    p, q = 9 + 6 + 3 + 0 + 0 + 5, 9 + 3 + 3 + 3 + 0 + 5  # good, film, fun; bad, film, no, fun; and five tokens' alpha
    assert ratios["good"] == pytest.approx(np.log((10 / p) / (1 / q)))


def test_the_ratio_by_hand():
    # documents with a token: "good" in 2 of class a and 1 of class b, "bad" in 0 and 1; alpha 1
    model = db.TextNB("multinomial").fit(["good good", "good", "good bad"], ["a", "a", "b"])
    ratio = log_count_ratios(model.tally_.parts[0], [0], 1.0)[0]
    p, q = np.array([2 + 1, 0 + 1]), np.array([1 + 1, 1 + 1])
    found = [ratio[model.vocabulary_[token]] for token in ("good", "bad")]
    assert found == pytest.approx(np.log(p / p.sum()) - np.log(q / q.sum()))


def test_presence_counts_a_token_once():
    assert presence(sp.csr_matrix([[0, 3], [1, 1]])).toarray().tolist() == [[0, 1], [1, 1]]
