"""`ComplementNB` stands in for scikit-learn's, with and without normalized weights."""

import numpy as np
import pytest

from tests.models.drop_ins.peer import PeerChecks, X, Y, both


class TestComplementNB(PeerChecks):
    name = "ComplementNB"
    attributes = ("feature_log_prob_", "class_log_prior_", "class_count_", "feature_count_")

    @pytest.mark.parametrize("norm", [False, True])
    def test_normalized_weights_are_scikit_learns(self, norm):
        self.agree(*both(self.name, X, Y, norm=norm))

    def test_the_counts_of_all_classes_are_scikit_learns(self):
        ours, theirs = both(self.name, X, Y)
        assert np.array_equal(ours.feature_all_, theirs.feature_all_)
