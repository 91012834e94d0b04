"""Bandwidths of kernel densities are R's: bw.nrd0 and bw.SJ."""

import numpy as np
import pytest

from deciban.estimate.distributions.kernel import nrd0, sheather_jones

rng = np.random.default_rng(0)


def test_nrd0_is_rs():
    # R: bw.nrd0(c(1, 2, 4, 7)): sd 2.645751, quartiles 1.75 and 4.75.
    assert nrd0(np.array([1.0, 2, 4, 7]), np.ones(4)) == pytest.approx(0.9 * 3 / 1.34 * 4**-0.2)
    x = np.sort(rng.gamma(2.0, size=200).round(1))
    values, counts = np.unique(x, return_counts=True)
    rule = 0.9 * min(x.std(ddof=1), np.subtract(*np.quantile(x, [0.75, 0.25])) / 1.34) * 200**-0.2
    assert nrd0(values, counts.astype(float)) == pytest.approx(rule)


def test_nrd0_falls_back_as_r_does():
    assert nrd0(np.array([0.0, 1.0]), np.array([9.0, 1.0])) == pytest.approx(0.9 * np.sqrt(0.1) * 10**-0.2)
    assert nrd0(np.array([-3.0]), np.array([32.0])) == pytest.approx(0.9 * 3 / 2)
    assert nrd0(np.array([0.0]), np.array([32.0])) == pytest.approx(0.9 / 2)


def test_sheather_jones_solves_its_equation_by_the_sums_over_all_pairs():
    x = np.sort(np.concatenate([rng.normal(size=150), rng.normal(4, 0.5, size=100)]))
    n = len(x)
    scale = min(x.std(ddof=1), np.subtract(*np.quantile(x, [0.75, 0.25])) / 1.349)

    def functional(h, polynomial, order):
        d = ((x[:, None] - x) / h) ** 2
        return (np.exp(-d / 2) * polynomial(d)).sum() / (n * (n - 1) * h ** (order + 1) * np.sqrt(2 * np.pi))

    def second(h):
        return functional(h, lambda d: d**2 - 6 * d + 3, 4)

    third = -functional(1.23 * scale * n ** (-1 / 9), lambda d: d**3 - 15 * d**2 + 45 * d - 15, 6)
    alpha = 1.357 * (second(1.24 * scale * n ** (-1 / 7)) / third) ** (1 / 7)
    h = sheather_jones(x, np.ones(n))
    assert h == pytest.approx((1 / (2 * np.sqrt(np.pi) * n * second(alpha * h ** (5 / 7)))) ** 0.2, rel=2e-3)
    assert sheather_jones(x * 1e9, np.ones(n)) == pytest.approx(h * 1e9)
    assert h < nrd0(x, np.ones(n))
