"""The mean weight of evidence of a column is its mutual information with the class."""

from __future__ import annotations

import numpy as np
import pytest

import deciban as db
from deciban.estimate.association import mutual_information
from deciban.explain.evidence import mean_weights
from deciban.units import decibans_from_nats


def test_the_mean_weight_of_a_counted_column_is_its_mutual_information():
    table = np.array([[30, 10], [5, 55]])
    values, y = (np.repeat(np.indices(table.shape)[axis].ravel(), table.ravel()) for axis in (1, 0))
    model = db.NaiveBayes(smoothing=db.MLE(), weights=None).fit({"x": values.astype(str), "same": ["a"] * 100}, y)
    found = mean_weights(model.evidence({"x": values.astype(str), "same": ["a"] * 100}), y.astype(np.int32))
    assert list(found) == ["x", "same"]
    assert found["x"] == pytest.approx(decibans_from_nats(mutual_information(table)))
    assert found["same"] == pytest.approx(0.0, abs=1e-12)


def test_values_that_are_impossible_in_a_class_give_finite_weights():
    model = db.NaiveBayes(smoothing=db.MLE(), weights=None).fit({"x": ["a", "a", "b", "b"]}, [0, 0, 1, 1])
    found = mean_weights(model.evidence({"x": ["a", "b"]}), np.array([0, 1], dtype=np.int32))
    assert found["x"] == pytest.approx(10 * np.log10(2.0))
