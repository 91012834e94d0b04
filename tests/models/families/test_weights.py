"""The weights of levels."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

import deciban as db
from deciban.models.families.kdb import naive_weights

rng = np.random.default_rng(0)
Y = rng.integers(0, 2, 150)
A = (Y + rng.integers(0, 2, 150)).astype(str)
TABLE = {"a": A, "again": A, "noise": rng.integers(0, 30, 150).astype(str)}


def test_the_weights_of_naive_bayes():
    assert naive_weights(2, 3).tolist() == [[1, 0, 0], [1, 0, 0]]


def test_they_minimize_the_leave_one_out_loss():
    model = db.KDB(members=2).fit(TABLE, Y)
    tables, data = model._tables, model._features(TABLE)
    y = model.tally_.classes.encode(Y).astype(np.int32)
    codes = model.structure_.left_out_codes(data, model.tally_.parts[0], 1.0, "KDB")
    levels = tables.evidence(codes, y)[0].reshape(len(Y), -1, 2)
    counts = np.bincount(Y)[None] - (np.arange(2) == Y[:, None])
    center = naive_weights(3, model.structure_.k + 1).ravel()

    def loss(weights):
        joint = np.log(counts / counts.sum(axis=1, keepdims=True)) + np.einsum("rfc,f->rc", levels, weights)
        own = joint[np.arange(len(Y)), y]
        return float((np.logaddexp(*joint.T) - own).sum() + 0.5 * ((weights - center) ** 2).sum())

    best = minimize(loss, center, bounds=[(0, None)] * len(center), jac=lambda w: approx_fprime(w, loss, 1e-7)).x
    found = np.array(model.structure_.weights).ravel()
    assert loss(found) == pytest.approx(loss(best), rel=1e-4)


def test_evidence_that_repeats_is_divided_and_noise_is_dropped():
    model = db.KDB(k=0, members=1).fit(TABLE, Y)
    alone = db.KDB(k=0, members=1).fit({"a": A}, Y)
    assert model.weights_["a"] == pytest.approx(model.weights_["again"], abs=1e-3)
    assert 2 * model.weights_["a"][0] == pytest.approx(alone.weights_["a"][0], abs=0.35)
    assert model.weights_["noise"][0] < 0.5


def test_without_learning_they_are_1():
    model = db.KDB(weights=None).fit(TABLE, Y)
    assert {w for weights in model.weights_.values() for w in weights} == {1.0}
    assert model.structure_.rows == 0
