"""Culotta, CS429: Bernoulli and multinomial estimates, and how differently they are smoothed."""

from fractions import Fraction

import numpy as np
import pytest

import deciban as db
from tests.reference import tallies as reference

pytestmark = pytest.mark.usefixtures("each_instruction_set")

X = [[2, 0, 1], [1, 1, 0], [0, 3, 0]]
Y = [1, 1, -1]
EPSILON = 1


def test_bernoulli_smooths_over_presence_and_absence():
    # (#(x_j = 1, y = 1) + ε) / (#(y = 1) + 2ε)
    present = reference.sum_terms([[int(x > 0) for x in row] for row in X], [int(y == 1) for y in Y], 2)
    exact = [
        [Fraction(n + EPSILON, rows + 2 * EPSILON) for n in row] for row, rows in zip(present, (1, 2), strict=True)
    ]
    assert exact[1] == [Fraction(3, 4), Fraction(1, 2), Fraction(1, 2)]
    model = db.BernoulliNB(alpha=EPSILON).fit(X, Y)
    assert np.exp(model.feature_log_prob_) == pytest.approx(np.array(exact, dtype=float), rel=1e-15)


def test_multinomial_smooths_over_the_vocabulary():
    # (T_1j + ε) / (|V|·ε + Σ_k T_1k)
    sums = reference.sum_terms(X, [int(y == 1) for y in Y], 2)
    exact = [reference.smooth(row, EPSILON) for row in sums]
    assert exact[1] == [Fraction(4, 8), Fraction(2, 8), Fraction(2, 8)]
    model = db.MultinomialNB(alpha=EPSILON).fit(X, Y)
    assert np.exp(model.feature_log_prob_) == pytest.approx(np.array(exact, dtype=float), rel=1e-15)


def test_multinomial_multiplies_a_term_once_for_each_of_its_tokens():
    model = db.MultinomialNB().fit(X, Y)
    once, twice = model.predict_joint_log_proba([[1, 0, 0], [2, 0, 0]])
    assert twice - once == pytest.approx(model.feature_log_prob_[:, 0], rel=1e-14)


def test_bernoulli_also_multiplies_what_is_absent():
    model = db.BernoulliNB().fit(X, Y)
    p = np.exp(model.feature_log_prob_)
    expected = np.exp(model.class_log_prior_) * p[:, 0] * (1 - p[:, 1]) * (1 - p[:, 2])
    assert np.exp(model.predict_joint_log_proba([[5, 0, 0]]))[0] == pytest.approx(expected, rel=1e-14)


def test_the_posterior_divides_by_the_sum_over_both_labels():
    model = db.BernoulliNB().fit(X, Y)
    joint = np.exp(model.predict_joint_log_proba(X))
    assert model.predict_proba(X) == pytest.approx(joint / joint.sum(axis=1, keepdims=True), rel=1e-13)


def test_p_of_x_sums_over_both_labels():
    """p(x) = p(y = 1)·Π p(x_j | y = 1) + p(y = −1)·Π p(x_j | y = −1), for x = (1, 0, 1)."""
    model = db.BernoulliNB(alpha=EPSILON).fit(X, Y)
    exact = Fraction(1, 3) * Fraction(1, 3) * Fraction(1, 3) * Fraction(1, 3)  # of −1, with one document
    exact += Fraction(2, 3) * Fraction(3, 4) * Fraction(1, 2) * Fraction(1, 2)
    assert np.exp(model.log_likelihood([[1, 0, 1]])) == pytest.approx(float(exact), rel=1e-14)
