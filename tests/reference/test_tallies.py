"""The twins themselves, on numbers that can be checked by hand, exactly."""

from fractions import Fraction
from math import inf, log

import pytest

from tests.reference import tallies as reference


def test_moments_are_exact_with_fractions():
    rows = [[Fraction(1)], [Fraction(2)], [Fraction(4)]]
    assert reference.class_moments(rows, [0, 0, 0], 1) == [[(3, Fraction(7, 3), Fraction(14, 3))]]


def test_merging_moments_is_exact():
    a, b = (2, Fraction(3, 2), Fraction(1, 2)), (1, Fraction(4), 0)
    assert reference.merge_moments(a, b) == (3, Fraction(7, 3), Fraction(14, 3))
    assert reference.merge_moments((0, 0, 0), (0, 0, 0)) == (0, 0, 0)


def test_missing_values_count_nowhere():
    assert reference.count_codes([[None], [1]], [0, 0], 1, [2]) == [[[0, 1]]]
    assert reference.sum_terms([[None], [3]], [0, 0], 1) == [[3]]
    assert reference.score_table([None], [0.5], [[[1.0]]]) == [0.5]


def test_an_impossible_row_has_the_prior():
    assert reference.log_posterior([-inf, -inf], [log(0.25), log(0.75)]) == pytest.approx([log(0.25), log(0.75)])
