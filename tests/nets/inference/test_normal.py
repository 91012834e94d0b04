"""Normal distributions: what is left given others, also where variables determine one another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from deciban.errors import ImpossibleEvidenceError, InputError, ParameterError, UnknownNodeError
from deciban.nets import MultivariateNormal, Normal


def drawn(seed, count):
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((count, count))
    return MultivariateNormal(list("abcdef")[:count], rng.standard_normal(count) * 5, factor @ factor.T + np.eye(count))


@given(st.integers(0, 10_000), st.integers(2, 6), st.data())
def test_conditioning_is_the_textbook_formula(seed, count, data):
    joint = drawn(seed, count)
    seen = data.draw(st.lists(st.integers(0, count - 1), unique=True, max_size=count - 1))
    rest = [place for place in range(count) if place not in seen]
    values = np.random.default_rng(seed + 1).standard_normal(len(seen))
    left = joint.given({joint.nodes[place]: value for place, value in zip(seen, values, strict=True)})
    gain = joint.covariance[np.ix_(rest, seen)] @ np.linalg.inv(joint.covariance[np.ix_(seen, seen)])
    mean = joint.mean[rest] + gain @ (values - joint.mean[seen])
    covariance = joint.covariance[np.ix_(rest, rest)] - gain @ joint.covariance[np.ix_(seen, rest)]
    np.testing.assert_allclose(left.mean[rest], mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(left.covariance[np.ix_(rest, rest)], covariance, rtol=1e-7, atol=1e-8)
    assert left.mean[seen].tolist() == values.tolist()


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_density_is_that_of_scipy(seed, count):
    joint = drawn(seed, count)
    rows = np.random.default_rng(seed + 2).standard_normal((5, count))
    expected = stats.multivariate_normal(joint.mean, joint.covariance).logpdf(rows)
    np.testing.assert_allclose(joint.log_density(rows), expected, rtol=1e-8)


def test_what_is_missing_is_left_out():
    joint = drawn(1, 3)
    rows = np.array([[0.5, np.nan, 1.0], [np.nan, np.nan, np.nan], [0.5, np.nan, 2.0]])
    found = joint.log_density(rows)
    expected = stats.multivariate_normal(joint.mean[[0, 2]], joint.covariance[np.ix_([0, 2], [0, 2])])
    np.testing.assert_allclose(found[[0, 2]], expected.logpdf(rows[[0, 2]][:, [0, 2]]))
    assert found[1] == 0.0


def test_variables_that_determine_one_another():
    twice = MultivariateNormal(["x", "y"], [1, 2], [[1, 2], [2, 4]])
    assert twice.given({"x": 3})["y"] == Normal(6.0, 0.0)
    assert twice.given({"x": 3, "y": 6}).mean.tolist() == [3.0, 6.0]
    with pytest.raises(ImpossibleEvidenceError, match="x=3, y=7 cannot occur together"):
        twice.given({"x": 3, "y": 7})
    assert np.isneginf(twice.log_density(np.array([[3.0, 7.0]]))[0])
    sure = MultivariateNormal(["x", "y"], [1, 2], [[0, 0], [0, 4]])
    assert sure.given({"x": 1})["y"] == Normal(2.0, 4.0)
    with pytest.raises(ImpossibleEvidenceError, match="x=2"):
        sure.given({"x": 2})
    assert sure.correlation.tolist() == [[1, 0], [0, 1]]


def test_drawing_is_from_the_distribution():
    joint = drawn(3, 3)
    rows = np.column_stack(list(joint.sample(40_000, random_state=0).values()))
    np.testing.assert_allclose(rows.mean(axis=0), joint.mean, atol=0.1)
    np.testing.assert_allclose(np.cov(rows.T), joint.covariance, rtol=0.1, atol=0.15)


def test_parts_and_what_is_wrong():
    joint = drawn(2, 4)
    assert joint.marginal(["c", "a"]).covariance[0, 1] == joint.covariance[2, 0]
    assert repr(Normal(1.0, 4.0)) == "Normal(mean=1, sd=2)"
    assert repr(joint).startswith("MultivariateNormal(a: ")
    assert Normal(1.0, 4.0).interval(0.6827)[0] == pytest.approx(-1, abs=1e-3)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        Normal(1.0, 4.0).interval(95)
    with pytest.raises(UnknownNodeError, match="no variable 'z'"):
        joint.given({"z": 1})
    with pytest.raises(InputError, match="finite number"):
        joint.given({"a": "high"})
    with pytest.raises(InputError, match="2 variables need"):
        MultivariateNormal(["x", "y"], [1], [[1]])


@given(st.floats(0.1, 10), st.floats(1e6, 1e11))
def test_a_small_spread_beside_a_large_one_survives_conditioning(noise, spread):
    root = np.array([[spread, 0.0, 0.0], [spread, noise, 0.0], [spread, noise, 0.0]])
    joint = MultivariateNormal.of_root(["second", "clock", "copy"], [1.7e9, 1.7e9, 1.7e9], root)
    left = joint.given({"second": 1.7e9 + 5})
    assert left["clock"].mean == pytest.approx(1.7e9 + 5, rel=1e-15)
    assert left["clock"].sd == pytest.approx(noise, abs=1e-15 * spread, rel=1e-9)
    assert left.given({"clock": 1.7e9 + 6})["copy"] == Normal(pytest.approx(1.7e9 + 6, rel=1e-15), 0.0)
    density = joint.log_density(np.array([[1.7e9, 1.7e9 + noise, np.nan]]))
    expected = stats.norm.logpdf(0, scale=spread) + stats.norm.logpdf(noise, scale=noise)
    assert density == pytest.approx(expected, rel=1e-4)
