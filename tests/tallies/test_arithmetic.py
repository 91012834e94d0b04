"""Counts are taken out exactly, rounding never makes one negative, and a truly negative one is named."""

import numpy as np
import pytest

from deciban.errors import NegativeCountError
from deciban.read import Variable
from deciban.tallies import Counts
from deciban.tallies.tally import place_columns, place_rows, subtract


def test_rows_and_columns_are_put_in_their_place():
    table = np.array([[1, 2], [3, 4]])
    assert place_rows(table, np.array([2, 0]), 3).tolist() == [[3, 4], [0, 0], [1, 2]]
    assert place_columns(table, np.array([1, 2]), 3).tolist() == [[0, 1, 2], [0, 3, 4]]


def test_large_integers_are_exact():
    assert subtract(np.array([2**62 + 1]), np.array([2**62]), str).tolist() == [1]


def test_what_rounding_made_negative_is_zero():
    assert subtract(np.array([0.3]), np.array([0.1 + 0.2]), str).tolist() == [0.0]


def test_a_negative_count_names_its_cell_and_class():
    with pytest.raises(NegativeCountError, match=r"the count of sky in class 1 would be -2"):
        subtract(np.array([[3], [1]]), np.array([[1], [3]]), lambda at: "sky", class_axis=0)
    sky = Variable.of("sky", ["sun"])
    with pytest.raises(NegativeCountError, match="in class 'yes' would be -2"):
        Counts(sky, np.array([[3], [1]])).without(Counts(sky, np.array([[1], [3]])), np.array(["no", "yes"]))
