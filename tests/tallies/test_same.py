"""Two tallies of the same rows are the same sample in any order of rows; one other value makes them differ."""

import numpy as np

import deciban as db
from deciban.tallies.tally import is_same_sample

rng = np.random.default_rng(0)
TABLE = {"x": rng.normal(size=40), "sky": rng.choice(["sun", "rain"], 40), "y": np.arange(40) % 2}


def tally(rows, **changed):
    return db.tally({name: values[rows] for name, values in (TABLE | changed).items()}, target="y")


def test_the_order_of_rows_does_not_matter():
    order = rng.permutation(40)
    parts = tally(order[:7]) + tally(order[7:])
    assert is_same_sample(parts, tally(slice(None)))


def test_another_value_label_or_column_is_another_sample():
    whole = tally(slice(None))
    other = TABLE["x"].copy()
    other[0] += 1e-3
    assert not is_same_sample(whole, tally(slice(None), x=other))
    assert not is_same_sample(whole, tally(slice(None), sky=TABLE["sky"][::-1]))
    assert not is_same_sample(whole, db.tally({"x": TABLE["x"], "y": TABLE["y"]}, target="y"))
