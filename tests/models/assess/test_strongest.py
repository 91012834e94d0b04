"""The strongest evidence: by hand for two classes, and against all others for more."""

import numpy as np
import pytest

import deciban as db
from deciban.models.assess import strongest_values
from tests.models.assess.tables import DAYS


@pytest.fixture(scope="module")
def model():
    return db.NaiveBayes(weights=None).fit(DAYS, "play")


def test_two_classes_by_hand(model):
    """P(overcast | yes) = (4 + 1)/(9 + 3), P(overcast | no) = (0 + 1)/(5 + 3): 10·log10 of 10/3."""
    found = strongest_values(model)
    first = found["yes"][0]
    assert (first.name, first.value, first.rows) == ("outlook", "overcast", 4)
    assert first.weight_db == pytest.approx(10 * np.log10((5 / 12) / (1 / 8)))
    assert all(value.weight_db > 0 for values in found.values() for value in values)


def test_more_classes_are_compared_with_all_others():
    X, y = {"x": list("aabbcc")}, [0, 0, 1, 1, 2, 2]
    model = db.NaiveBayes(weights=None).fit(X, y)
    found = strongest_values(model)[0][0]
    assert found.value == "a" and found.weight_db == pytest.approx(10 * np.log10((3 / 5) / (1 / 5)))


def test_rare_values_are_left_out():
    X, y = {"x": ["rare", *["a", "b"] * 100]}, [0, *[0, 1] * 100]
    found = strongest_values(db.NaiveBayes(weights=None).fit(X, y))
    assert all(value.value != "rare" for values in found.values() for value in values)


def test_impossible_values_have_finite_ranks():
    model = db.NaiveBayes(smoothing=db.MLE(), weights=None).fit({"x": list("aabb")}, [0, 0, 1, 1])
    assert strongest_values(model)[0][0].weight_db == np.inf
    assert strongest_values(db.NaiveBayes().fit({"x": list("aabb")}, [0] * 4)) == {0: []}
