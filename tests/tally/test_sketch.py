"""The sketch of a numeric column: parts join to the whole, and buckets are near what they hold."""

import numpy as np
import pytest

from deciban.errors import ColumnMismatchError, NegativeCountError
from deciban.read import Variable
from deciban.tally import Sample, Sketch, sketch_column
from deciban.tally.sketch import RELATIVE_ERROR, bucketed

rng = np.random.default_rng(0)


def sample_of(classes, number, weights=None):
    codes = np.asarray(classes, dtype=np.int32)
    return Sample(Variable.of("y", range(number)), codes, np.bincount(codes, weights, number), weights)


def test_a_bucket_is_near_what_it_holds():
    values = np.concatenate([10.0 ** rng.uniform(-307, 308, 20_000), [1.0, 1e308, 5e-324, 0.0, np.finfo(float).max]])
    values = np.concatenate([values, -values])
    middle = bucketed(values)
    error = np.abs(middle - values)
    assert (error <= RELATIVE_ERROR * np.abs(values) * (1 + 1e-9) + 3e-308).all()
    assert np.array_equal(bucketed(middle), middle)
    assert np.array_equal(np.sort(middle), bucketed(np.sort(values)))


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
