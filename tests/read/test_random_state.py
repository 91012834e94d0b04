"""A random state is whatever NumPy and scikit-learn take, and a count is a whole number."""

import numpy as np
import pytest

from deciban.errors import InputTypeError, ParameterError
from deciban.estimate.drawing import read_count, read_seed


def test_the_same_state_gives_the_same_seed():
    assert read_seed(3) == read_seed(3) != read_seed(4)
    assert read_seed(np.random.default_rng(3)) == read_seed(3)
    assert read_seed(np.random.RandomState(3)) == read_seed(np.random.RandomState(3))
    assert read_seed(None) != read_seed(None)


def test_anything_else_is_refused():
    with pytest.raises(InputTypeError, match="random_state is None"):
        read_seed("seven")
    with pytest.raises(InputTypeError, match=r"n is a whole number, not 1\.5"):
        read_count(1.5, "n", 0)
    with pytest.raises(ParameterError, match="n is at least 0, not -1"):
        read_count(-1, "n", 0)
    assert read_count(np.int64(3), "n", 0) == 3
