"""Rows that are learned one by one give what the same rows give as a table."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.tallies import Counts, Moments

KINDS = {
    "sky": db.Categorical(),
    "wind": db.Categorical(missing="state", unseen="ignore"),
    "code": db.Categorical(smoothing=db.MLE()),
    "wet": db.Bernoulli(threshold=0.5),
    "warm": db.Gaussian(),
    "cool": db.Gaussian(tie="class"),
    "tied": db.Gaussian(tie="both", strength=0),
    "bare": db.Gaussian(strength=0),
    "calls": db.Poisson(),
    "visits": db.NegativeBinomial(),
    "wait": db.Exponential(),
    "size": db.LogNormal(),
    "shape": db.Kernel(),
    "bins": db.Binned(bins=3, how="frequency"),
    "id": db.Ignore(),
}
labels = st.sampled_from(["sun", "rain", "hail", None, "?"])
numbers = st.one_of(st.none(), st.just(math.nan), st.integers(-40, 40).map(lambda n: n / 8), st.integers(-3, 3))
counts = st.one_of(st.none(), st.integers(0, 9))
sizes = st.one_of(st.none(), st.integers(1, 40).map(lambda n: n / 4))
rows = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("sky", "wind"), labels),
        "code": counts,
        "wet": st.one_of(st.none(), st.floats(0, 1)),
        **dict.fromkeys(("warm", "cool", "tied", "bare", "shape", "bins"), numbers),
        **dict.fromkeys(("calls", "visits"), counts),
        **dict.fromkeys(("wait", "size"), sizes),
        "id": st.integers(),
    },
)
streams = st.lists(st.tuples(rows, st.sampled_from("abc")), min_size=1, max_size=12)
priors = st.sampled_from(["empirical", "uniform", db.Laplace()])


def table(pairs):
    columns = {name: [row.get(name) for row, _ in pairs] for name in KINDS}
    return pd.DataFrame({name: pd.Series(values, dtype=_dtype(name)) for name, values in columns.items()})


def _dtype(name):
    return object if name in ("sky", "wind") else float


def classes(pairs):
    return [label for _, label in pairs]


def batch(pairs, **parameters):
    return db.NaiveBayes(KINDS, na_values=["?"], **parameters, weights=None).fit(table(pairs), classes(pairs))


def one_by_one(pairs, **parameters):
    model = db.NaiveBayes(KINDS, na_values=["?"], **parameters, weights=None)
    for row, label in pairs:
        assert model.learn_one(row, label) is model
    return model


def assert_same_tally(a, b):
    assert a.classes.labels.tolist() == b.classes.labels.tolist()
    assert np.array_equal(a.class_counts, b.class_counts)
    b = {part.names[0]: part for part in b.parts}
    for part in a.parts:
        other = b[part.names[0]]
        if isinstance(part, Moments):
            for held in ("weight", "mean", "deviation"):
                assert getattr(part, held) == pytest.approx(getattr(other, held), rel=1e-12, abs=1e-13)
        elif isinstance(part, Counts):
            assert part.variable.labels.tolist() == other.variable.labels.tolist()
            assert np.array_equal(part.table, other.table)
        else:
            assert part == other


def posteriors(model, pairs):
    return np.array([list(model.predict_proba_one(row).values()) for row, _ in pairs])


@given(streams, priors)
def test_learning_one_by_one_is_learning_a_table(pairs, prior):
    model, whole = one_by_one(pairs, priors=prior), batch(pairs, priors=prior)
    live = posteriors(model, pairs)
    assert_same_tally(model.tally_, whole.tally_)
    X = table(pairs)[list(model.feature_names_in_)]
    assert model.predict_proba(X) == pytest.approx(live, abs=1e-11)
    assert posteriors(model, pairs) == pytest.approx(live, abs=1e-11)
    assert whole.predict_proba(table(pairs)) == pytest.approx(live, abs=1e-9)


@given(streams, streams)
def test_a_fitted_model_goes_on_learning_rows(first, more):
    model = batch(first)
    for row, label in more:
        model.predict_proba_one(row)
        model.learn_one(row, label)
    live = posteriors(model, first)
    whole = batch(first).partial_fit(table(more), classes(more))
    assert_same_tally(model.tally_, whole.tally_)
    assert model.predict_proba(table(first)) == pytest.approx(live, abs=1e-11)


@given(streams, st.integers(0, 11))
def test_reading_in_between_changes_nothing(pairs, at):
    model, watched = (
        db.NaiveBayes(KINDS, na_values=["?"], weights=None),
        db.NaiveBayes(KINDS, na_values=["?"], weights=None),
    )
    for i, (row, label) in enumerate(pairs):
        model.learn_one(row, label)
        watched.learn_one(row, label)
        if i == at:
            assert watched.tally_.total == i + 1
            watched = [copy.deepcopy, copy.copy, lambda m: pickle.loads(pickle.dumps(m))][at % 3](watched)  # noqa: S301
    assert_same_tally(model.tally_, watched.tally_)
    assert posteriors(model, pairs) == pytest.approx(posteriors(watched, pairs), abs=1e-12)
