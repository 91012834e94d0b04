"""Drawn columns become a table that a model reads back: labels, numbers and missing values keep their types."""

import numpy as np
import pyarrow as pa
import pytest

from deciban.errors import InputError
from deciban.estimate.drawing import DrawnLabels, drawn_table
from deciban.read import MISSING_LABEL

SKY = np.array(["rain", "sun"], dtype=object)
CODES = np.array([1, -1, 0], dtype=np.int32)


def test_labels_are_dictionaries_and_missing_values_nulls():
    table = drawn_table(["sky", "warm"], [DrawnLabels.of(SKY, CODES), np.array([1.5, np.nan, 2.0])])
    assert table.to_pydict() == {"sky": ["sun", None, "rain"], "warm": [1.5, None, 2.0]}
    assert pa.types.is_dictionary(table.schema.field("sky").type)


def test_numbers_and_booleans_keep_their_type():
    assert DrawnLabels.of(np.array([3, 7], dtype=object), np.array([1, 0])).tolist() == [7, 3]
    assert DrawnLabels.of(np.array([False, True], dtype=object), np.array([1, 0])).dtype == bool
    assert DrawnLabels.of(np.array([3, 7]), CODES).values().tolist() == [7, None, 3]


def test_the_state_of_missing_values_is_missing():
    labels = np.array(["sun", MISSING_LABEL], dtype=object)
    assert DrawnLabels.of(labels, np.array([0, 1])).values().tolist() == ["sun", None]


def test_without_names_there_is_an_array():
    assert drawn_table(None, [np.array([1.0, 2.0]), np.array([3, 4])]).dtype == np.float64
    mixed = drawn_table(None, [DrawnLabels.of(SKY, CODES), np.array([1.0, 2.0, 3.0])])
    assert mixed.tolist() == [["sun", 1.0], [None, 2.0], ["rain", 3.0]]


def test_labels_of_several_types_are_refused():
    with pytest.raises(InputError, match="'sky' are of several types"):
        drawn_table(["sky"], [DrawnLabels(np.array(["a", 1], dtype=object), np.array([0, 1], dtype=np.int32))])
