"""Leaving a row out of the tally is refitting without it, for every distribution: `calibrate` rests on this."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import deciban as db
from deciban.estimate.distributions import binned
from deciban.estimate.missing import leave_one_out
from deciban.read import read_table

CLASSES = [0, 1, 2]
COUNTS = st.one_of(st.integers(0, 3), st.integers(0, 1000)).map(float)
SIZES = st.one_of(st.sampled_from([0.1, 0.3, 7.0]), st.floats(1e-3, 1e4))
NUMBERS = st.one_of(st.sampled_from([0.0, 0.1, -2.5]), st.floats(-1e4, 1e4).map(lambda x: round(x, 3)))
LABELS = st.integers(0, 4).map(float)
KINDS = {
    "categorical": (db.Categorical(), LABELS),
    "categorical-mle": (db.Categorical(smoothing=db.MLE()), LABELS),
    "categorical-ignore": (db.Categorical(unseen="ignore", smoothing=db.MEstimate(2.0)), LABELS),
    "bernoulli": (db.Bernoulli(threshold=1.0), LABELS),
    "bernoulli-prior": (db.Bernoulli(smoothing=db.MEstimate(2.0, (0.9, 0.1))), LABELS),
    "bernoulli-mle": (db.Bernoulli(smoothing=db.MLE()), LABELS),
    "gaussian": (db.Gaussian(), NUMBERS),
    "gaussian-alone": (db.Gaussian(strength=0.0), NUMBERS),
    "gaussian-class": (db.Gaussian(tie="class"), NUMBERS),
    "gaussian-feature": (db.Gaussian(tie="feature"), NUMBERS),
    "gaussian-both": (db.Gaussian(tie="both"), NUMBERS),
    "poisson": (db.Poisson(), COUNTS),
    "negative-binomial": (db.NegativeBinomial(), COUNTS),
    "exponential": (db.Exponential(), SIZES),
    "log-normal": (db.LogNormal(), SIZES),
    "width": (db.Binned(bins=3), NUMBERS),
    "width-mle": (db.Binned(bins=4, smoothing=db.MLE()), LABELS),
    "frequency": (db.Binned(bins=3, how="frequency"), NUMBERS),
    "mdl": (db.Binned(how="mdl"), LABELS),
    "ignore": (db.Ignore(), NUMBERS),
}
kinds = pytest.mark.parametrize("name", KINDS)


@st.composite
def samples(draw, values):
    """A small table with gaps, its classes, some of which one row alone may have, and weights or none."""
    n = draw(st.integers(2, 8))
    cell = st.one_of(values, values, values, st.just(np.nan))
    X = draw(hnp.arrays(np.float64, (n, 2), elements=cell))
    y = draw(hnp.arrays(np.int64, n, elements=st.sampled_from(CLASSES)))
    weights = draw(st.one_of(st.none(), hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.5, 1.0, 3.0]))))
    assume(weights is None or (weights > 0).sum() >= 2)
    return X, y, weights


def left_out(model, X, y, weights):
    """What leaving one out gives each row: rows × columns × classes."""
    ((kind, _),) = model.schema_.by_kind().items()
    rows = y.astype(np.int32), np.ones(len(y)) if weights is None else weights
    return leave_one_out(kind, model.tally_.parts, read_table(X).columns, rows, model.smoothing)


def refits(model, X, y, weights):
    """The same by fitting anew without each row."""
    out = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        held = None if weights is None else weights[rest]
        again = db.NaiveBayes(**model.get_params()).partial_fit(X[rest], y[rest], CLASSES, held)
        out.append(again.evidence(X[i : i + 1]).columns[0])
    return np.array(out)


def fitted(X, y, weights, **parameters):
    return db.NaiveBayes(**parameters, weights=None).partial_fit(X, y, CLASSES, weights)


@kinds
@pytest.mark.parametrize("missing", ["skip", "state"])
@settings(max_examples=30)
@given(data=st.data())
def test_leaving_out_is_refitting(name, missing, data):
    kind, values = KINDS[name]
    X, y, weights = data.draw(samples(values))
    model = fitted(X, y, weights, columns=kind, missing=missing)
    expected = refits(model, X, y, weights)
    assert left_out(model, X, y, weights) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("bandwidth", ["nrd0", "SJ", 0.5])
@given(data=st.data())
def test_a_kernel_density_loses_the_rows_own_kernel_and_keeps_its_bandwidth(bandwidth, data):
    X, y, weights = data.draw(samples(NUMBERS))
    kind = db.Kernel(bandwidth=bandwidth)
    model = fitted(X, y, weights, columns=kind)
    found = left_out(model, X, y, weights)
    w = np.ones(len(y)) if weights is None else weights
    for k, part in enumerate(model.tally_.parts):
        known = ~np.isnan(X[:, k])
        for i in range(len(y)):
            rest = known & (np.arange(len(y)) != i) & (w > 0)
            if not known[i] or not rest.any():
                assert not found[i, k].any()
                continue
            for j, density in enumerate(kind._densities(part)):
                whole = kind._density(part, part.table.sum(axis=0).astype(float))
                rows = rest & (y == j)
                h = density.bandwidth if rows.any() else whole.bandwidth
                rows = rows if rows.any() else rest
                terms = np.log(w[rows] / w[rows].sum()) - 0.5 * ((X[i, k] - X[rows, k]) / h) ** 2
                expected = np.logaddexp.reduce(terms) - np.log(h * np.sqrt(2 * np.pi))
                assert found[i, k, j] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(data=st.data())
def test_a_kernel_of_given_width_is_a_refit(data):
    X, y, weights = data.draw(samples(NUMBERS))
    model = fitted(X, y, weights, columns=db.Kernel(bandwidth=20.0), missing="state")
    expected = refits(model, X, y, weights)
    assert left_out(model, X, y, weights) == pytest.approx(expected, abs=1e-3, rel=1e-9)  # a refit interpolates


@pytest.mark.parametrize("how", ["frequency", "mdl"])
@given(data=st.data())
def test_bins_of_many_values_are_given_the_cuts(how, data):
    X, y, weights = data.draw(samples(LABELS))
    kind = db.Binned(bins=3, how=how)
    model = fitted(X, y, weights, columns=kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binned, "_MOST_RECUT", 0)
        found = left_out(model, X, y, weights)
    w = np.ones(len(y)) if weights is None else weights
    for k, part in enumerate(model.tally_.parts):
        bins = np.searchsorted(kind.cuts(part), X[:, k])
        for i in np.flatnonzero(~np.isnan(X[:, k])):
            rest = (np.arange(len(y)) != i) & ~np.isnan(X[:, k])
            of_class = [rest & (y == j) for j in CLASSES]
            counts = np.array([w[rows & (bins == bins[i])].sum() for rows in of_class])
            whole = np.array([w[rows].sum() for rows in of_class])
            assert np.exp(found[i, k]) == pytest.approx((counts + 1) / (whole + len(kind.cuts(part)) + 1))
