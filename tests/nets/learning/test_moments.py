"""Moments join and part as if the rows had been together, and lose nothing to large means."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import NegativeCountError, PrecisionError
from deciban.nets.learning.linear_gaussian import CrossMoments

NUMBERS = st.lists(st.tuples(*[st.integers(-1000, 1000)] * 2), min_size=1, max_size=30)


def exact(rows, weights):
    """Means and cross-products as fractions."""
    whole = sum(weights)
    mean = [sum(w * Fraction(row[i]) for row, w in zip(rows, weights, strict=True)) / whole for i in range(2)]
    cross = [
        [sum(w * (row[i] - mean[i]) * (row[j] - mean[j]) for row, w in zip(rows, weights, strict=True)) for j in (0, 1)]
        for i in (0, 1)
    ]
    return np.array(mean, dtype=float), np.array(cross, dtype=float)


@given(NUMBERS, st.sampled_from([0, 10**9]))
def test_moments_are_those_of_fractions(rows, shift):
    rows = [(a + shift, b - shift) for a, b in rows]
    weights = [1 + i % 3 for i in range(len(rows))]
    found = CrossMoments.of(np.array(rows, dtype=float), np.array(weights, dtype=float))
    mean, cross = exact(rows, weights)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(found.cross, cross, rtol=1e-9, atol=1e-6 if shift else 1e-9)


@given(NUMBERS, NUMBERS)
def test_joining_and_parting(one, other):
    a, b = (CrossMoments.of(np.array(rows, dtype=float)) for rows in (one, other))
    whole = CrossMoments.of(np.array(one + other, dtype=float))
    for found, expected in ((a + b, whole), (whole - b, a)):
        assert found.weight == expected.weight
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-9, atol=1e-8)
        np.testing.assert_allclose(found.cross, expected.cross, rtol=1e-8, atol=1e-5)


def test_blocks_are_joined():
    rows = np.random.default_rng(0).standard_normal((20_000, 3))
    found = CrossMoments.of(rows)
    np.testing.assert_allclose(found.cross, np.cov(rows.T, bias=True) * 20_000, rtol=1e-10)
    rows[::7, 1] = np.nan
    whole = rows[~np.isnan(rows[:, 1])]
    np.testing.assert_allclose(CrossMoments.of(rows).cross, np.cov(whole.T, bias=True) * len(whole), rtol=1e-10)


def test_what_was_never_there_cannot_be_taken_out():
    one = CrossMoments.of(np.array([[1.0], [2.0]]))
    with pytest.raises(NegativeCountError, match="never counted"):
        _ = one - CrossMoments.of(np.array([[1.0], [2.0], [3.0]]))
    assert (one - one).weight == 0.0
    assert (one - one) + one == one


@given(NUMBERS, NUMBERS, st.sampled_from([1.0, 0.1]))
def test_outliers_leave_no_trace(near, far, unit):
    near = [*near, (1, -1), (3, 2)]  # what is constant cannot be told from what is lost
    rows = np.array(near, dtype=float) * unit
    outliers = np.array(far, dtype=float) * 1e6
    left = CrossMoments.of(np.vstack([rows, outliers])) - CrossMoments.of(outliers)
    expected = CrossMoments.of(rows)
    sd = np.sqrt(np.diag(expected.cross))
    assert (np.abs(left.mean - expected.mean) <= 1e-9 * sd + 1e-15 * np.abs(expected.mean)).all()
    assert (np.abs(left.cross - expected.cross) <= 1e-9 * np.outer(sd, sd)).all()


def test_lost_digits_are_an_error():
    rows = np.array([[0.1, 1.0], [0.25, 2.0], [0.7, 4.0]])
    outlier = np.array([[1e25, 3.0]])
    with pytest.raises(PrecisionError, match="no longer known"):
        _ = CrossMoments.of(np.vstack([rows, outlier])) - CrossMoments.of(outlier)
