"""A weight multiplies what a column says, and a column of weight 0 makes no class impossible."""

import numpy as np
import pytest

from deciban.estimate import ColumnLikelihood
from deciban.estimate.likelihood import Likelihood, Token, WeightedLikelihood, times
from deciban.read import Column


class Powers(ColumnLikelihood):
    """log P = −x in class 0, −∞ in class 1."""

    classes = 2

    def column(self, i, values):
        return np.stack([-values, np.full(len(values), -np.inf)], axis=1)

    def tokens(self, i, j, k):
        return [Token("word", 2.0, 5)]


COLUMNS = [Column.of_numbers("x", np.array([1.0, np.nan])), Column.of_numbers("y", np.array([2.0, 3.0]))]


def test_rows_sum_over_columns_and_a_missing_value_has_0():
    likelihood: Likelihood = Powers()
    assert likelihood.columns(COLUMNS)[:, 0].tolist() == [[-1.0, -np.inf], [0.0, 0.0]]
    assert likelihood.rows(COLUMNS).tolist() == [[-3.0, -np.inf], [-3.0, -np.inf]]
    one = likelihood.one(0, ["x", "y"], frozenset([9.0]))
    assert one(1.0) == [-1.0, -np.inf] and one(None) == one(9.0) == [0.0, 0.0]


def test_weights_multiply_the_columns_and_their_tokens():
    weighted = Powers().weighted(np.array([0.5, 0.0]))
    assert isinstance(weighted, WeightedLikelihood)
    assert weighted.columns(COLUMNS)[0].tolist() == [[-0.5, -np.inf], [0.0, 0.0]]
    assert weighted.one(0, ["x", "y"])(4.0) == [-2.0, -np.inf] and weighted.one(1, ["x", "y"])(4.0) == [0.0, 0.0]
    assert weighted.tokens(0, 0, 1) == [Token("word", 1.0, 5)]


def test_zero_times_minus_infinity_is_zero():
    assert times(np.array([0.0, 2.0]), np.array([-np.inf, -1.0])).tolist() == [0.0, -2.0] == pytest.approx([0, -2])
