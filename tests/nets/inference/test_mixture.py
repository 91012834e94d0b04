"""Mixtures of normals: their moments, tails, quantiles, samples and merged forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from deciban.errors import InputError, ParameterError, UnknownNodeError
from deciban.nets import (
    JointDistribution,
    MixedDistribution,
    Mixture,
    MultivariateMixture,
    MultivariateNormal,
    Normal,
)
from deciban.nets.inference.normal import truncated

TWO = Mixture([1, 3], [0.0, 5.0], [1.0, 4.0])


@pytest.mark.parametrize(("low", "high"), [(-np.inf, 2.0), (0.5, np.inf), (-1.0, 3.0), (6.0, 7.0), (-30.0, -29.0)])
def test_a_normal_between_bounds_is_that_of_scipy(low, high):
    log_p, mean, variance = truncated(*map(np.array, (1.0, 2.0, low, high)))
    peer = stats.truncnorm((low - 1) / 2, (high - 1) / 2, 1, 2)
    assert log_p == pytest.approx(_log_mass((low - 1) / 2, (high - 1) / 2), rel=1e-10)
    assert mean == pytest.approx(peer.mean(), rel=1e-9)
    assert variance == pytest.approx(peer.var(), rel=1e-4)


def _log_mass(a, b):
    if a > 0:
        a, b = -b, -a
    return stats.norm.logcdf(b) + np.log1p(-np.exp(stats.norm.logcdf(a) - stats.norm.logcdf(b)))


def test_a_narrow_interval_far_in_the_tail_is_nearly_uniform():
    log_p, mean, variance = truncated(*map(np.array, (0.0, 1.0, 100.0, 100.0 + 1e-7)))
    assert mean - 100.0 == pytest.approx(5e-8, rel=1e-4)
    assert variance == pytest.approx(1e-14 / 12, rel=1e-4)
    assert log_p == pytest.approx(-5000 - 0.5 * np.log(2 * np.pi) + np.log(1e-7), rel=1e-6)


def test_an_interval_that_cannot_occur_has_no_probability_and_no_nan():
    for mean, sd, low, high in [(0.0, 0.0, 1.0, 2.0), (0.0, 1e-300, 1.0, np.inf), (3.0, 1.0, 5.0, 5.0)]:
        log_p, *moments = truncated(*map(np.array, (mean, sd, low, high)))
        assert log_p == -np.inf
        assert np.isfinite(moments).all()


def test_bins_hold_their_upper_end():
    assert truncated(*map(np.array, (2.0, 0.0, 1.0, 2.0)))[0] == 0
    assert truncated(*map(np.array, (1.0, 0.0, 1.0, 2.0)))[0] == -np.inf


def test_moments_and_probabilities_agree_with_integrals():
    def integral(power, low=-np.inf, high=np.inf):
        return integrate.quad(lambda x: x**power * TWO.pdf(x), low, high, epsabs=1e-12, points=None)[0]

    assert integral(0) == pytest.approx(1)
    assert TWO.mean == pytest.approx(integral(1))
    assert TWO.variance == pytest.approx(integral(2) - TWO.mean**2)
    assert TWO.cdf(2.5) == pytest.approx(integral(0, -np.inf, 2.5))
    assert TWO.sf(2.5) == pytest.approx(integral(0, 2.5, np.inf))


def test_tails_have_all_their_digits():
    assert TWO.cdf(-30.0) == pytest.approx(0.25 * stats.norm.cdf(-30), rel=1e-12)
    assert TWO.sf(60.0) == pytest.approx(0.75 * stats.norm.sf(27.5), rel=1e-12)
    assert TWO.cdf(TWO.quantile(1e-200)) == pytest.approx(1e-200, rel=1e-9)


@given(st.floats(1e-6, 1 - 1e-6))
@settings(max_examples=30)
def test_a_quantile_is_the_inverse_of_the_distribution_function(p):
    assert TWO.cdf(TWO.quantile(p)) == pytest.approx(p, rel=1e-9)


def test_an_atom_has_its_whole_probability_at_one_value():
    one = Mixture([0.25, 0.75], [0.0, 3.0], [1.0, 0.0])
    assert one.sf(3.0) == pytest.approx(0.25 * stats.norm.sf(3))
    assert one.cdf(3.0) - one.cdf(np.nextafter(3.0, 0)) == pytest.approx(0.75)
    assert one.pdf(3.0) == np.inf
    assert one.pdf(2.0) == pytest.approx(0.25 * stats.norm.pdf(2))
    assert one.quantile(0.5) == 3.0
    assert one.sample(5, random_state=0).tolist().count(3.0) >= 1


def test_components_between_bounds_are_truncated_normals():
    one = Mixture([0.5, 0.5], [0.0, 10.0], [1.0, 4.0], lower=[1.0, -np.inf], upper=[np.inf, 9.0])
    left, right = stats.truncnorm(1, np.inf), stats.truncnorm(-np.inf, -0.5, 10, 2)
    for x in (1.5, 4.0, 8.5):
        assert one.pdf(x) == pytest.approx((left.pdf(x) + right.pdf(x)) / 2)
        assert one.cdf(x) == pytest.approx((left.cdf(x) + right.cdf(x)) / 2)
        assert one.sf(x) == pytest.approx((left.sf(x) + right.sf(x)) / 2)
    assert one.mean == pytest.approx((left.mean() + right.mean()) / 2)
    assert one.cdf(one.quantile(0.3)) == pytest.approx(0.3)
    drawn = one.sample(20_000, random_state=0)
    assert drawn.mean() == pytest.approx(one.mean, abs=5 * one.sd / 141)
    assert stats.kstest(drawn, one.cdf).pvalue > 1e-3


def test_draws_far_in_a_tail_stay_between_the_bounds():
    one = Mixture([1.0], [0.0], [1.0], lower=[50.0], upper=[51.0])
    drawn = one.sample(1000, random_state=1)
    assert ((drawn >= 50) & (drawn <= 51)).all()
    assert drawn.mean() == pytest.approx(one.mean, abs=5 * one.sd / 31)


def test_samples_follow_the_distribution():
    assert stats.kstest(TWO.sample(20_000, random_state=0), TWO.cdf).pvalue > 1e-3


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_merging_keeps_mean_and_variance_and_its_bound_holds(seed, most):
    rng = np.random.default_rng(seed)
    full = Mixture(rng.random(40), rng.normal(0, 5, 40), rng.gamma(1, 1, 40) + 0.05)
    merged = full.merged(most)
    assert len(merged.weights) == most
    assert merged.mean == pytest.approx(full.mean, abs=1e-9)
    assert merged.variance == pytest.approx(full.variance, rel=1e-9)
    x = np.linspace(-40, 40, 4001)
    p, q = full.pdf(x), merged.pdf(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = np.where(p > 0, p * np.log(p / q), 0.0).sum() * (x[1] - x[0])
    assert divergence <= merged.divergence + 1e-6
    assert np.abs(full.cdf(x) - merged.cdf(x)).max() <= np.sqrt(merged.divergence / 2) + 1e-9


def test_the_bound_counts_that_truncated_components_become_normal():
    full = Mixture([1, 1], [0.0, 0.0], [1.0, 1.0], lower=[0.0, 1.0], upper=[1.0, np.inf])
    merged = full.merged(1)
    x = np.linspace(0, 8, 8001)[1:]
    divergence = (full.pdf(x) * np.log(full.pdf(x) / merged.pdf(x))).sum() * (x[1] - x[0])
    assert divergence <= merged.divergence + 1e-3
    assert merged.mean == pytest.approx(full.mean)


def test_equal_atoms_are_merged_first_and_cost_nothing():
    merged = Mixture([1, 1, 2], [0.0, 0.0, 7.0], [0.0, 0.0, 0.0]).merged(2)
    assert merged == Mixture([0.5, 0.5], [0.0, 7.0], [0.0, 0.0])
    assert merged.divergence == 0


def test_a_mixture_of_one_component_is_a_normal():
    one, normal = Mixture([1.0], [2.0], [9.0]), Normal(2.0, 9.0)
    x = np.array([-20.0, 1.0, 2.0, 30.0])
    for function in ("pdf", "cdf", "sf"):
        assert getattr(one, function)(x) == pytest.approx(getattr(normal, function)(x), rel=1e-12)
    assert one.quantile(0.9) == pytest.approx(normal.quantile(0.9))
    assert one.interval() == pytest.approx(normal.interval())
    assert normal.sample(10_000, random_state=0).std() == pytest.approx(3, abs=0.1)
    assert one.components == ((1.0, normal),)


def test_numbers_that_make_no_mixture_are_refused():
    for weights, means, variances in [([], [], []), ([1], [np.nan], [1]), ([-1, 2], [0, 0], [1, 1]), ([1], [0], [-1])]:
        with pytest.raises(InputError):
            Mixture(weights, means, variances)
    with pytest.raises(InputError, match="as many"):
        Mixture([1], [0, 1], [1, 1])
    with pytest.raises(InputError, match="no probability"):
        Mixture([1], [0], [0], lower=[1])
    with pytest.raises(ParameterError, match="between 0 and 1"):
        TWO.quantile(1.5)


def test_a_mixture_is_drawn_with_its_atoms():
    svg = Mixture([0.25, 0.75], [0.0, 3.0], [1.0, 0.0]).to_svg()
    assert "polyline" in svg
    assert "whisker" in svg
    assert "nan" not in svg
    assert "nan" not in Mixture([1.0], [3.0], [0.0]).to_svg()


def test_a_normal_is_drawn_too():
    assert "polyline" in Normal(2.0, 9.0)._repr_html_()
    assert "whisker" in Normal(2.0, 0.0).to_svg()
    assert "nan" not in Normal(0.0, 0.0).to_svg() + Normal(1e6, 1e-6).to_svg()


def test_the_frame_of_a_mixture_has_a_row_for_each_component():
    assert TWO.to_frame()["sd"].tolist() == [1, 2]


NORMALS = [
    MultivariateNormal(["x", "y"], [0, 1], [[1, 0.5], [0.5, 2]]),
    MultivariateNormal(["x", "y"], [3, 3], np.eye(2)),
]
BOTH = MultivariateMixture([0.25, 0.75], NORMALS)


def test_the_moments_of_a_mixture_of_several_variables_agree_with_its_samples():
    drawn = BOTH.sample(100_000, random_state=0)
    rows = np.column_stack([drawn["x"], drawn["y"]])
    assert rows.mean(axis=0) == pytest.approx(BOTH.mean, abs=0.02)
    assert np.cov(rows.T) == pytest.approx(BOTH.covariance, abs=0.05)
    assert BOTH["x"] == Mixture([0.25, 0.75], [0, 3], [1, 1])
    assert BOTH.marginal(["y"]).nodes == ("y",)
    with pytest.raises(UnknownNodeError):
        BOTH["z"]


def test_a_joint_distribution_of_both_kinds_has_all_marginals():
    table = JointDistribution(["a", "b"], [("n", "y"), (0, 1)], [[0.1, 0.2], [0.3, 0.4]])
    one = {states: MultivariateMixture([1], [NORMALS[0 if states[0] == "n" else 1]]) for states in table}
    both = MixedDistribution(table, one)
    assert both.marginal("x").mean == pytest.approx(0.7 * 3)
    assert both.marginal(["b", "y"])[(0,)]["y"].mean == pytest.approx((0.1 * 1 + 0.3 * 3) / 0.4)
    assert both.marginal("a")["y"] == pytest.approx(0.7)
    assert both.marginal(["x", "y"]).covariance.shape == (2, 2)
    with pytest.raises(UnknownNodeError):
        both.marginal("q")
    assert ("n", 7) not in dict(both)
