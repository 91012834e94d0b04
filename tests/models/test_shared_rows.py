"""Calibrating on rows that were learned is warned of: their posteriors are too sure, and so would the model be."""

import warnings

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanWarning
from deciban.models.leave_one_out import warn_of_shared_rows

rng = np.random.default_rng(0)
X, Y = rng.integers(0, 10**6, (400, 1)).astype(str), np.arange(400) % 2


def tally(rows):
    return db.tally({"id": X[rows, 0], "y": Y[rows]}, target="y")


def test_rows_that_bring_no_new_value_were_learned():
    with pytest.warns(DecibanWarning, match="column 'id' has 0 values that the model has not seen"):
        warn_of_shared_rows(tally(slice(0, 300)), tally(slice(100, 200)))


def test_new_rows_and_columns_of_few_values_give_no_warning():
    few = db.tally({"sky": ["sun", "rain"] * 50, "y": [0, 1] * 50}, target="y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_shared_rows(tally(slice(0, 300)), tally(slice(300, 400)))
        warn_of_shared_rows(few, few)
