"""Moments join and part as if the rows had been together, and lose nothing to large means."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import _core
from deciban.errors import NegativeCountError, PrecisionError
from deciban.nets.learning.linear_gaussian import CrossMoments, moments_of_families

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


def products(columns, weights, pairs):
    starts = np.searchsorted([i for i, _ in pairs], np.arange(len(columns) + 1))
    return _core.cross_sums(columns, np.zeros(len(columns)), starts, np.array([j for _, j in pairs], "i4"), weights)


PAIRS = [(0, 0), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3)]


@pytest.mark.parametrize("rows", [1, 9, 300])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("scales", [[1.0], [1.0, 1e9], [1e-100, 1e-9, 1.0, 1e12]])
def test_products_are_summed_to_99_bits(each_instruction_set, rows, is_weighted, scales):
    rng = np.random.default_rng(rows)
    columns = rng.normal(size=(3, rows)) * rng.choice(scales, size=(3, rows))
    weights = rng.random(rows) if is_weighted else None
    factors = [[*map(Fraction, column)] for column in [*columns.tolist(), [1.0] * rows]]
    counts = [Fraction(w) for w in ([1.0] * rows if weights is None else weights.tolist())]
    size = [sum(w * x * x for w, x in zip(counts, column, strict=True)) for column in factors]
    for (i, j), high, low in zip(PAIRS, *products(columns, weights, PAIRS).tolist(), strict=True):
        exact = sum(w * x * y for w, x, y in zip(counts, factors[i], factors[j], strict=True))
        # By Cauchy and Schwarz no sum of products is larger than this.
        assert (Fraction(high) + Fraction(low) - exact) ** 2 <= size[i] * size[j] * Fraction(2) ** -198


def test_sums_of_products_do_not_depend_on_threads(any_threads):
    rng = np.random.default_rng(1)
    columns, weights = rng.normal(size=(3, 100_001)), rng.random(100_001)
    for counts in (None, weights):
        any_threads(1)
        alone = products(columns, counts, PAIRS)
        any_threads(2)
        assert products(columns, counts, PAIRS).tobytes() == alone.tobytes()


def test_ranges_of_columns():
    columns = np.random.default_rng(2).normal(size=(4, 50_003))
    columns[1, -1], columns[2, 7] = np.nan, np.inf
    low, high = _core.column_ranges(columns)
    np.testing.assert_array_equal(low, [columns[0].min(), np.nan, np.nan, columns[3].min()])
    np.testing.assert_array_equal(high, [columns[0].max(), np.nan, np.nan, columns[3].max()])


def test_families_with_missing_values_are_counted_apart():
    values = np.random.default_rng(3).normal((0, 1e6, 0, 5), size=(500, 4))
    values[::5, 2] = np.nan
    weights = np.tile([1.0, 0.0, 2.5, 0.5], 125)
    families = [(0, 1, 3), (1, 0), (2,), (3, 2)]
    for family, found in zip(families, moments_of_families(values, weights, families), strict=True):
        expected = CrossMoments.of(values[:, family], weights)
        assert found.weight == expected.weight
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-15)
        np.testing.assert_allclose(found.cross, expected.cross, rtol=1e-12)
        known = ~np.isnan(values[:, family]).any(axis=1)
        exact = np.cov(values[known][:, family].T, aweights=weights[known], ddof=0) * found.weight
        np.testing.assert_allclose(found.cross, np.atleast_2d(exact), rtol=1e-8)


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
