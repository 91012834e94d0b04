"""Weights that make the classes of the rows most probable: the objective, its gradient and its optimum."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

import deciban as db
from deciban.models.parts import wanbia
from deciban.models.parts.wanbia import Margins, conditional_loss

numbers = st.floats(-5, 5)


@st.composite
def margins(draw):
    rows, others, columns = draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    cells = [draw(st.lists(numbers, min_size=n, max_size=n)) for n in (rows * others, rows * others * columns)]
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=rows, max_size=rows))
    point = draw(st.lists(st.floats(0, 3), min_size=columns, max_size=columns))
    blocks = Margins(
        np.reshape(cells[0], (rows, others)), np.reshape(cells[1], (rows, others, columns)), np.array(weights)
    )
    return blocks, np.array(point)


def plain_loss(point, blocks):
    """−Σ log P(y | x), as the formula is read."""
    loss = 0.0
    for prior, columns, weight in zip(*(part.tolist() for part in blocks), strict=True):
        odds = [
            math.exp(p + sum(w * c for w, c in zip(point, each, strict=True)))
            for p, each in zip(prior, columns, strict=True)
        ]
        loss += weight * math.log(1 + sum(odds))
    return loss


@given(margins())
def test_the_batched_loss_is_the_formula_in_any_blocks_and_its_gradient_is_its_slope(sample):
    blocks, point = sample
    loss, gradient = conditional_loss(point, [blocks])
    assert loss == pytest.approx(plain_loss(point.tolist(), blocks), rel=1e-9, abs=1e-9)
    split = [Margins(*(part[:2] for part in blocks)), Margins(*(part[2:] for part in blocks))]
    assert conditional_loss(point, split[: 1 + (len(blocks.rows) > 2)])[1] == pytest.approx(gradient, abs=1e-9)
    slope = check_grad(lambda w: conditional_loss(w, [blocks])[0], lambda w: conditional_loss(w, [blocks])[1], point)
    assert slope < 1e-4 * (1 + np.abs(gradient).max())


def test_huge_margins_neither_overflow_nor_vanish():
    blocks = Margins(np.zeros((2, 1)), np.array([[[1e6]], [[-1e6]]]), np.ones(2))
    loss, gradient = conditional_loss(np.ones(1), [blocks])
    assert loss == 1e6
    assert gradient.tolist() == [1e6]


def sample(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = np.where(rng.uniform(size=(rows, 4)) < 0.6, y[:, None], rng.integers(0, 3, (rows, 4)))
    return X.astype(str), y


def objective(model, X, y):
    away = np.array(list(model.weights_.values())) - 1
    return log_loss(y, model.predict_proba(X), normalize=False) + 0.5 * away @ away


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_no_other_weights_are_better(seed):
    X, y = sample(seed=seed)
    model = db.NaiveBayes(weights="wanbia").fit(X, y)
    best, learned = objective(model, X, y), np.array(list(model.weights_.values()))
    rng = np.random.default_rng(seed)
    for step in rng.normal(size=(5, 4)) * 0.1:
        other = db.NaiveBayes(weights=np.maximum(learned + step, 0)).fit(X, y)
        assert objective(other, X, y) >= best - 1e-3


def test_copies_of_a_column_share_its_weight():
    X, y = sample(2000)
    once = db.NaiveBayes(weights="wanbia").fit(X, y).weights_
    twice = db.NaiveBayes(weights="wanbia").fit(np.hstack([X, X[:, :1]]), y).weights_
    assert twice["x0"] == pytest.approx(twice["x4"], abs=1e-3)
    assert twice["x0"] + twice["x4"] == pytest.approx(once["x0"], abs=0.03)


def test_a_weight_of_two_is_a_row_twice_and_of_zero_none():
    X, y = sample(60)
    weight = np.tile([0.0, 1.0, 2.0], 20)
    weighted = db.NaiveBayes(weights="wanbia").fit(X, y, sample_weight=weight)
    repeated = db.NaiveBayes(weights="wanbia").fit(
        np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    )
    assert weighted.weights_ == pytest.approx(repeated.weights_, abs=1e-3)


def test_margins_that_do_not_fit_are_made_anew(monkeypatch):
    X, y = sample()
    held = db.NaiveBayes(weights="wanbia").fit(X, y)
    monkeypatch.setattr(wanbia, "_MOST_HELD", 0)
    monkeypatch.setattr(wanbia, "_BLOCK", 500)
    monkeypatch.setattr(wanbia, "_IN_CACHE", 100)
    assert db.NaiveBayes(weights="wanbia").fit(X, y).weights_ == pytest.approx(held.weights_, abs=1e-4)


def test_impossible_values_leave_the_weights_finite():
    X, y = sample(30)
    X[0, 0] = "only here"
    model = db.NaiveBayes(smoothing=db.MLE(), weights="wanbia").fit(X, y)
    assert np.isfinite(list(model.weights_.values())).all()


def test_probabilities_are_better_on_rows_that_were_not_seen():
    X, y = load_breast_cancer(return_X_y=True)
    losses = {
        w: log_loss(y, cross_val_predict(db.NaiveBayes(weights=w), X, y, method="predict_proba"))
        for w in (None, "wanbia")
    }
    assert losses["wanbia"] < 0.4 * losses[None]
