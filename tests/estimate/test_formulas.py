"""Formulas give the log-likelihoods that distributions compute, up to a term that is equal in all classes."""

import math

import numpy as np
import pytest
from scipy.special import gammaln

import deciban as db
from deciban.estimate.likelihood import Bins, Curve, Labels, Presence, StateLogs
from deciban.read import read_table

VALUES = [0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 1.0, 0.0, 13.0, 40.0]
CLASSES = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
KINDS = [
    db.Categorical(), db.Bernoulli(threshold=2.5), db.Gaussian(), db.Gaussian(tie="both"), db.Binned(bins=3),
    db.Cut(at=[1, 4]), db.Poisson(), db.Exponential(), db.NegativeBinomial(), db.Categorical(missing="state"),
    db.Gaussian(missing="state"), db.Poisson(missing="state"), db.LogNormal(),
]  # fmt: skip


def evaluated(formula, x):
    """What a formula gives for one value, None where it is missing."""
    if x is None:
        return formula.missing
    if isinstance(formula, Curve):
        return _curve(formula, x)
    return _state(formula, x)


def _state(formula, x):
    states = formula.states
    if isinstance(states, Labels):
        return formula.logs[list(states.labels).index(x)] if x in states.labels else formula.unseen
    index = int(x > states.threshold) if isinstance(states, Presence) else int(np.searchsorted(states.cuts, x))
    assert isinstance(states, Presence | Bins)
    return formula.logs[index]


def _curve(curve, x):
    is_low = x <= curve.lowest if curve.is_open else x < curve.lowest
    if is_low or x > curve.highest or (curve.is_whole and x != math.floor(x)):
        return np.full(len(curve.constant), -np.inf)
    t = math.log(x) if curve.of_log else x
    out = curve.constant.copy()
    if curve.slope is not None:
        out += curve.slope * t
    if curve.half is not None:
        out -= curve.half * (t - curve.mean) ** 2
    if curve.size is not None:
        size = np.where(np.isinf(curve.size), 1.0, curve.size)
        out += np.where(np.isinf(curve.size), 0.0, curve.weight * (gammaln(t + size) - gammaln(size)))
    return out


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_a_formula_gives_the_log_likelihoods(kind, weight):
    values = [x + 1.0 for x in VALUES] if isinstance(kind, db.LogNormal) else VALUES
    model = db.NaiveBayes({"x": kind}, weights=[weight]).fit({"x": [*values[:9], None]}, CLASSES)
    (likelihood, _), *_ = model._estimates.groups
    formula = likelihood.formula(0)
    for x in [*values, 100.0, 2.0, None]:
        expected = likelihood.columns(read_table({"x": [x]}).columns)[0, 0]
        found = evaluated(formula, x)
        np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-10)


@pytest.mark.parametrize("kind", [db.Kernel(), db.Text()])
def test_other_distributions_have_no_formula(kind):
    values = ["some words", "other words"] * 5 if isinstance(kind, db.Text) else VALUES
    model = db.NaiveBayes({"x": kind}, weights=None).fit({"x": values}, CLASSES)
    assert model._estimates.groups[0][0].formula(0) is None


def test_impossible_values_stay_impossible_but_at_weight_0():
    curve = Curve(np.zeros(2), np.zeros(2), slope=np.array([1.0, 2.0]), lowest=0.0)
    assert np.isneginf(evaluated(curve.times(0.5), -1.0)).all()
    assert (evaluated(curve.times(0.0), -1.0) == 0.0).all()
    logs = StateLogs(Labels(["a"]), np.full((1, 2), -np.inf), None, None)
    assert (logs.times(0.0).logs == 0.0).all()
    assert logs.times(0.0).unseen is None
