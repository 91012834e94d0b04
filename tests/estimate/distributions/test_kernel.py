"""A column of kernels: the density of the rows that were counted, exact for few and sketched for many."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.estimate.distributions.kernel import nrd0
from tests.estimate.samples import direct

rng = np.random.default_rng(0)


@pytest.mark.parametrize("wrong", ["nrd", 0, -1.0, np.inf, np.nan])
def test_wrong_bandwidths_are_refused(wrong):
    with pytest.raises(ParameterError, match="bandwidth"):
        db.Kernel(bandwidth=wrong)


def test_a_model_of_kernels_is_the_sum_over_its_rows():
    x, y = np.array([1.0, 2.0, 4.0, 7.0, 3.0, 3.5, 9.0]), [0, 0, 0, 0, 1, 1, 1]
    model = db.NaiveBayes({"x0": db.Kernel()}, weights=None).fit(x[:, None], y)
    values = np.array([-50.0, 0.0, 3.3, 1e6])
    expected = [direct(values, part, np.ones(len(part)), nrd0(part, np.ones(len(part)))) for part in (x[:4], x[4:])]
    found = model.evidence(values[:, None]).columns[:, 0].T
    assert found == pytest.approx(np.array(expected), abs=1e-3, rel=1e-12)


def test_a_sketched_model_is_close_to_the_exact_one():
    values = rng.lognormal(size=20_000)
    model = db.NaiveBayes(db.Kernel(), weights=None).fit(values[:, None], np.zeros(20_000, dtype=int))
    points, weights = np.sort(values), np.ones(20_000)
    q = np.quantile(values, np.linspace(0.01, 0.99, 50))
    expected = direct(q, points, weights, nrd0(points, weights))
    assert not model.tally_.parts[0].is_exact
    assert model.evidence(q[:, None]).columns[:, 0, 0] == pytest.approx(expected, abs=5e-3)
