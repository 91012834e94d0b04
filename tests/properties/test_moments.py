"""Moments as a group: parts add up to the whole, and what is taken out leaves what was never there to begin with.

All errors are measured against the spread of the values, never against their size.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import PrecisionError
from deciban.estimate import Gaussian
from deciban.read import Matrix, read_target
from deciban.tallies import Sample, gather_moments

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def moments(values, weights=None):
    """The moments of one column in one class."""
    x = np.asarray(values, dtype=np.float64)
    sample = Sample.of(read_target(np.zeros(len(x), dtype=np.int64), len(x)), weights)
    return gather_moments(Matrix(x[:, None]), sample, "test", missing_allowed=True)


def exact_moments(values, weights=None):
    """Mean and standard deviation of doubles, as if there were no rounding."""
    x = [Fraction(float(v)) for v in values]
    w = [Fraction(1)] * len(x) if weights is None else [Fraction(float(v)) for v in weights]
    mean = sum(a * b for a, b in zip(w, x, strict=True)) / sum(w)
    variance = sum(a * (b - mean) ** 2 for a, b in zip(w, x, strict=True)) / sum(w)
    return mean, math.sqrt(variance)


def assert_exact(found, values, weights=None, tolerance=1e-9):
    mean, sd = exact_moments(values, weights)
    assert abs(Fraction(float(found.mean[0, 0])) - mean) <= tolerance * sd + math.ulp(float(mean))
    n = float(np.broadcast_to(found.weight, found.mean.shape)[0, 0])
    assert math.sqrt(found.deviation[0, 0] / n) == pytest.approx(sd, rel=tolerance, abs=0)


@st.composite
def clusters(draw, widths=(1e-3, 1.0, 300.0)):
    """Values of some spread around an offset of any size up to 10⁸ times as large."""
    width = draw(st.sampled_from(widths))
    offset = draw(st.sampled_from([0.0, 1.0, -37.5, 1e5, 1e8])) * width
    rows = draw(st.integers(3, 40))
    seed = draw(st.integers(0, 2**32 - 1))
    return offset + width * np.random.default_rng(seed).standard_normal(rows)


OUTLIERS = st.lists(
    st.floats(-1e9, 1e9, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-9), min_size=1, max_size=30
)


@given(clusters((1.0, 300.0)), OUTLIERS, st.randoms(use_true_random=False))
@example(np.array([1.0, 2.0, 3.0, 4.0]), [1e7], None)
@example(np.array([1.1, 2.2, 3.3, 4.4]), [1e9] * 8, None)
@settings(max_examples=100)
def test_outliers_leave_no_trace(cluster, outliers, shuffle):
    values = [*cluster.tolist(), *outliers]
    if shuffle is not None:
        shuffle.shuffle(values)
    left = moments(values) - moments(outliers)
    assert_exact(left, cluster)


@given(st.lists(clusters(), min_size=2, max_size=4), st.integers(0, 99))
@settings(max_examples=75)
def test_parts_add_up_to_the_whole(parts, seed):
    whole = np.concatenate(parts)
    joined = moments(parts[0])
    for part in parts[1:]:
        joined = joined + moments(part)
    order = np.random.default_rng(seed).permutation(len(whole))
    assert_exact(joined, whole)
    assert_exact(moments(whole[order]), whole)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1.7e9, -1.7e12, 1e15])
@pytest.mark.parametrize("rows", [5, 3000, 40_000])
def test_offsets_cost_nothing(offset, rows):
    x = offset + np.random.default_rng(rows).integers(0, 8, rows)
    w = np.random.default_rng(rows + 1).uniform(0.1, 3.0, rows)
    assert_exact(moments(x), x, tolerance=1e-14)
    assert_exact(moments(x, w), x, w, tolerance=1e-12)
    assert_exact(moments(x).scaled(0.25), x, tolerance=1e-14)


def test_half_of_many_rows_far_away_can_be_forgotten():
    rng = np.random.default_rng(3)
    near, far = rng.normal(5.0, 1.0, 30_000), rng.normal(1e9, 1e3, 30_000)
    mixed = rng.permutation(np.concatenate([near, far]))
    assert_exact(moments(mixed) - moments(far), near)
    X, y = np.append(mixed, [0.0, 1.0])[:, None], np.append(np.zeros(60_000), [1, 1])
    model = db.GaussianNB().fit(X, y).forget(far[:, None], np.zeros(30_000))
    fresh = db.GaussianNB().fit(np.append(near, [0.0, 1.0])[:, None], np.append(np.zeros(30_000), [1, 1]))
    np.testing.assert_allclose(model.var_, fresh.var_, rtol=1e-9)
    np.testing.assert_allclose(model.theta_, fresh.theta_, rtol=1e-12)


def test_an_outlier_is_forgotten_by_the_model():
    X, y = [[1], [2], [3], [4], [11], [12], [13], [14], [1e7]], [0, 0, 0, 0, 1, 1, 1, 1, 0]
    model = db.GaussianNB().fit(X, y).forget([[1e7]], [0])
    assert model.var_ == pytest.approx(np.full((2, 1), 1.25), rel=1e-7)
    assert model.tally_ == db.GaussianNB().fit(X[:-1], y[:-1]).tally_


@pytest.mark.parametrize("outlier", [1e200, 1.7e308, 1e60, 1e22])
def test_lost_digits_are_an_error_that_changes_nothing(outlier):
    X, y = np.array([[0.1], [0.25], [outlier], [3.0], [4.0]]), [0, 0, 0, 1, 1]
    model = db.GaussianNB().fit(X, y)
    before = model.tally_
    with pytest.raises(PrecisionError, match=r"column 'x0': .* no longer known to 1e-09 .* Fit the rows that remain"):
        model.forget(X[2:3], [0])
    assert model.tally_ is before
    assert model.forget(X[4:], [1]).class_count_.tolist() == [3, 1]  # another class is as it was


@pytest.mark.parametrize("constant", [0.0, 3.0, 1e9, 0.1, -2.5e-4])
def test_what_is_constant_stays_so(constant):
    rng = np.random.default_rng(0)
    others = rng.normal(size=50) * max(abs(constant), 1.0)
    held = moments([constant, *others, constant, constant]) - moments(others)
    assert held.deviation[0, 0] == 0.0
    assert held.mean[0, 0] == constant
    assert moments([constant] * 70_000).deviation[0, 0] == 0.0


def test_integers_are_exact_whatever_was_taken_out():
    held = moments([5, 2**40, 5, 5, -(2**41)]) - moments([2**40, -(2**41)])
    assert (held.mean[0, 0], held.deviation[0, 0]) == (5.0, 0.0)


def test_one_value_at_a_time_keeps_as_much():
    times = 1.7e9 + np.random.default_rng(1).exponential(1.0, 6_000)
    rows = [*times.tolist(), 1e12]
    model = db.NaiveBayes(columns={"t": Gaussian()}, weights=None)
    for i, t in enumerate(rows):
        model.learn_one({"t": t}, i % 2)
    model.forget({"t": [1e12]}, [0])
    fresh = db.NaiveBayes(columns={"t": Gaussian()}, weights=None).fit({"t": times}, np.arange(6_000) % 2)
    assert model.tally_.parts[0].deviation == pytest.approx(fresh.tally_.parts[0].deviation, rel=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("cols", "rows"), [(1, 1100), (2, 45), (7, 90), (8, 200), (11, 1300), (19, 70)])
def test_every_width_and_number_of_rows_is_summed_to_all_digits(cols, rows, dtype, is_weighted):
    rng = np.random.default_rng(cols)
    offsets = rng.choice([0.0, 1.0, 1e3, -1e6], cols)
    x = (offsets + rng.standard_normal((rows, cols))).astype(dtype)
    x[rng.integers(rows), rng.integers(cols)] = 1e9
    y = rng.choice(3, rows, p=[0.1, 0.3, 0.6])
    w = rng.choice([0.0, 0.1, 1.0, 7.3], rows) if is_weighted else np.ones(rows)
    sample = Sample.of(read_target(y, rows), w if is_weighted else None)
    found = gather_moments(Matrix(x), sample, "test", missing_allowed=True)
    for j in range(3):
        for c in range(cols):
            own = (y == j) & (w > 0)
            shift, *parts = (Fraction(float(table[j, c])) for table in found.sums[:5])
            d = [Fraction(float(v)) - shift for v in x[own, c]]
            weights = [Fraction(float(v)) for v in w[own]]
            for power, sums in ((1, parts[:2]), (2, parts[2:])):
                terms = [a * b**power for a, b in zip(weights, d, strict=True)]
                assert abs(sum(sums) - sum(terms)) <= Fraction(2) ** -95 * sum(abs(t) for t in terms)


@pytest.mark.parametrize("classes", [2, 3])
def test_live_predictions_do_not_depend_on_when_others_were_made(classes):
    rng = np.random.default_rng(classes)
    rows = [{"a": float(v), "b": float(v) ** 2} for v in rng.standard_normal(200)]
    labels = rng.integers(0, classes, 200).tolist()
    late, often, now_and_then = (db.NaiveBayes(weights=None) for _ in range(3))
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        for model, every in ((late, 1000), (often, 1), (now_and_then, 7)):
            model.learn_one(row, label)
            if i % every == every - 1:
                model.predict_proba_one(row)
    probe = {"a": 0.3, "b": 0.7}
    assert late.predict_proba_one(probe) == often.predict_proba_one(probe) == now_and_then.predict_proba_one(probe)
