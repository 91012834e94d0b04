"""Labels and presence, learned value by value, are counted as in a table; a new label may come at any time."""

import deciban as db
from tests.estimate.live.rows import grown


def test_a_new_label_is_a_state_from_then_on():
    model = grown(db.Categorical())
    model.learn_one({"x": 77.0}, 1)
    assert model.predict_one({"x": 77.0}) == 1
    assert 77.0 in model.tally_.parts[0].variable.labels.tolist()
