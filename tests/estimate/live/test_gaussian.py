"""A normal column that is updated and scored value by value gives what the table gives, also in between."""

import pytest

import deciban as db
from tests.estimate.live.rows import check_missing_values, check_rows_are_one_fit

KINDS = {"untied": db.Gaussian(), "tied": db.Gaussian(tie="class")}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_rows_learned_one_by_one_are_one_fit(kind):
    check_rows_are_one_fit(kind)
    check_missing_values(kind)


def test_values_far_from_zero_keep_their_variance():
    model = db.NaiveBayes({"x": db.Gaussian(strength=0)}, weights=None).fit({"x": [1e9, 1e9 + 2]}, [0, 0])
    for value in (1e9 + 1, 1e9 + 1):
        model.learn_one({"x": value}, 0)
    part = model.tally_.parts[0]
    assert part.mean[0, 0] == 1e9 + 1 and part.deviation[0, 0] == pytest.approx(2.0)
