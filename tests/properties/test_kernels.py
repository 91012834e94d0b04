"""Each kernel computes what its readable twin computes, for any type, layout, weights and missing values."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from deciban.tallies import kernels
from deciban.tallies.kernels import Weighing
from tests.reference import tallies as reference
from tests.strategies import code_samples, number_samples, term_samples

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def as_rows(X):
    """Python numbers, None for NaN: what the twins take."""
    return [[None if isinstance(v, float) and math.isnan(v) else v for v in row] for row in X.tolist()]


def exact(weights):
    return None if weights is None else [Fraction(w) for w in weights.tolist()]


def forms(X):
    """The same matrix: dense, as columns that differ in type and stride, and sparse."""
    yield [_narrow(X[:, i]) if i % 2 else X[:, i] for i in range(X.shape[1])]
    csr = sp.csr_array(X)
    wide = sp.csr_array((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), shape=csr.shape)
    yield X
    for m in (csr, wide):
        yield m.data, m.indices, m.indptr, m.shape[1]


def _narrow(column):
    """The same numbers in the smallest type that holds them."""
    small = column.astype(np.int16 if np.isfinite(column).all() else np.float32)
    return small if np.array_equal(small, column, equal_nan=True) else column.astype(np.float64)


@given(code_samples())
def test_count_codes(sample):
    sizes = [7] * sample.X.shape[1]
    rows = [[int(v) for v in row] for row in as_rows(sample.X)]
    twin = reference.count_codes(rows, sample.y.tolist(), sample.classes, sizes, exact(sample.weights))
    for x in forms(sample.X):
        tables, fault = kernels.count_codes(x, sample.y, sample.classes, sample.weights, missing_allowed=False)
        assert fault is None
        for table, expected in zip(tables, twin, strict=True):
            padded = np.pad(table, ((0, 0), (0, 7 - table.shape[1])))
            assert padded.tolist() == [[float(n) for n in row] for row in expected]


def settled(weight, sums):
    """Means and sums of squared deviations."""
    return kernels.settle_moments(np.ascontiguousarray(np.broadcast_to(weight, sums.shape[1:])), sums)


@given(number_samples(), st.booleans())
def test_class_moments(sample, has_gaps):
    X = sample.X.copy()
    if has_gaps:
        X.ravel()[::3] = np.nan
    rows = [[None if v is None else Fraction(v) for v in row] for row in as_rows(X)]
    twin = reference.class_moments(rows, sample.y.tolist(), sample.classes, exact(sample.weights))
    for x in forms(X):
        weight, sums, fault = kernels.class_moments(x, sample.y, sample.classes, sample.weights, missing_allowed=True)
        assert fault is None
        mean, deviation = settled(weight, sums)
        for j in range(sample.classes):
            for k in range(X.shape[1]):
                n, m, d = (float(v) for v in twin[j][k])
                assert np.broadcast_to(weight, mean.shape)[j, k] == n
                assert mean[j, k] == pytest.approx(m, rel=1e-12, abs=1e-12)
                assert deviation[j, k] == pytest.approx(d, rel=1e-12, abs=1e-9)


@given(term_samples(), st.sampled_from([None, 0.0, 2.0]))
def test_sum_terms(sample, threshold):
    weighing = Weighing(threshold=threshold)
    amounts = weighing.amount(sample.X)
    twin = reference.sum_terms(as_rows(amounts), sample.y.tolist(), sample.classes, exact(sample.weights))
    for x in forms(sample.X):
        sums, missing, fault = kernels.sum_terms(x, sample.y, sample.classes, sample.weights, weighing)
        assert (missing, fault) == (None, None)
        assert sums.tolist() == [[float(v) for v in row] for row in twin]


def finished(joint, prior, want):
    if want == "joint":
        return joint
    log_posterior = reference.log_posterior(joint, prior)
    if want == "best":
        return max(range(len(joint)), key=lambda j: (log_posterior[j], -j))
    return log_posterior if want == "log_posterior" else [math.exp(v) for v in log_posterior]


def check_scores(score, twin, prior, want, rows):
    scores, fault = score(want)
    assert fault is None
    joint = [twin(row) for row in rows]
    expected = [finished(row, prior, want) for row in joint]
    if want == "best":
        for code, row in zip(scores.tolist(), joint, strict=True):
            assert row[code] == pytest.approx(max(row), rel=1e-12)
    else:
        assert scores == pytest.approx(np.array(expected), rel=1e-11, abs=1e-12)


WANTS = st.sampled_from(["best", "joint", "log_posterior", "posterior"])


@given(
    st.integers(1, 5).flatmap(
        lambda k: st.lists(st.lists(st.floats(-800, 10) | st.just(-math.inf), min_size=k, max_size=k), min_size=1)
    ),
    st.sampled_from(["best", "log_posterior", "posterior"]),
)
def test_finish(joint, want):
    prior = np.log(np.arange(1.0, len(joint[0]) + 1) / np.arange(1.0, len(joint[0]) + 1).sum())
    check_scores(
        lambda want: (kernels.finish(np.array(joint), prior, want), None), lambda row: row, prior.tolist(), want, joint
    )


def test_finish_leaves_certain_classes_alone():
    joint = np.array([[np.inf, 0.0, np.inf], [-np.inf, np.inf, 5.0]])
    assert kernels.finish(joint, np.log([0.2, 0.2, 0.6]), "posterior") == pytest.approx(
        np.array([[0.25, 0.0, 0.75], [0.0, 1.0, 0.0]])
    )


def test_finish_takes_every_stripe():
    joint = np.random.default_rng(2).normal(scale=40, size=(70_001, 3))
    expected = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    assert kernels.finish(joint, np.log([0.2, 0.3, 0.5]), "posterior") == pytest.approx(expected, rel=1e-11)
    assert np.array_equal(kernels.finish(joint, np.zeros(3), "best"), joint.argmax(axis=1))


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 9), st.integers(0, 2)), min_size=1), st.booleans())
def test_columns_of_codes_may_have_gaps(rows, is_weighted):
    codes, other, y = (np.array(part, dtype=np.int32) for part in zip(*rows, strict=True))
    weights = np.linspace(0.5, 2, len(y)) if is_weighted else None
    known = [[None if v < 0 else v for v in row[:2]] for row in rows]
    twin = reference.count_codes(known, y.tolist(), 3, [5, 10], exact(weights))
    tables, fault = kernels.count_codes([codes, other], y, 3, weights, missing_allowed=True, minus_is_missing=True)
    assert fault is None
    for table, expected in zip(tables, twin, strict=True):
        found = np.pad(table, ((0, 0), (0, len(expected[0]) - table.shape[1])))
        assert found == pytest.approx(np.array([[float(n) for n in row] for row in expected]), rel=1e-12)
    if (codes < 0).any() or (other < 0).any():
        _, fault = kernels.count_codes([codes, other], y, 3, weights, missing_allowed=False, minus_is_missing=True)
        assert fault[0] == "missing"


@pytest.mark.parametrize("columns", [[], [np.zeros(2), np.zeros(3)], [np.zeros((2, 2))], [np.array(["a", "b"])]])
def test_columns_that_make_no_table_are_refused(columns):
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        kernels.class_moments(columns, np.zeros(2, dtype=np.int32), 1, None, missing_allowed=True)


@given(number_samples(), WANTS, st.booleans())
def test_score_gaussian(sample, want, has_gaps):
    X = sample.X.copy()
    if has_gaps:
        X.ravel()[::2] = np.nan
    rng = np.random.default_rng(X.shape)
    mean = rng.normal(size=(sample.classes, X.shape[1]))
    variance = rng.uniform(0.5, 4e4, mean.shape)
    prior = np.log(rng.dirichlet(np.ones(sample.classes)))
    packed = tuple(map(kernels.pack_columns, (mean, 0.5 / variance, -0.5 * np.log(2 * np.pi * variance))))
    for x in forms(X):
        check_scores(
            lambda want, x=x: kernels.score_gaussian(x, prior, packed, want, missing_allowed=True),
            lambda row: reference.score_gaussian(row, prior.tolist(), mean.tolist(), variance.tolist()),
            prior.tolist(),
            want,
            as_rows(X),
        )


@given(term_samples(), WANTS, st.integers(1, 40))
def test_score_linear(sample, want, classes):
    rng = np.random.default_rng(sample.X.shape)
    weight = np.log(rng.uniform(size=(classes, sample.X.shape[1])))
    weight[rng.uniform(size=weight.shape) < 0.1] = -np.inf
    prior = np.log(rng.dirichlet(np.ones(classes)))
    for x in forms(sample.X):
        check_scores(
            lambda want, x=x: kernels.score_linear(x, prior, prior, kernels.pack_classes(weight), want, Weighing()),
            lambda row: reference.score_linear(row, prior.tolist(), weight.tolist()),
            prior.tolist(),
            want,
            as_rows(sample.X),
        )


@given(code_samples(), WANTS, st.integers(1, 20))
def test_score_table(sample, want, classes):
    rng = np.random.default_rng(sample.X.shape)
    sizes = rng.integers(1, 7, sample.X.shape[1])  # larger codes are unseen
    tables = [np.log(rng.uniform(size=(classes, size + 1))) for size in sizes]  # the last state: unseen
    packed = np.concatenate([np.pad(kernels.pack_classes(t), ((0, 1), (0, 0))) for t in tables])
    prior = np.log(rng.dirichlet(np.ones(classes)))
    rows = [[min(int(v), int(s)) for v, s in zip(row, sizes, strict=True)] for row in sample.X.tolist()]
    for x in forms(sample.X):
        check_scores(
            lambda want, x=x: kernels.score_table(x, prior, packed, sizes, want, missing_allowed=False),
            lambda row: reference.score_table(row, prior.tolist(), [t.tolist() for t in tables]),
            prior.tolist(),
            want,
            rows,
        )


@given(term_samples(), st.sampled_from([0.0, 0.5, 1.0]))
def test_pack_logs(sample, alpha):
    counts = np.asarray(sample.X, dtype=np.float64) * 400.25
    whole = counts.sum(axis=1) + 1.0
    with np.errstate(divide="ignore"):
        expected = np.log(counts + alpha) - np.log(whole)[:, None]
    packed = kernels.pack_logs(counts, alpha, whole)
    assert packed[:, : len(counts)] == pytest.approx(expected.T, rel=1e-13)
    assert kernels.pack_logs(counts, np.full(counts.shape[1], alpha), whole) == pytest.approx(packed, rel=1e-13)


@given(term_samples(), st.sampled_from([0.5, 1.0]), st.booleans())
def test_pack_complement(sample, alpha, is_shared):
    counts = np.asarray(sample.X, dtype=np.float64) * 40.25
    others = counts.sum(axis=0) - counts
    whole = others.sum(axis=1) + 1.0
    pseudo = alpha if is_shared else np.linspace(alpha, 2.0, counts.shape[1])
    expected = np.log(whole)[:, None] - np.log(others + pseudo)
    packed = kernels.pack_complement(counts, pseudo, whole)
    assert packed[:, : len(counts)] == pytest.approx(expected.T, rel=1e-12, abs=1e-13)
    assert not packed[:, len(counts) :].any()


@given(term_samples(), st.sampled_from([0.5, 1.0]), st.booleans())
def test_pack_presence(sample, alpha, is_shared):
    counts = np.asarray(sample.X, dtype=np.float64)
    rows = counts.max(axis=1, initial=0.0) + 3.0
    pseudo = alpha if is_shared else np.linspace(alpha, 2.0, counts.shape[1])
    absent = np.log(rows[:, None] - counts + pseudo)
    packed, none_present = kernels.pack_presence(counts, pseudo, rows)
    assert packed[:, : len(counts)] == pytest.approx((np.log(counts + pseudo) - absent).T, rel=1e-12, abs=1e-13)
    assert none_present == pytest.approx(
        (absent - np.log(rows[:, None] + 2.0 * np.broadcast_to(pseudo, counts.shape))).sum(axis=1)
    )


def test_large_inputs_take_every_stripe():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, (70_001, 11)), rng.integers(0, 3, 70_001).astype(np.int32)
    tables, _ = kernels.count_codes(X, y, 3, None, missing_allowed=False)
    for k, table in enumerate(tables):
        expected = np.zeros((3, 9), dtype=int)
        np.add.at(expected, (y, X[:, k]), 1)
        assert np.array_equal(table, expected)
    weight, sums, _ = kernels.class_moments(X.astype(float), y, 3, None, missing_allowed=False)
    mean, deviation = settled(weight, sums)
    for j in range(3):
        assert weight[j, 0] == (y == j).sum()
        assert mean[j] == pytest.approx(X[y == j].mean(axis=0), rel=1e-13)
        assert deviation[j] == pytest.approx(((X[y == j] - X[y == j].mean(axis=0)) ** 2).sum(axis=0), rel=1e-12)
    sums, _, _ = kernels.sum_terms(X, y, 3, None, Weighing())
    assert np.array_equal(sums, np.array([X[y == j].sum(axis=0) for j in range(3)]))


def test_moments_survive_a_mean_far_from_zero():
    # E[x²] − E[x]² would lose every digit here.
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(50_000, 2))
    y = np.zeros(50_000, dtype=np.int32)
    weight, sums, _ = kernels.class_moments(noise + 1e9, y, 1, None, missing_allowed=False)
    _, deviation = settled(weight, sums)
    shifted = (noise + 1e9) - 1e9
    assert deviation[0] == pytest.approx(((shifted - shifted.mean(axis=0)) ** 2).sum(axis=0), rel=1e-9)


@pytest.mark.parametrize("value", [1e200, -1e300, 1.7e308])
def test_enormous_values_never_give_nan(value):
    X = np.array([[value, 1.0], [-value, 2.0], [0.0, 3.0]])
    weight, sums, fault = kernels.class_moments(X, np.zeros(3, dtype=np.int32), 1, None, missing_allowed=False)
    mean, deviation = settled(weight, sums)
    assert fault is None
    assert np.isfinite(mean).all()
    assert not np.isnan(deviation).any()


@given(code_samples(), st.integers(1, 6))
def test_count_values(sample, gap):
    x = np.where(np.arange(len(sample.X)) % gap == gap - 1, np.nan, sample.X[:, 0].astype(np.float64) - 2.0)
    held = [None if math.isnan(v) else v for v in x.tolist()]
    values, table = reference.count_values(held, sample.y.tolist(), sample.classes, exact(sample.weights))
    found = kernels.count_values(x, sample.y, sample.classes, sample.weights, len(values))
    assert found is not None
    assert found[0].tolist() == values
    assert found[1].tolist() == [[float(n) for n in row] for row in table]
    if values:
        assert kernels.count_values(x, sample.y, sample.classes, sample.weights, len(values) - 1) is None


def test_many_values_and_both_zeros():
    x = np.random.default_rng(0).permutation(np.concatenate([np.arange(5000.0), -np.arange(5000.0)]))
    values, table = kernels.count_values(x, np.zeros(10_000, np.int32), 1, None, 9999)
    assert values.tolist() == list(range(-4999, 5000))
    assert table[0, 4999] == 2
    assert table.sum() == 10_000


@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any), max_size=12))
def test_description_cuts(counts):
    table = np.array(counts, dtype=np.float64).reshape(-1, 3)
    assert kernels.description_cuts(table, 1e-9).tolist() == reference.description_cuts(counts, 1e-9)


@given(
    st.lists(st.one_of(st.none(), st.integers(-3, 12).map(float)), max_size=20),
    st.lists(st.integers(0, 9), max_size=5, unique=True).map(sorted),
)
def test_add_bins(x, cuts):
    table = np.random.default_rng(len(x)).normal(size=(len(cuts) + 1, 3))
    out = np.zeros((len(x), 3))
    held = np.array([np.nan if v is None else v for v in x], dtype=np.float64)
    kernels.add_bins(held, np.array(cuts, dtype=np.float64), table, out)
    assert out.tolist() == reference.add_bins(x, cuts, table.tolist())
