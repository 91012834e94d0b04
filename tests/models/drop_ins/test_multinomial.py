"""`MultinomialNB` stands in for scikit-learn's, on dense and sparse counts."""

import numpy as np
import pytest
import scipy.sparse as sp

import deciban as db
from tests.models.drop_ins.peer import PeerChecks, X, Y, both


class TestMultinomialNB(PeerChecks):
    name = "MultinomialNB"
    attributes = ("feature_log_prob_", "class_log_prior_", "class_count_", "feature_count_")

    def test_alpha_may_differ_between_columns(self):
        self.agree(*both(self.name, X, Y, alpha=[1.0, 2.0, 0.5, 1.0, 3.0]))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_sparse_counts_are_the_same_counts(kind):
    dense, sparse = (db.MultinomialNB().fit(rows, Y) for rows in (X, kind(X)))
    assert dense.tally_ == sparse.tally_
    assert np.array_equal(dense.predict_proba(X), sparse.predict_proba(kind(X)))
