"""What every distribution of a column does: it merges, forgets, ignores missing values and never gives NaN."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError, NegativeCountError
from tests.estimate.samples import log_likelihood

rng = np.random.default_rng(0)
N = 90
NUMBERS = rng.normal(size=(N, 3)) * [1, 100, 1e-3] + [0, 50, 1]
NUMBERS[rng.uniform(size=(N, 3)) < 0.1] = np.nan
WHOLE = rng.negative_binomial(2, 0.2, size=(N, 3)).astype(float)
Y = np.arange(N) % 3

KINDS = {
    "negative-binomial": (db.NegativeBinomial(), WHOLE),
    "width": (db.Binned(), NUMBERS),
    "frequency": (db.Binned(bins=4, how="frequency"), NUMBERS),
    "mdl": (db.Binned(how="mdl"), NUMBERS + Y[:, None] * [1, 100, 1e-3]),
    "nrd0": (db.Kernel(), NUMBERS),
    "SJ": (db.Kernel(bandwidth="SJ"), NUMBERS),
    "number": (db.Kernel(bandwidth=0.5), NUMBERS),
}
kinds = pytest.mark.parametrize("name", KINDS)


def model_of(name):
    return db.NaiveBayes(KINDS[name][0], missing="skip", weights=None)


@pytest.mark.parametrize(
    "kind",
    [db.Categorical(), db.Bernoulli(), db.Gaussian(), db.Poisson(), db.Exponential(), db.LogNormal(), db.Ignore()],
    ids=lambda kind: type(kind).__name__,
)
def test_a_missing_number_says_nothing(kind):
    model = db.NaiveBayes({"n": kind}, weights=None).fit({"n": [1.0, 2.0, np.nan, 4.0]}, [0, 0, 1, 1])
    assert log_likelihood(model, {"n": [np.nan]}).tolist() == [[0.0, 0.0]]
    assert np.isfinite(log_likelihood(model, {"n": [1.0, 4.0]})).all()


@kinds
@given(seed=st.integers(0, 50), cut=st.integers(3, N - 3))
def test_batches_are_one_fit(name, seed, cut):
    data = KINDS[name][1]
    order = np.random.default_rng(seed).permutation(N)
    batches = model_of(name)
    for rows in (order[:cut], order[cut:]):
        batches.partial_fit(data[rows], Y[rows], classes=[0, 1, 2])
    whole = model_of(name).fit(data, Y)
    assert batches.predict_joint_log_proba(data) == pytest.approx(whole.predict_joint_log_proba(data), rel=1e-9)
    if name != "negative-binomial":
        assert batches.tally_ == whole.tally_


@kinds
def test_forgetting_is_never_having_seen(name):
    data = KINDS[name][1]
    model = model_of(name).fit(data, Y).forget(data[60:], Y[60:])
    never = model_of(name).fit(data[:60], Y[:60])
    assert model.predict_joint_log_proba(data) == pytest.approx(never.predict_joint_log_proba(data), rel=1e-6)
    empty = model.forget(data[:60], Y[:60])
    assert empty.tally_.is_empty
    assert np.isfinite(empty.predict_proba(data)).all()
    with pytest.raises((NegativeCountError, InputError)):
        never.forget(np.repeat(data[60:], 3, axis=0), np.repeat(Y[60:], 3))


@kinds
def test_a_model_survives_pickling_scaling_and_printing(name):
    data = KINDS[name][1]
    model = model_of(name).fit(data, Y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301  our own bytes
    assert np.array_equal(again.predict_proba(data), model.predict_proba(data))
    assert np.isfinite(model.decay(0.01).predict_proba(data)).all()
    assert "x0" in str(model.tally_)


@kinds
def test_a_missing_value_says_nothing(name):
    model = model_of(name).fit(KINDS[name][1], Y)
    assert not model.evidence(np.full((1, 3), np.nan)).columns.any()


@kinds
@pytest.mark.parametrize("constant", [0.0, 7.0, 1e300])
def test_a_constant_column_says_nothing(name, constant):
    model = model_of(name).fit(np.full((6, 1), constant), [0, 0, 0, 0, 1, 2])
    columns = model.evidence([[constant], [3.0]]).columns
    assert columns == pytest.approx(np.broadcast_to(columns[:, :, :1], columns.shape), rel=1e-12)


@kinds
@given(
    x=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=12),
    q=st.floats(allow_nan=False, allow_infinity=False),
)
@example(x=[4e-293, -1.0, -1.0, 3e-252, -1.0, -7e-272, 1e308], q=3.0)
def test_no_finite_input_gives_nan(name, x, q):
    data = np.array(x)[:, None]
    if name == "negative-binomial":
        data, q = np.floor(np.abs(data)), float(np.floor(abs(q)))
    model = db.NaiveBayes(KINDS[name][0], weights=None).fit(data, np.arange(len(x)) % 3)
    joint = model.predict_joint_log_proba(np.append(data, [[q]], axis=0))
    assert np.isfinite(joint).all()


@kinds
def test_a_class_without_rows_is_no_obstacle(name):
    data = KINDS[name][1]
    model = model_of(name).partial_fit(data, Y % 2, classes=[0, 1, 2])
    assert np.isfinite(model.evidence(data).columns).all()
