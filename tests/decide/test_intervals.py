"""Confidence intervals by their formulas, and that they hold what they promise."""

import numpy as np
import pytest
from scipy.stats import binomtest

from deciban.decide.score import mean_interval, wilson
from deciban.errors import ParameterError


@pytest.mark.parametrize(("count", "rows"), [(7, 10), (0, 12), (12, 12), (1, 1), (843, 1000)])
def test_wilsons_interval_is_scipys(count, rows):
    expected = binomtest(count, rows).proportion_ci(method="wilson")
    assert wilson(count, rows) == pytest.approx((count / rows, expected.low, expected.high), abs=1e-12)


def test_a_mean_by_hand():
    found = mean_interval(np.array([1.0, 2.0, 3.0]), 0.0, 10.0)
    assert found == pytest.approx((2.0, 2 - 1.959964 / 3**0.5, 2 + 1.959964 / 3**0.5), abs=1e-6)


def test_an_interval_stays_within_what_is_possible():
    assert mean_interval(np.array([0.0, 0.0, 1.0]), 0.0, 1.0)[1:] == (0.0, pytest.approx(0.98663, abs=1e-4))
    assert mean_interval(np.array([0.3]), 0.0, 2.0) == (0.3, 0.0, 2.0)


@pytest.mark.parametrize(("count", "rows"), [(0, 0), (3, 2), (-1, 2)])
def test_a_share_of_no_rows_is_an_error(count, rows):
    with pytest.raises(ParameterError, match="at least one row"):
        wilson(count, rows)


def test_it_prints_with_its_ends():
    assert str(wilson(1, 2)) == "0.5000 (0.0945 to 0.9055)"
