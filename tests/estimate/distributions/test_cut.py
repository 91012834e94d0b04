"""Cut: bins at places that are given."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError


def test_bins_are_those_of_the_given_cuts():
    X, y = np.array([[1.0], [2.0], [3.0], [9.0]]), [0, 0, 1, 1]
    model = db.NaiveBayes(db.Cut(at=[2, 5]), weights=None).fit(X, y)
    # a number at a cut is below it; two of two rows of class 0 are in the first bin of three
    assert np.exp(model.evidence([[2.0]]).columns[0, 0]) == pytest.approx([3 / 5, 1 / 5])
    assert model.loo_predict_proba(X, y).shape == (4, 2)


@pytest.mark.parametrize("at", [[2, 1], [1, 1], [np.nan], ["a"], 3])
def test_cuts_rise(at):
    with pytest.raises(ParameterError, match="at is a sequence of numbers"):
        db.Cut(at=at)
