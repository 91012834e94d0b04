"""P(node | parents) of a Gaussian net is the regression that numpy's least squares gives."""

import numpy as np
import pytest

import deciban as db
from deciban.nets.learning.linear_gaussian import LinearGaussian

rng = np.random.default_rng(0)
A, B = rng.normal(size=(2, 200))
C = 3.0 + 2.0 * A - B + rng.normal(scale=0.5, size=200)


def test_coefficients_are_those_of_least_squares():
    net = db.GaussianNet(db.DAG([("a", "c"), ("b", "c")])).fit({"a": A, "b": B, "c": C})
    found = net.parameters["c"]
    design = np.column_stack([np.ones(200), A, B])
    expected, residual, *_ = np.linalg.lstsq(design, C, rcond=None)
    assert [found.intercept, found.coefficients["a"], found.coefficients["b"]] == pytest.approx(expected)
    assert found.variance == pytest.approx(residual[0] / 200)


def test_it_shows_its_formula():
    shown = LinearGaussian(1.0, {"rain": 2.0, "sun": -0.5}, 0.25)
    assert repr(shown) == "LinearGaussian(1 + 2·rain - 0.5·sun, sd 0.5)"
    assert shown.sd == 0.5
