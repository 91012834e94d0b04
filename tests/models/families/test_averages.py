"""AODE by hand: the mean over parents of P(parent, class)·Π P(value | parent, class)."""

import numpy as np
import pytest

import deciban as db

TABLE = {"a": ["0", "0", "1", "1", "0", "1"], "b": ["x", "x", "y", "y", "y", "x"]}
Y = np.array([0, 0, 0, 1, 1, 1])


def by_hand(a, b, label):
    """Frequencies, without smoothing: Σ over the two parents of P(c, parent)·P(other | c, parent)."""
    rows = [(x, z) for x, z, c in zip(TABLE["a"], TABLE["b"], Y, strict=True) if c == label]
    return sum(rows.count((a, b)) for _ in range(2)) / len(rows) / 2


def test_averages_over_both_parents_by_hand():
    model = db.AODE(least=1, strength=0, smoothing=db.MLE(), weights=None, temperature=1.0).fit(TABLE, Y)
    found = np.exp(model.predict_joint_log_proba({"a": ["0", "1"], "b": ["x", "y"]}))
    expected = [[by_hand(a, b, label) / 2 for label in (0, 1)] for a, b in (("0", "x"), ("1", "y"))]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_without_frequent_parents_it_is_naive_bayes():
    rare = db.AODE(least=100, strength=0, weights=None, temperature=1.0).fit(TABLE, Y)
    naive = db.NaiveBayes(weights=None).fit(TABLE, Y)
    np.testing.assert_allclose(rare.predict_proba(TABLE), naive.predict_proba(TABLE))


def test_a_missing_value_is_no_parent_and_no_child():
    model = db.AODE(least=1, strength=1.0, weights=None, temperature=1.0).fit(TABLE, Y)
    alone = db.AODE(least=1, strength=1.0, weights=None, temperature=1.0).fit({"b": TABLE["b"]}, Y)
    gap = {"a": [None], "b": ["x"]}
    assert model.predict_proba(gap)[0] == pytest.approx(alone.predict_proba({"b": ["x"]})[0])
