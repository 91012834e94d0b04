"""The readable columns of single rows, by hand."""

import math
from fractions import Fraction

import pytest

from tests.reference import rows

HELD = [[1.0, 2.0, 3.0, 3.0], [7.0, 8.0]]


def test_states_of_both_classes():
    held = [["sun", "sun", "rain"], ["rain"]]
    assert rows.state_probabilities(held, "sun", ["rain", "sun"], Fraction(1)) == [Fraction(3, 5), Fraction(1, 3)]


def test_a_normal_column_without_a_prior():
    # Means 2 and 4, variances 1 and 1.
    logs = rows.normal_logs([[1.0, 3.0], [3.0, 5.0]], 2.0)
    assert logs == pytest.approx([-math.log(2 * math.pi) / 2, -math.log(2 * math.pi) / 2 - 2.0])


def test_cuts():
    assert rows.cuts_by_width(HELD, 2) == [4.5]
    assert rows.cuts_by_frequency(HELD, 3) == [2.5, 5.0]
    assert rows.cuts_by_description([[1.0] * 9, [2.0] * 9], 1) == [1.5]
    assert rows.cuts_by_frequency([[1.0], []], 3) == rows.cuts_by_width([[1.0], []], 3) == []


def test_a_number_at_a_cut_is_below_it():
    assert rows.bin_probabilities(HELD, 3.0, [3.0], Fraction(1)) == [Fraction(5, 6), Fraction(1, 4)]


def test_a_column_of_weight_0_makes_no_class_impossible():
    assert rows.posterior([0.5, 0.5], [[-math.inf, 0.0], [0.0, 0.0]], [0.0, 1.0]) == [0.5, 0.5]
