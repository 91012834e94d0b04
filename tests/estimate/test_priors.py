"""Class priors in every form that a user may pass them, and what is wrong with one that makes no sense."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.estimate.smoothing import settle_priors

COUNTS, LABELS = np.array([1, 3]), ["no", "yes"]


@pytest.mark.parametrize(
    ("priors", "expected"),
    [
        ("empirical", [1 / 4, 3 / 4]),
        ("uniform", [1 / 2, 1 / 2]),
        (db.Laplace(), [2 / 6, 4 / 6]),
        ([0.1, 0.9], [0.1, 0.9]),
        ({"yes": 0.9, "no": 0.1}, [0.1, 0.9]),
        ({np.str_("yes"): 1.0, "no": 0.0}, [0.0, 1.0]),
    ],
    ids=str,
)
def test_priors(priors, expected):
    assert np.exp(settle_priors(priors, COUNTS, LABELS)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("priors", "says"),
    [
        ("uniforn", "Did you mean 'uniform'"),
        ([0.5, 0.6], "sum of the priors should be 1. It is 1.1"),
        ([1.5, -0.5], "non-negative"),
        ([1.0], "must match number of classes"),
        ({"no": 0.5, "yess": 0.5}, "Did you mean 'yes'"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(priors, says):
    with pytest.raises(ParameterError, match=says):
        settle_priors(priors, COUNTS, LABELS)
