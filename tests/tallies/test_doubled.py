"""Double-double arithmetic has about 106 bits: without them, forgetting an outlier would leave a trace."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.tallies.doubled import Doubled

numbers = st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100)


def exact(doubled):
    return Fraction(float(doubled.high)) + Fraction(float(doubled.low))


def close(doubled, expected, scale):
    return abs(exact(doubled) - expected) <= Fraction(scale) / 2**100


@given(numbers, numbers, numbers)
def test_sums_and_products_have_a_hundred_bits(a, b, c):
    x, y, z = (Doubled.of(np.float64(v)) for v in (a, b, c))
    size = max(abs(Fraction(v)) for v in (a, b, c))
    assert close(x + y + z, Fraction(a) + Fraction(b) + Fraction(c), 3 * size)
    assert exact(Doubled.product(np.float64(a), np.float64(b))) == Fraction(a) * Fraction(b)


@given(numbers, st.floats(1e-50, 1e50))
def test_quotients_have_a_hundred_bits(a, b):
    quotient = Fraction(a) / Fraction(b)
    assert close(Doubled.of(np.float64(a)) / Doubled.of(np.float64(b)), quotient, abs(quotient))


def test_a_small_number_survives_a_large_one():
    large, small = Doubled.of(np.array([1e16])), Doubled.of(np.array([1.0]))
    assert (large + small - large).high.tolist() == [1.0]
    assert Doubled.of(np.array([0.1] * 10)).sum().high == pytest.approx(1.0, abs=0)
