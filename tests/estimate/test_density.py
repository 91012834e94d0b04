"""A kernel density is the sum over all points, however it is computed."""

import numpy as np
import pytest

from deciban.estimate.distributions.kernel import KernelDensity, nrd0, sheather_jones
from tests.estimate.samples import direct

rng = np.random.default_rng(0)
SHAPES = {
    "normal": rng.normal(size=2000),
    "clusters": np.concatenate([rng.normal(c, 0.1, 300) for c in (-5, 0, 0.9, 30)]),
    "heavy": rng.standard_cauchy(1500),
    "skewed": rng.lognormal(0, 3, 1500),
    "few": np.array([0.0, 1.0, 5.0, 5.5]),
    "ties": rng.poisson(3, 1000).astype(float),
    "small": rng.normal(size=500) * 1e-9,
    "far": rng.normal(size=500) + 1e9,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rule", [nrd0, sheather_jones, lambda x, w: 0.01])
def test_a_kernel_density_is_the_direct_sum(shape, rule):
    points, counts = np.unique(SHAPES[shape], return_counts=True)
    weights = counts * rng.uniform(0.5, 2, len(counts))
    h = rule(points, weights)
    density = KernelDensity(points, weights, h)
    near = rng.choice(points, 3000) + h * rng.normal(size=3000) * 4
    values = np.concatenate([near, np.linspace(points[0] - 30 * h, points[-1] + 30 * h, 3000), points])
    expected = direct(values, points, weights, h)
    assert np.abs(density.log_density(values) - expected).max() <= 1e-3
    assert density.exact_log_density(values) == pytest.approx(expected, abs=1e-9, rel=1e-9)
