"""`BernoulliNB` stands in for scikit-learn's; a column that is absent is evidence, too."""

import numpy as np
import pytest

import deciban as db
from tests.models.drop_ins.peer import PeerChecks, X, Y, both


class TestBernoulliNB(PeerChecks):
    name = "BernoulliNB"
    attributes = ("feature_log_prob_", "class_log_prior_", "class_count_", "feature_count_")

    @pytest.mark.parametrize("binarize", [0.0, 1.5])
    def test_the_threshold_is_scikit_learns(self, binarize):
        self.agree(*both(self.name, X, Y, binarize=binarize))


def test_absence_is_evidence():
    model = db.BernoulliNB().fit([[1], [1], [0]], ["a", "a", "b"])
    # P(absent | a) = 1/4, P(absent | b) = 2/3
    assert np.exp(model.evidence([[0]]).columns[0, 0]) == pytest.approx([1 / 4, 2 / 3])
