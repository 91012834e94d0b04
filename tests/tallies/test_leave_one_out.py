"""Taking single rows out of moments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deciban.tallies import Moments, distinct_rows, moments_without_each, weight_left

NUMBERS = st.one_of(st.sampled_from([0.0, 0.1, -2.5]), st.floats(-1e4, 1e4).map(lambda x: round(x, 3)))


@given(
    x=hnp.arrays(np.float64, st.integers(1, 12), elements=st.one_of(st.just(np.nan), st.floats(-1e12, 1e12), NUMBERS)),
    seed=st.integers(0, 20),
)
def test_moments_lose_a_row_without_losing_digits(x, seed):
    """Also one that is far from all others, which a plain subtraction would not survive."""
    rng = np.random.default_rng(seed)
    y, w = rng.integers(0, 2, len(x)).astype(np.int32), rng.choice([0.5, 1.0, 2.0], len(x))

    def summed(rows):
        held = [(x[r], w[r]) for r in (rows & (y == j) & ~np.isnan(x) for j in (0, 1))]
        n = [c.sum() for _, c in held]
        mean = [c @ v / c.sum() if len(v) else 0.0 for v, c in held]
        deviation = [c @ (v - m) ** 2 if len(v) else 0.0 for (v, c), m in zip(held, mean, strict=True)]
        return np.array([n, mean, deviation])

    n, mean, deviation = summed(np.full(len(x), True))
    left = moments_without_each(Moments.of(n[:, None], mean[:, None], deviation[:, None]), x, y, w)
    for i in range(len(x)):
        others = np.arange(len(x)) != i
        n, mean, deviation = summed(others)
        scale = np.nanmax(np.abs(x[others]), initial=0.0)
        assert left.weight[:, i] == pytest.approx(n)
        assert left.mean[:, i] == pytest.approx(mean, rel=1e-9, abs=1e-9 * scale)
        assert left.deviation[:, i] == pytest.approx(deviation, rel=1e-9, abs=1e-12 * scale**2)


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 2), st.sampled_from([0.5, 1.0])), max_size=12))
def test_distinct_rows_are_the_rows_again(rows):
    x, y, w = (np.array([row[i] for row in rows]) for i in range(3))
    (values, classes, weights), places = distinct_rows(x, y, w)
    assert len(values) == len(set(rows))
    assert list(zip(values[places], classes[places], weights[places], strict=True)) == rows


def test_rounding_leaves_nothing():
    assert weight_left(np.array([0.1 + 0.2, 5.0]), np.array([0.3, 2.0])).tolist() == [0.0, 3.0]
