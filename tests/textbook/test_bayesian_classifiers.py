"""The note "Bayesian Classifiers": Optimal Bayes, MAP and ML on two small tables."""

import numpy as np
import pytest

import deciban as db

FIRST = [[1], [2], [1], [1]], ["+", "-", "-", "-"]
SECOND = [[1, 1, 1], [2, 2, 2], [1, 1, 2], [1, 2, 1]], ["+", "-", "-", "-"]


def test_optimal_bayes_and_map_agree_and_ml_does_not():
    table = db.JointBayes().fit(*FIRST)
    assert table.predict_proba([[1]])[0] == pytest.approx([1 / 3, 2 / 3], rel=1e-15)
    assert table.predict([[1]]).tolist() == ["-"]  # optimal Bayes
    assert np.exp(table.predict_joint_log_proba([[1]]))[0] == pytest.approx([1 / 4, 1 / 2], rel=1e-15)  # MAP
    assert db.JointBayes(rule="ml").fit(*FIRST).predict([[1]]).tolist() == ["+"]  # 1 against 2/3


def test_the_second_table_needs_naive_bayes():
    unseen = [[1, 2, 2]]
    joint = db.JointBayes().fit(*SECOND)
    assert np.isneginf(joint.predict_joint_log_proba(unseen)).all()
    naive = db.CategoricalNB(alpha=0).fit(*SECOND)
    scores = np.exp(naive.predict_joint_log_proba(unseen))[0]
    assert scores == pytest.approx([0, 2 / 3 * 2 / 3 * 2 / 3 * 3 / 4], rel=1e-14)
    assert naive.predict(unseen).tolist() == ["-"]
    assert naive.predict_proba(unseen).tolist() == [[0.0, 1.0]]


def test_a_loss_can_overrule_the_most_probable_class():
    # Taking "-" for "+" costs ten times as much as the other way round: 1/3·10 > 2/3·1.
    table = db.JointBayes(loss=[[0, 10], [1, 0]]).fit(*FIRST)
    assert table.predict([[1]]).tolist() == ["+"]


def test_no_decision_is_made_below_the_threshold():
    table = db.JointBayes(reject=0.9).fit(*FIRST)
    assert table.predict([[1], [2]]).tolist() == [None, "-"]
    by_loss = db.JointBayes(loss=[[0, 1], [1, 0]], reject=db.Reject(loss=0.2)).fit(*FIRST)
    assert by_loss.predict([[1], [2]]).tolist() == [None, "-"]
