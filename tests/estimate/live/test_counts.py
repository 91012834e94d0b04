"""Labels and presence, learned value by value, are counted as in a table; a new label may come at any time."""

import pytest

import deciban as db
from tests.estimate.live.rows import check_missing_values, check_rows_are_one_fit, grown

KINDS = {"categorical": db.Categorical(), "bernoulli": db.Bernoulli(threshold=2)}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_rows_learned_one_by_one_are_one_fit(kind):
    check_rows_are_one_fit(kind)
    check_missing_values(kind)


def test_a_new_label_is_a_state_from_then_on():
    model = grown(db.Categorical())
    model.learn_one({"x": 77.0}, 1)
    assert model.predict_one({"x": 77.0}) == 1
    assert 77.0 in model.tally_.parts[0].variable.labels.tolist()
