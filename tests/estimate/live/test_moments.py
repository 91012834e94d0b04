"""Means and variances, learned value by value, are those of the table, also on the way."""

import pytest

import deciban as db
from tests.estimate.live.rows import check_missing_values, check_rows_are_one_fit

KINDS = {
    "poisson": db.Poisson(),
    "exponential": db.Exponential(),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_rows_learned_one_by_one_are_one_fit(kind):
    check_rows_are_one_fit(kind)
    check_missing_values(kind)
