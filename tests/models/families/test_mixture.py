"""Weights of averaged models: the right model gains weight, and the gradient is that of the loss."""

import numpy as np
import pytest

from deciban.log_sums import log_sum_and_shares, log_sum_exp
from deciban.models.families.aode import _Loss, fit_mixture

rng = np.random.default_rng(4)


def test_a_mixture_finds_the_model_that_is_right():
    p = rng.uniform(0.05, 0.95, 2_000)
    y = (rng.random(2_000) < p).astype(np.int64)
    right, wrong = np.log(np.column_stack([1 - p, p])), np.log(np.column_stack([p, 1 - p]))
    prior = np.full((2_000, 2), np.log(0.5))
    theta, temperature = fit_mixture(np.stack([right, wrong], axis=1), np.eye(2), prior, y, np.ones(2_000))
    assert theta[0] - theta[1] > 0.5
    assert 0.4 <= temperature <= 1.2
    fixed = fit_mixture(np.stack([right, wrong], axis=1), np.eye(2), prior, y, np.ones(2_000), 2.0)
    assert fixed[1] == 2.0


def test_the_gradient_of_the_mixture_is_that_of_differences():
    logs = rng.normal(size=(50, 3, 4))
    columns = np.array([[1.0, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    loss = _Loss(logs, columns, np.zeros((50, 4)), rng.integers(0, 4, 50), rng.uniform(0.5, 2.0, 50))
    point = rng.normal(size=5)
    gradient = loss.at(point)[1]
    for i, step in enumerate(np.eye(5) * 1e-5):
        assert gradient[i] == pytest.approx((loss.at(point + step)[0] - loss.at(point - step)[0]) / 2e-5, rel=1e-5)


def test_the_average_of_nothing_is_impossible():
    nothing = np.full((1, 2, 1), -np.inf)
    assert np.isneginf(log_sum_and_shares(nothing, axis=1)[0]).all()
    assert np.isneginf(log_sum_exp(nothing, axis=1)).all()
