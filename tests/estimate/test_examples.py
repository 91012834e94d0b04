"""The values that a nomogram shows are values that occur, with the rows that they stand for."""

import numpy as np
import pytest

import deciban as db
from deciban.estimate.distributions.binned import bins_of
from deciban.estimate.numeric import across, quantiles_of
from deciban.estimate.values import short_number, states_of
from deciban.tallies import Moments
from tests.estimate.samples import counts_of


def test_states_that_never_occurred_are_not_shown():
    part = db.tally({"sky": ["sun", "sun", "rain"], "y": [0, 1, 1]}, target="y").parts[0]
    assert [(one.text, one.rows) for one in states_of(part)] == [("rain", 1), ("sun", 2)]


def test_bins_are_written_as_ranges_and_empty_ones_left_out():
    shown = bins_of(np.array([1.0, 2.5]), np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 0.0]]))
    assert [(one.text, one.rows) for one in shown] == [("≤ 1", 2.0), ("> 2.5", 2.0)]
    assert shown[0].value == 1.0 and shown[1].value > 2.5
    assert [one.text for one in bins_of(np.array([]), np.array([[3.0]]))] == ["any"]


def test_quantiles_are_values_of_the_column():
    shown = quantiles_of(counts_of(range(100), [0] * 100, 1))
    assert [one.value for one in shown] == [1.0, 24.0, 49.0, 74.0, 97.0]


def test_numbers_lie_around_the_mean():
    part = Moments.of(np.array([[100.0]]), np.array([[10.0]]), np.array([[400.0]]))  # standard deviation 2
    assert [one.value for one in across(part)] == pytest.approx([7.0, 8.5, 10.0, 11.5, 13.0], abs=0.5)
    assert [one.value for one in across(part, least_step=1.0)] == [7.0, 8.0, 10.0, 12.0, 13.0]


def test_numbers_are_short():
    assert [short_number(x) for x in (0.123456, 23.0, 1234567.8)] == ["0.1235", "23", "1,234,568"]
