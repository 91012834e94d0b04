"""What every column that learns row by row must do: count as a table is counted, and ignore missing values."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import MissingValueError

VALUES = np.array([1.0, 2.0, 5.0, 3.0, 8.0, 4.0, 1.0, 9.0])
Y = np.arange(8) % 2


def grown(kind, rows=8):
    """A model that was fitted on four rows and learned the others one by one."""
    model = db.NaiveBayes({"x": kind}, weights=None).fit({"x": VALUES[:4]}, Y[:4])
    for value, label in zip(VALUES[4:rows], Y[4:rows], strict=True):
        model.learn_one({"x": value}, label)
    return model


def check_rows_are_one_fit(kind):
    """After each row, the model is that of a fit on all rows so far, for single rows and for a table."""
    for rows in range(5, 9):
        whole = db.NaiveBayes({"x": kind}, weights=None).fit({"x": VALUES[:rows]}, Y[:rows])
        model = grown(kind, rows)
        expected = whole.predict_proba({"x": VALUES})
        found = [[model.predict_proba_one({"x": value})[label] for label in (0, 1)] for value in VALUES]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        np.testing.assert_allclose(model.predict_proba({"x": VALUES}), expected, rtol=1e-9)


def check_missing_values(kind):
    """A row with a missing value is counted, and changes nothing of the column; or it is an error."""
    model = grown(kind)
    before = model.evidence({"x": VALUES}).columns
    model.learn_one({"x": None}, 0)
    assert model.tally_.total == 9
    np.testing.assert_allclose(model.evidence({"x": VALUES}).columns, before, rtol=1e-12)
    strict = db.NaiveBayes({"x": kind}, missing="error", weights=None).fit({"x": VALUES}, Y)
    with pytest.raises(MissingValueError):
        strict.learn_one({"x": None}, 0)
    assert strict.tally_.total == 8
