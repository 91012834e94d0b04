"""Negative binomial, binned and kernel columns: numbers checked by hand."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import deciban as db
from deciban.errors import InputError, NegativeCountError, ParameterError
from deciban.estimate.bandwidth import nrd0, sheather_jones
from deciban.estimate.density import KernelDensity
from deciban.tallies import Moments, Sketch

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
    return db.NaiveBayes(KINDS[name][0])


def counts_of(values, classes, number):
    labels, places = np.unique(np.asarray(values, dtype=float), return_inverse=True)
    table = np.zeros((number, len(labels)), dtype=np.int64)
    np.add.at(table, (classes, places), 1)
    return Sketch("x", labels, table)


def direct(values, points, weights, h):
    u = (values[:, None] - points) / h
    terms = np.log(weights / weights.sum()) - u**2 / 2
    top = terms.max(axis=1)
    return top + np.log(np.exp(terms - top[:, None]).sum(axis=1)) - np.log(h * np.sqrt(2 * np.pi))


# In a model ------------------------------------------------------------------------------------------------------


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
    assert "x0" in repr(model.tally_)


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
def test_no_finite_input_gives_nan(name, x, q):
    data = np.array(x)[:, None]
    if name == "negative-binomial":
        data, q = np.floor(np.abs(data)), float(np.floor(abs(q)))
    model = db.NaiveBayes(KINDS[name][0]).fit(data, np.arange(len(x)) % 3)
    joint = model.predict_joint_log_proba(np.append(data, [[q]], axis=0))
    assert np.isfinite(joint).all()


@kinds
def test_a_class_without_rows_is_no_obstacle(name):
    data = KINDS[name][1]
    model = model_of(name).partial_fit(data, Y % 2, classes=[0, 1, 2])
    assert np.isfinite(model.evidence(data).columns).all()


# Negative binomial -------------------------------------------------------------------------------------------------


def test_negative_binomial_is_scipys_after_one_more_row_of_the_column():
    # Class 0: 0, 4, 8 (mean 4, M = 32); class 1: 1, 1, 1. Column: mean 2.5, M = 45.5, variance 45.5/6.
    moments = Moments.of(np.full((2, 1), 3.0), np.array([[4.0], [1.0]]), np.array([[32.0], [0.0]]))
    likelihood = db.NegativeBinomial().estimate([moments])
    mean = (12 + 2.5) / 4
    variance = (32 + 45.5 / 6 + 1.5**2 * 3 / 4) / 4
    size = mean**2 / (variance - mean)
    x = np.arange(40.0)
    expected = stats.nbinom.logpmf(x, size, size / (size + mean))
    assert likelihood.sizes[0, 0] == pytest.approx(size)
    assert likelihood.column(0, x)[:, 0] == pytest.approx(expected, rel=1e-12)


def test_counts_that_vary_less_are_poisson():
    moments = Moments.of(np.array([[10.0], [10.0]]), np.array([[5.0], [5.0]]), np.array([[20.0], [5.0]]))
    x = np.arange(20.0)
    narrow = db.NegativeBinomial().estimate([moments]).column(0, x)
    assert np.array_equal(narrow, db.Poisson().estimate([moments]).column(0, x))


@pytest.mark.parametrize("size", [1e-6, 0.3, 99.0, 101.0, 1e5])
def test_sizes_of_any_magnitude_agree_with_scipy(size):
    n, mean = 1e12, 50.0
    moments = Moments.of(np.array([[n]]), np.array([[mean]]), np.array([[n * (mean + mean**2 / size)]]))
    likelihood = db.NegativeBinomial().estimate([moments])
    x = np.array([0.0, 1.0, 40.0, 3000.0])
    assert likelihood.column(0, x)[:, 0] == pytest.approx(stats.nbinom.logpmf(x, size, size / (size + mean)), rel=1e-6)


def test_what_is_no_count_is_refused_in_fit_and_impossible_later():
    with pytest.raises(InputError, match="not whole"):
        db.NaiveBayes(db.NegativeBinomial()).fit([[0.5], [1]], [0, 1])
    model = db.NaiveBayes(db.NegativeBinomial()).fit(WHOLE, Y)
    assert np.isneginf(model.evidence([[0.5, -1.0, 2.0]]).columns[0, :2]).all()


# Bins --------------------------------------------------------------------------------------------------------------


def test_equal_widths_and_smoothed_counts():
    part = counts_of([0, 1, 2, 9, 10, 10], [0, 0, 0, 1, 1, 1], 2)
    kind = db.Binned(bins=5)
    assert kind.cuts(part).tolist() == [2, 4, 6, 8]
    column = kind.estimate([part]).column(0, np.array([-99.0, 2.0, 5.0, 99.0]))
    assert np.exp(column) == pytest.approx(np.array([[4, 1], [4, 1], [1, 1], [1, 4]]) / 8)


def test_equal_frequencies_keep_equal_numbers_together():
    assert db.Binned(bins=3, how="frequency").cuts(counts_of(range(6), [0] * 6, 1)).tolist() == [1.5, 3.5]
    tied = counts_of([1, 1, 1, 1, 2, 3], [0] * 6, 1)
    assert db.Binned(bins=3, how="frequency").cuts(tied).tolist() == [1.5]


def test_mdl_cuts_where_the_classes_part_and_nowhere_else():
    kind = db.Binned(how="mdl")
    assert kind.cuts(counts_of(range(10), [0] * 5 + [1] * 5, 2)).tolist() == [4.5]
    assert kind.cuts(counts_of(range(10), [0, 1] * 5, 2)).tolist() == []
    assert kind.cuts(counts_of(range(60), [0] * 20 + [1] * 20 + [0] * 20, 2)).tolist() == [19.5, 39.5]


def test_mdl_stops_where_the_gain_does_not_pay():
    # Three rows of each of two classes: gain 1 bit; price (log2 5 + log2 7 - 2·1) / 6 = 0.522.
    kind = db.Binned(how="mdl")
    assert kind.cuts(counts_of(range(6), [0] * 3 + [1] * 3, 2)).tolist() == [2.5]
    # Of 2 rows: log2(2 - 1) + log2 7 - 2 = 0.807 over 2 rows is below the gain of 1.
    assert kind.cuts(counts_of(range(2), [0, 1], 2)).tolist() == [0.5]
    # 0 0 1 0 1 1: gain 0.459 at best (after the second), price (log2 5 + log2 7 - (2 - 0 - 2·0.811)) / 6 = 0.792.
    assert kind.cuts(counts_of(range(6), [0, 0, 1, 0, 1, 1], 2)).tolist() == []


def test_a_column_without_cuts_says_nothing():
    model = db.NaiveBayes(db.Binned(how="mdl")).fit(np.arange(10)[:, None], [0, 1] * 5)
    assert not model.evidence([[3], [99]]).columns.any()


@pytest.mark.parametrize("wrong", [{"bins": 0}, {"bins": 2.5}, {"how": "best"}, {"missing": "drop"}])
def test_wrong_parameters_of_bins_are_refused(wrong):
    with pytest.raises(ParameterError):
        db.Binned(**wrong)


# Bandwidths --------------------------------------------------------------------------------------------------------


def test_nrd0_is_rs():
    # R: bw.nrd0(c(1, 2, 4, 7)): sd 2.645751, quartiles 1.75 and 4.75.
    assert nrd0(np.array([1.0, 2, 4, 7]), np.ones(4)) == pytest.approx(0.9 * 3 / 1.34 * 4**-0.2)
    x = np.sort(rng.gamma(2.0, size=200).round(1))
    values, counts = np.unique(x, return_counts=True)
    rule = 0.9 * min(x.std(ddof=1), np.subtract(*np.quantile(x, [0.75, 0.25])) / 1.34) * 200**-0.2
    assert nrd0(values, counts.astype(float)) == pytest.approx(rule)


def test_nrd0_falls_back_as_r_does():
    assert nrd0(np.array([0.0, 1.0]), np.array([9.0, 1.0])) == pytest.approx(0.9 * np.sqrt(0.1) * 10**-0.2)
    assert nrd0(np.array([-3.0]), np.array([32.0])) == pytest.approx(0.9 * 3 / 2)
    assert nrd0(np.array([0.0]), np.array([32.0])) == pytest.approx(0.9 / 2)


def test_sheather_jones_solves_its_equation_by_the_sums_over_all_pairs():
    x = np.sort(np.concatenate([rng.normal(size=150), rng.normal(4, 0.5, size=100)]))
    n = len(x)
    scale = min(x.std(ddof=1), np.subtract(*np.quantile(x, [0.75, 0.25])) / 1.349)

    def functional(h, polynomial, order):
        d = ((x[:, None] - x) / h) ** 2
        return (np.exp(-d / 2) * polynomial(d)).sum() / (n * (n - 1) * h ** (order + 1) * np.sqrt(2 * np.pi))

    def second(h):
        return functional(h, lambda d: d**2 - 6 * d + 3, 4)

    third = -functional(1.23 * scale * n ** (-1 / 9), lambda d: d**3 - 15 * d**2 + 45 * d - 15, 6)
    alpha = 1.357 * (second(1.24 * scale * n ** (-1 / 7)) / third) ** (1 / 7)
    h = sheather_jones(x, np.ones(n))
    assert h == pytest.approx((1 / (2 * np.sqrt(np.pi) * n * second(alpha * h ** (5 / 7)))) ** 0.2, rel=2e-3)
    assert sheather_jones(x * 1e9, np.ones(n)) == pytest.approx(h * 1e9)
    assert h < nrd0(x, np.ones(n))


@pytest.mark.parametrize("wrong", ["nrd", 0, -1.0, np.inf, np.nan])
def test_wrong_bandwidths_are_refused(wrong):
    with pytest.raises(ParameterError, match="bandwidth"):
        db.Kernel(bandwidth=wrong)


# Kernel densities --------------------------------------------------------------------------------------------------

SHAPES = {
    "normal": rng.normal(size=2000),
    "clusters": np.concatenate([rng.normal(c, 0.1, 300) for c in (-5, 0, 0.9, 30)]),
    "heavy": rng.standard_cauchy(1500),
    "skewed": rng.lognormal(0, 3, 1500),
    "few": np.array([0.0, 1.0, 5.0, 5.5]),
    "ties": rng.poisson(3, 1000).astype(float),
    "small": rng.normal(size=500) * 1e-9,
    "far": rng.normal(size=500) + 1e9,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rule", [nrd0, sheather_jones, lambda x, w: 0.01])
def test_a_kernel_density_is_the_direct_sum(shape, rule):
    points, counts = np.unique(SHAPES[shape], return_counts=True)
    weights = counts * rng.uniform(0.5, 2, len(counts))
    h = rule(points, weights)
    density = KernelDensity(points, weights, h)
    near = rng.choice(points, 3000) + h * rng.normal(size=3000) * 4
    values = np.concatenate([near, np.linspace(points[0] - 30 * h, points[-1] + 30 * h, 3000), points])
    expected = direct(values, points, weights, h)
    assert np.abs(density.log_density(values) - expected).max() <= 1e-3
    assert density.exact_log_density(values) == pytest.approx(expected, abs=1e-9, rel=1e-9)


def test_a_model_of_kernels_is_the_sum_over_its_rows():
    x, y = np.array([1.0, 2.0, 4.0, 7.0, 3.0, 3.5, 9.0]), [0, 0, 0, 0, 1, 1, 1]
    model = db.NaiveBayes({"x0": db.Kernel()}).fit(x[:, None], y)
    values = np.array([-50.0, 0.0, 3.3, 1e6])
    expected = [direct(values, part, np.ones(len(part)), nrd0(part, np.ones(len(part)))) for part in (x[:4], x[4:])]
    found = model.evidence(values[:, None]).columns[:, 0].T
    assert found == pytest.approx(np.array(expected), abs=1e-3, rel=1e-12)


def test_a_sketched_model_is_close_to_the_exact_one():
    values = rng.lognormal(size=20_000)
    model = db.NaiveBayes(db.Kernel()).fit(values[:, None], np.zeros(20_000, dtype=int))
    points, weights = np.sort(values), np.ones(20_000)
    q = np.quantile(values, np.linspace(0.01, 0.99, 50))
    expected = direct(q, points, weights, nrd0(points, weights))
    assert not model.tally_.parts[0].is_exact
    assert model.evidence(q[:, None]).columns[:, 0, 0] == pytest.approx(expected, abs=5e-3)
