"""The log-count ratio by hand (Wang and Manning, 2012), on which `LogCountRatio` builds its features."""

import numpy as np
import pytest
import scipy.sparse as sp

import deciban as db
from deciban.models.text.ratio_side import log_count_ratio, presence


def test_the_ratio_by_hand():
    # documents with a token: "good" in 2 of class a and 1 of class b, "bad" in 0 and 1; alpha 1
    model = db.TextNB("multinomial").fit(["good good", "good", "good bad"], ["a", "a", "b"])
    ratio = log_count_ratio(model.tally_.parts[0], 0, 1.0)
    p, q = np.array([2 + 1, 0 + 1]), np.array([1 + 1, 1 + 1])
    found = [ratio[model.vocabulary_[token]] for token in ("good", "bad")]
    assert found == pytest.approx(np.log(p / p.sum()) - np.log(q / q.sum()))


def test_presence_counts_a_token_once():
    assert presence(sp.csr_matrix([[0, 3], [1, 1]])).toarray().tolist() == [[0, 1], [1, 1]]
