"""Zhu: the additive form (item 6), 0-1 loss gives MAP (item 8), the smoothings (item 10), Gaussians (item 11)."""

import math
from fractions import Fraction

import numpy as np
import pytest

import deciban as db
from deciban.decide import least_loss, most_probable, zero_one_loss
from deciban.estimate import empirical_priors
from tests.reference import tallies as reference
from tests.textbook.tables import TENNIS, rows_of

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def test_log_odds_are_alpha_plus_the_sum_of_g():
    rows, labels = rows_of(TENNIS, "PlayTennis")
    model = db.CategoricalNB().fit(rows, labels)
    evidence = model.evidence(rows)
    log_proba = model.predict_log_proba(rows)
    odds = log_proba[:, 0] - log_proba[:, 1]
    assert evidence.log_odds("no", "yes") == pytest.approx(odds, abs=1e-12)
    total_db = evidence.prior_db("no", "yes") + evidence.weights_db("no", "yes").sum(axis=1)
    assert total_db == pytest.approx(10 * odds / math.log(10), abs=1e-11)


def test_the_three_smoothings_are_one_formula_with_three_constants():
    counts = [2, 0, 1]
    expected = {0: [Fraction(2, 3), 0, Fraction(1, 3)], 1: [Fraction(1, 2), Fraction(1, 6), Fraction(1, 3)]}
    for tau, exact in expected.items():
        assert reference.smooth(counts, tau) == exact
    half = reference.smooth(counts, Fraction(1, 2))
    assert half == [Fraction(5, 9), Fraction(1, 9), Fraction(1, 3)]
    for rule, exact in ((db.MLE(), expected[0]), (db.Laplace(), expected[1]), (db.Jeffreys(), half)):
        assert rule.probabilities(np.array(counts)).tolist() == pytest.approx([float(p) for p in exact], rel=1e-15)


def test_priors_are_smoothed_by_the_same_formula():
    # (#(y = j) + τ) / (N + J·τ)
    counts = np.array([5, 9, 0])
    assert np.exp(empirical_priors(counts, db.Laplace())) == pytest.approx([6 / 17, 10 / 17, 1 / 17], rel=1e-15)
    assert np.exp(empirical_priors(counts)).tolist() == pytest.approx([5 / 14, 9 / 14, 0], rel=1e-15)


def test_the_m_estimate_adds_m_rows_drawn_from_the_prior():
    counts, prior = np.array([3, 1]), [0.25, 0.75]
    assert db.MEstimate(4, prior).probabilities(counts) == pytest.approx([(3 + 1) / 8, (1 + 3) / 8], rel=1e-15)
    assert db.MEstimate(2).probabilities(counts) == pytest.approx(db.Laplace().probabilities(counts), rel=1e-15)


def test_zero_one_loss_chooses_the_most_probable_class():
    rng = np.random.default_rng(0)
    posterior = rng.dirichlet(np.ones(4), size=200)
    assert least_loss(posterior, zero_one_loss(4)).tolist() == most_probable(posterior).tolist()


def test_the_gaussian_density_is_that_of_item_11():
    X, y = np.array([[1.0], [2.0], [3.0], [7.0], [9.0]]), [0, 0, 0, 1, 1]
    model = db.GaussianNB(var_smoothing=0).fit(X, y)
    assert model.theta_.ravel().tolist() == [2, 8]
    assert model.var_.ravel().tolist() == pytest.approx([2 / 3, 1.0], rel=1e-15)
    density = math.exp(-((4 - 2) ** 2) / (2 * 2 / 3)) / math.sqrt(2 * math.pi * 2 / 3)
    assert math.exp(model.predict_joint_log_proba([[4.0]])[0, 0]) == pytest.approx(3 / 5 * density, rel=1e-14)


def test_the_number_of_parameters_with_and_without_the_naive_assumption():
    """Item 5: J(Σ|A_i| + 1) entries of tables; each distribution sums to 1, so one fewer of each is free."""
    rows, labels = rows_of(TENNIS, "PlayTennis")
    model = db.CategoricalNB().fit(rows, labels)
    entries = sum(table.size for table in model.feature_log_prob_) + model.class_log_prior_.size
    assert entries == 2 * ((3 + 3 + 2 + 2) + 1) == 22
    assert model.n_parameters_ == (2 - 1) + 2 * (2 + 2 + 1 + 1) == 13
    assert db.JointBayes().fit(rows, labels).n_parameters_ == 2 * (3 * 3 * 2 * 2) - 1 == 71


def test_the_log_likelihood_is_that_of_item_9_and_relative_frequencies_maximize_it():
    """l(π, θ) = Σ_j u_j·log π_j + Σ_j Σ_i Σ_a v_jia·log θ_jia."""
    rows, labels = rows_of(TENNIS, "PlayTennis")
    model = db.CategoricalNB(alpha=0).fit(rows, labels)
    u, v = model.class_count_, model.category_count_
    exact = (u * np.log(u / 14)).sum()
    for counts in v:
        share = np.where(counts > 0, counts / u[:, None], 1.0)
        exact += (counts * np.log(share)).sum()
    assert model.log_likelihood(rows, labels) == pytest.approx(exact, rel=1e-14)
    for alpha in (0.1, 1.0):
        assert db.CategoricalNB(alpha=alpha).fit(rows, labels).log_likelihood(rows, labels) < exact
