"""R-hat and the effective size tell chains that mix from chains that do not."""

import numpy as np
import pytest

from deciban.nets.sampling import convergence


def test_independent_rows_count_fully():
    codes = np.random.default_rng(0).integers(0, 3, (4, 5_000))
    r_hat, size = convergence(codes, 3)
    assert r_hat == pytest.approx(1, abs=0.005)
    assert size == pytest.approx(20_000, rel=0.15)


def test_repeated_rows_count_less():
    codes = np.repeat(np.random.default_rng(0).integers(0, 2, (4, 1_000)), 5, axis=1)
    _, size = convergence(codes, 2)
    assert size == pytest.approx(4_000, rel=0.2)


def test_chains_that_are_stuck_are_told():
    assert convergence(np.array([[0] * 100, [1] * 100]), 2)[0] == np.inf
    assert convergence(np.zeros((2, 100)), 1) == (1.0, 200.0)
    assert np.isnan(convergence(np.zeros((2, 1)), 1)[0])
