"""Weights of bootstrap samples: independent rows stay independent."""

import numpy as np
import pytest

import deciban as db
from deciban.nets.data.bootstrap import bootstrap_weights
from deciban.nets.data.samples import NumberSample


def test_weights_sum_to_the_effective_sample_size():
    sample = NumberSample(("x",), np.zeros((1000, 1)))
    for weights in bootstrap_weights(sample, 3, 0):
        assert weights.sum() == pytest.approx((weights**2).sum() ** -1 * weights.sum() ** 2)
        assert 400 < weights.sum() < 600, "about half of the rows: they are drawn with replacement"


def test_sample_weights_multiply():
    sample = NumberSample(("x",), np.zeros((50, 1)), np.full(50, 3.0))
    plain = NumberSample(("x",), np.zeros((50, 1)))
    (own,), (one,) = bootstrap_weights(sample, 1, 7), bootstrap_weights(plain, 1, 7)
    np.testing.assert_allclose(own, 3 * one)


def test_independent_columns_have_no_more_edges_than_in_the_sample():
    rng = np.random.default_rng(5)
    rows = {name: rng.integers(0, 3, 400) for name in "abcdef"}
    assert max(db.search(rows).bootstrap(30).edges.values(), default=0.0) < 0.35
