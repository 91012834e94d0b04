"""Leave-one-out of models that count combinations is a refit without the row, the structure and the cuts kept."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import deciban as db
from deciban.estimate import empirical_priors
from deciban.models.families.bayes_net_classifier import NetTables
from deciban.models.families.family_tables import BackOff
from deciban.models.families.tan import TreeTables

rng = np.random.default_rng(0)
N = 40
TABLE = pd.DataFrame(
    {
        "sky": rng.choice(["sun", "rain", "snow"], N),
        "wind": rng.integers(0, 3, N),
        "warm": np.where(rng.uniform(size=N) < 0.2, np.nan, rng.normal(15, 5, N)),
        "rare": ["once", *rng.choice(["a", "b"], N - 1)],
        "gap": np.where(rng.uniform(size=N) < 0.2, None, rng.choice(["x", "y"], N)),
    }
)
Y = np.array(["lone", *rng.choice(["yes", "no"], N - 1)])
WEIGHTS = rng.choice([0.0, 0.5, 1.0, 2.5], N)
WEIGHTS[:2] = 1.0
COLLIDER = [("sky", "class"), ("class", "wind"), ("wind", "gap"), ("class", "gap"), ("rare", "gap")]
MODELS = {
    "TAN": db.TAN(),
    "TAN-fixed": db.TAN(strength=5.0),
    "TAN-mle": db.TAN(smoothing=db.MLE(), strength=0.0),
    "TAN-state": db.TAN(missing="state", priors=db.Laplace()),
    "AODE": db.AODE(),
    "AODE-fixed": db.AODE(strength=1.0),
    "AODE-least": db.AODE(least=5, missing="state"),
    "A2DE": db.AODE(n=2, smoothing=db.MEstimate(2.0)),
    "net-augmented": db.BayesNetClassifier("augmented"),
    "net-given": db.BayesNetClassifier(COLLIDER),
    "net-fixed": db.BayesNetClassifier(COLLIDER, strength=1.0, missing="skip"),
    "net-mle": db.BayesNetClassifier(COLLIDER, smoothing=db.MLE(), strength=0.0, priors="uniform"),
    "joint": db.JointBayes(missing="skip"),
    "joint-smooth": db.JointBayes(missing="skip", smoothing=db.Laplace(), prior_smoothing=db.Laplace()),
    "joint-m": db.JointBayes(missing="skip", smoothing=db.MEstimate(2.0)),
}


def refitted(model, X, y, weights, i):
    """The model without row i, its tree, net, strengths and cuts kept."""
    kept = {"columns": model.schema_} if hasattr(model, "schema_") else {}
    if isinstance(model, db.BayesNetClassifier):
        kept["structure"] = model.dag_
    rest = np.arange(len(y)) != i
    held = None if weights is None else weights[rest]
    again = type(model)(**{**model.get_params(), **kept}).partial_fit(X[rest], y[rest], model.classes_, held)
    part, chosen = again.tally_.parts[0], getattr(model, "_tables", None)
    if isinstance(model, db.TAN):
        again._tables = TreeTables(part, chosen.parents, model.smoothing, model.strength, chosen.back_off)
    elif isinstance(model, db.AODE):
        back_off = BackOff(part, model.smoothing, model.strength, chosen.parents.back_off)
        again._tables = replace(again._tables, parents=replace(again._tables.parents, back_off=back_off))
    elif isinstance(model, db.BayesNetClassifier):
        prior = empirical_priors(again.tally_.class_counts)
        again._tables = NetTables(part, again._form.families, prior, model.smoothing, chosen.strengths)
    return again


def check(model, X, y, weights):
    model = type(model)(**model.get_params()).partial_fit(X, y, np.unique(y), weights)
    left_out = model.loo_predict_proba(X, y, sample_weight=weights)
    for i in range(len(y)):
        expected = refitted(model, X, y, weights, i).predict_proba(X[i : i + 1])[0]
        assert left_out[i] == pytest.approx(expected, abs=1e-9), i


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_it_is_what_refitting_gives(name, weights):
    table = TABLE[["sky", "rare", "gap"]] if name.startswith("joint") else TABLE
    check(MODELS[name], table, Y, weights)


@pytest.mark.parametrize("name", ["TAN", "TAN-mle", "AODE", "A2DE", "net-augmented", "joint", "joint-smooth"])
@settings(max_examples=25)
@given(data=st.data())
def test_it_is_for_any_small_table(name, data):
    n = data.draw(st.integers(3, 8))
    cell = st.sampled_from(["a", "a", "b", "c", None])
    X = pd.DataFrame(data.draw(hnp.arrays(object, (n, 3), elements=cell)), columns=["u", "v", "w"])
    y = data.draw(hnp.arrays(np.int64, n, elements=st.integers(0, 2)))
    weights = data.draw(st.one_of(st.none(), hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.5, 1.0, 3.0]))))
    used = np.ones(n, bool) if weights is None else weights > 0
    whole = (X.notna().all(axis=1) & used).sum()
    assume(used.sum() >= 2 and whole >= 2)
    check(MODELS[name], X, y, weights)


@pytest.mark.parametrize("name", MODELS)
def test_calibration_uses_it(name):
    """On the learned rows themselves the models are too sure."""
    X = pd.DataFrame(rng.integers(0, 4, (200, 5)).astype(str), columns=list("abcde"))
    y = rng.integers(0, 2, 200)  # nothing to be learned: any certainty is too much
    kept = {"structure": [("class", c) for c in "abcde"] + [("a", "b")]} if name.startswith("net") else {}
    model = type(MODELS[name])(**{**MODELS[name].get_params(), **kept}).fit(X, y)
    honest = model.calibrate(X, y).calibration_.value
    assert honest == model.calibrate(X, y, learned=True).calibration_.value
    assert honest > 1.5 * model.calibrate(X, y, learned=False).calibration_.value
