"""`CategoricalNB` stands in for scikit-learn's, and takes labels and unseen states as well."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import UnseenStateError
from tests.models.drop_ins.peer import PeerChecks, X, Y, both


class TestCategoricalNB(PeerChecks):
    name = "CategoricalNB"
    attributes = ("feature_log_prob_", "class_log_prior_", "class_count_", "category_count_")

    def test_more_categories_may_be_declared(self):
        self.agree(*both(self.name, X, Y, min_categories=6))


@pytest.mark.parametrize(("unseen", "expected"), [("smooth", [1 / 4, 1 / 3]), ("ignore", [1.0, 1.0])])
def test_a_state_that_was_not_there_in_fit(unseen, expected):
    model = db.CategoricalNB(unseen=unseen).fit([["sun"], ["sun"], ["rain"]], ["a", "a", "b"])
    assert np.exp(model.evidence([["hail"]]).columns[0, 0]) == pytest.approx(expected)


def test_an_unseen_state_can_be_an_error():
    model = db.CategoricalNB(unseen="error").fit([["sun"], ["rain"]], ["a", "b"])
    with pytest.raises(UnseenStateError, match="hail"):
        model.predict([["hail"]])
