"""Choosing columns by name or by what they say."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError, UnfittedError

TABLE = {"sky": ["sun", "sun", "rain", "rain"], "moon": ["new", "full", "new", "full"], "warm": [21.0, 19.0, 3.0, 2.0]}
Y = ["play", "play", "stay", "stay"]


def test_columns_are_chosen_by_name_without_counting_again():
    model = db.NaiveBayes().fit(TABLE, Y)
    small = model.select(columns=["sky", "warm"])
    expected = db.NaiveBayes({"moon": db.Ignore()}).fit(TABLE, Y)
    assert np.array_equal(small.predict_proba(TABLE), expected.predict_proba(TABLE))
    assert np.array_equal(
        model.select(columns=db.correlation_filter(TABLE, Y)).schema_["moon"].distribution, db.Ignore()
    )
    assert model.select(columns="sky").schema_["warm"].reason == "not selected"


def test_what_cannot_be_chosen_is_an_error():
    model = db.NaiveBayes().fit(TABLE, Y)
    with pytest.raises(ColumnMismatchError, match="there is no column 'sun'"):
        model.select(columns=["sun"])
    with pytest.raises(ParameterError, match="pass k or columns"):
        model.select()
    with pytest.raises(ParameterError, match="pass k or columns"):
        model.select(1, columns=["sky"])
    with pytest.raises(UnfittedError):
        db.NaiveBayes().select(columns=["sky"])


def test_a_binned_column_is_measured_by_its_bins():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    table = {"noise": rng.normal(size=200), "good": y + rng.normal(size=200) / 4}
    found = db.NaiveBayes(db.Binned(bins=4)).fit(table, y).associations()  # 200 distinct numbers would tell all classes
    assert found["good"] > 0.4
    assert found["noise"] < 0.05


def test_no_column_says_more_than_the_entropy_of_the_class():
    y = np.repeat([0, 1], 50)
    found = db.NaiveBayes().fit({"x": y * 1e6 + np.random.default_rng(0).normal(size=100)}, y).associations()
    assert found["x"] == pytest.approx(np.log(2))
