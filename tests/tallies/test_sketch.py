"""The sketch of a numeric column: parts join to the whole, and buckets are near what they hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, NegativeCountError
from deciban.read import Variable
from deciban.tallies import Sample, Sketch, sketch_column

rng = np.random.default_rng(0)


def sample_of(classes, number, weights=None):
    codes = np.asarray(classes, dtype=np.int32)
    return Sample(Variable.of("y", range(number)), codes, np.bincount(codes, weights, number), weights)


def one_class(values):
    return sketch_column("x", np.asarray(values, dtype=np.float64), sample_of(np.zeros(len(values)), 1))


def test_a_bucket_is_near_what_it_holds():
    values = np.concatenate([10.0 ** rng.uniform(-307, 308, 20_000), [1.0, 1e308, 5e-324, 0.0, np.finfo(float).max]])
    values = np.concatenate([values, -values, 2.0 + 2.0 * rng.uniform(size=9_000)])
    sketch = one_class(values)
    middle = sketch.bucketed(values)
    assert (np.abs(middle - values) <= 2.0**-9 * np.abs(values)).all()
    assert np.array_equal(sketch.bucketed(middle), middle)
    assert np.array_equal(np.sort(middle), sketch.bucketed(np.sort(values)))
    assert sketch.values[sketch.indices(values)].tolist() == middle.tolist()
    assert (np.abs(middle - values) <= sketch.widths[sketch.indices(values)] / 2).all()


CLUSTERS = {
    "times": 1.7e9 + rng.exponential(size=20_000),
    "across a power of 2": 2.0**31 + rng.normal(size=20_000),
    "several": np.concatenate([1.7e9 + rng.normal(size=9_000), 1.2e9 + rng.normal(size=9_000), [1.5e9, 3.0]]),
    "days": 19_700.0 + rng.uniform(size=20_000),
    "negative": -1e12 + 10 * rng.normal(size=20_000),
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_buckets_are_narrow_where_values_lie_close_together(name):
    values = CLUSTERS[name]
    error = np.abs(one_class(values).bucketed(values) - values)
    spread = 10 if name == "negative" else 1
    assert error.max() <= 0.05 * spread
    assert len(one_class(values).values) <= 256 * 4


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, 1.7e9, -4.0]), st.sampled_from([1e-3, 1.0, 1e6])), max_size=4),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=40, deadline=None)
def test_a_sketch_depends_on_the_values_alone(clusters, seed):
    local = np.random.default_rng(seed)
    values = np.concatenate([offset + width * local.normal(size=2500) for offset, width in [*clusters, (0.0, 1.0)]])
    codes = local.integers(0, 2, len(values))
    whole = sketch_column("x", values, sample_of(codes, 2))
    order, ends = local.permutation(len(values)), np.sort(local.integers(0, len(values), 3))
    parts = [sketch_column("x", values[rows], sample_of(codes[rows], 2)) for rows in np.split(order, ends)]
    joined = parts[0]
    for part in parts[1:]:
        joined = part + joined
    assert joined == whole
    assert (joined - parts[1]) + parts[1] == whole


def test_times_tell_classes_apart_whatever_the_number_of_rows():
    for rows in (3_000, 30_000):
        y = rng.integers(0, 2, rows)
        t = 1.7e9 + rng.exponential(size=rows) + 8.0 * y
        for kind in (db.Binned(how="mdl"), db.Binned(bins=20), db.Kernel()):
            model = db.NaiveBayes(columns={"t": kind}).fit({"t": t}, y)
            assert model.score({"t": t}, y) > 0.97


@pytest.mark.parametrize("size", [300, 9000])
def test_parts_of_a_sketch_make_the_whole(size):
    values, classes = rng.normal(size=size), rng.integers(0, 3, size)
    whole = sketch_column("x", values, sample_of(classes, 3))
    parts = [sketch_column("x", values[i::4], sample_of(classes[i::4], 3)) for i in range(4)]
    assert whole.is_exact == (size == 300)
    assert parts[0] + parts[1] + parts[2] + parts[3] == whole
    assert (parts[3] + parts[2]) + (parts[1] + parts[0]) == whole
    assert whole - parts[0] - parts[1] - parts[2] - parts[3] == Sketch("x", np.empty(0), np.zeros((3, 0)))
    assert (whole - parts[0]).table.sum() == size - len(values[::4])
    assert whole.scaled(2.0) == whole + whole
    assert whole.reclassed(np.array([2, 0, 1]), 4).table[2].tolist() == whole.table[0].tolist()
    with pytest.raises(NegativeCountError):
        parts[0] - whole
    with pytest.raises(ColumnMismatchError):
        whole + sketch_column("z", values, sample_of(classes, 3))


def test_missing_and_weightless_rows_are_not_in_a_sketch():
    sample = sample_of([0, 1, 1, 0], 2, np.array([0.5, 0.0, 2.0, 1.0]))
    sketch = sketch_column("x", np.array([-0.0, 5.0, 0.0, np.nan]), sample)
    assert sketch == Sketch("x", np.array([0.0]), np.array([[0.5], [2.0]]))
    assert sketch.sums.tolist() == [[0], [0]]
