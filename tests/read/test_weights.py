"""Sample weights: one for each row, and a wrong one is named with its row instead of spoiling all counts."""

import numpy as np
import pytest

from deciban.errors import InputError
from deciban.read.target import read_weights, weighted_sum


def test_weights_are_read():
    assert read_weights(None, 3) is None
    assert read_weights(2, 3).tolist() == [2.0, 2.0, 2.0]
    assert read_weights([0, 1.5], 2).tolist() == [0.0, 1.5]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1.0], r"expected \(2,\)"),
        ([[1.0], [2.0]], "2D array"),
        ([1.0, np.nan], "NaN or infinity"),
        ([1.0, np.inf], "NaN or infinity"),
        ([1.0, -3.0], "-3 in row 1"),
    ],
    ids=str,
)
def test_wrong_weights_are_named(weights, says):
    with pytest.raises(InputError, match=says):
        read_weights(weights, 2)


def test_an_impossible_row_of_weight_zero_is_ignored():
    logs = np.array([-1.0, -np.inf, -2.0])
    assert weighted_sum(logs, None) == -np.inf
    assert weighted_sum(logs, [2, 0, 0.5]) == -3.0


@pytest.mark.parametrize("sample_weight", [1e154, [1.0, 1e154, 1.0]])
def test_weights_that_would_overflow_are_refused(sample_weight):
    with pytest.raises(InputError, match=r"sample_weight is 1e\+154 in row [01], and may be 1e\+100 at most"):
        read_weights(sample_weight, 3)
    assert read_weights(1e100, 3).tolist() == [1e100] * 3
