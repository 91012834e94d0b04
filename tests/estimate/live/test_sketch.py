"""Bins and kernels, learned value by value, are those of the table."""

import pytest

import deciban as db
from tests.estimate.live.rows import check_missing_values, check_rows_are_one_fit, grown

KINDS = {"binned": db.Binned(bins=3), "kernel": db.Kernel()}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_rows_learned_one_by_one_are_one_fit(kind):
    check_rows_are_one_fit(kind)
    check_missing_values(kind)


def test_the_two_zeros_are_one_value():
    model = grown(db.Binned(bins=3))
    model.learn_one({"x": 0.0}, 0).learn_one({"x": -0.0}, 0)
    assert (model.tally_.parts[0].values == 0).sum() == 1
