"""Any distribution learns row by row what it learns from a table, also where it counts many rows at once."""

import pytest

import deciban as db
from deciban.errors import InputError
from tests.estimate.live.rows import check_missing_values, check_rows_are_one_fit, grown

KINDS = {
    "log-normal": db.LogNormal(),
    "negative binomial": db.NegativeBinomial(),
    "categorical": db.Categorical(),
    "bernoulli": db.Bernoulli(threshold=2),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_rows_learned_one_by_one_are_one_fit(kind):
    check_rows_are_one_fit(kind)
    check_missing_values(kind)


def test_a_value_that_the_distribution_refuses_changes_nothing():
    model = grown(db.NegativeBinomial())
    with pytest.raises(InputError, match="'x'"):
        model.learn_one({"x": 0.5}, 0)
    assert model.tally_.total == 8
