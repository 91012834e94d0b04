"""Smoothing: probabilities sum to one, nothing is NaN, and wrong constants are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ParameterError
from deciban.twins import tallies as reference

counts = st.lists(st.integers(0, 50), min_size=1, max_size=6)


@given(counts, st.sampled_from([db.MLE(), db.Laplace(), db.Jeffreys(), db.Lidstone(0.1), db.MEstimate(3)]))
def test_probabilities_sum_to_one(n, rule):
    p = rule(np.array(n))
    assert p.sum() == pytest.approx(1)
    assert not np.isnan(p).any()


@given(counts, st.integers(1, 8))
def test_lidstone_is_its_twin(n, eighths):
    alpha = eighths / 8
    assert db.Lidstone(alpha)(np.array(n)) == pytest.approx(reference.smooth(n, alpha), rel=1e-13)


def test_what_is_unknown_is_uniform():
    assert db.MLE()(np.zeros((2, 4))) == pytest.approx(np.full((2, 4), 0.25))


@pytest.mark.parametrize("make", [lambda: db.Lidstone(-1), lambda: db.Lidstone(np.nan), lambda: db.MEstimate(-1)])
def test_negative_constants_are_refused(make):
    with pytest.raises(ParameterError, match="not negative"):
        make()


def test_priors_of_the_m_estimate_are_checked():
    with pytest.raises(ParameterError, match="sum to 1"):
        db.MEstimate(1, [0.5, 0.6])
    with pytest.raises(ParameterError, match="2 probabilities, but there are 3 states"):
        db.MEstimate(1, [0.5, 0.5])(np.zeros(3))
    with pytest.raises(ParameterError, match="leave prior=None"):
        db.MEstimate(1, [0.5, 0.5]).pseudocount(2)


def test_rules_are_values():
    assert db.Laplace() == db.Laplace()
    assert repr(db.MEstimate(2)) == "MEstimate(m=2, prior=None)"
