"""Tables as tests of independence read them: codes in the order of values, whatever type the values have."""

import numpy as np
import pandas as pd
import pytest

from deciban.nets.data.sample import read_codes


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, -2, 3, 7, -2]),
        np.array([3, 200, 3, 255, 200], dtype=np.uint8),
        np.array([5, 5, 5, 5, 5], dtype=np.int8),
        np.array([-128, 127, 0, 127, 0], dtype=np.int8),
        np.array([0, 1 << 40, 0, 5, 5]),
        np.array([1 << 63, (1 << 63) + 2, 1 << 63, 1 << 63, (1 << 63) + 2], dtype=np.uint64),
        np.array([-(1 << 63), 5 - (1 << 63), -(1 << 63), -(1 << 63), -(1 << 63)]),
        np.array([0, 5_000, 0, 5_000, 17]),
    ],
    ids=lambda values: f"{values.dtype} {values[0]}",
)
def test_whole_numbers_are_coded_in_their_order(values):
    sample = read_codes(pd.DataFrame({"a": values, "b": values[::-1]}))
    states, codes = np.unique(values, return_inverse=True)
    assert sample.sizes.tolist() == [len(states)] * 2
    assert sample.codes.tolist() == [codes.tolist(), codes[::-1].tolist()]


def test_a_gap_is_the_code_after_the_last():
    sample = read_codes({"a": [1.0, np.nan, 3.0], "b": ["x", None, "y"]})
    assert sample.codes.tolist() == [[0, 2, 1], [0, 2, 1]] and sample.sizes.tolist() == [2, 2]
