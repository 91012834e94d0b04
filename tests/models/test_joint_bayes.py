"""Optimal Bayes: the posterior is the share of the classes among equal rows; it merges and forgets like the others."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import MissingValueError

X = np.array([["a", "x"], ["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"], ["a", "x"]])
Y = np.array([0, 1, 1, 0, 0, 1])


def test_shares_by_hand():
    assert db.JointBayes().fit(X, Y).predict_proba([["a", "x"]])[0] == pytest.approx([1 / 3, 2 / 3])


def test_smoothing_adds_to_every_cell():
    model = db.JointBayes(smoothing=db.Laplace()).fit(X, Y)
    # three rows of each class; four cells of two × two states
    assert np.exp(model.predict_joint_log_proba([["a", "x"]]))[0] == pytest.approx([0.5 * 2 / 7, 0.5 * 3 / 7])


def test_parts_and_forgetting():
    whole = db.JointBayes().fit(X, Y)
    parts = db.JointBayes().fit(X[:3], Y[:3]).merge(db.JointBayes().fit(X[3:], Y[3:]))
    assert parts.tally_ == whole.tally_
    assert whole.forget(X[:2], Y[:2]).tally_ == db.JointBayes().fit(X[2:], Y[2:]).tally_


def test_a_missing_value_belongs_to_no_cell():
    with pytest.raises(MissingValueError):
        db.JointBayes().fit([["a", None]], [0])
    skipped = db.JointBayes(missing="skip").fit([["a", "x"], ["a", None]], [0, 1])
    assert skipped.predict([["a", "x"]]).tolist() == [0]
