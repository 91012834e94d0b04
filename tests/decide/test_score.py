"""Reliability by hand: a model that says 0.9 and is right in half of the rows is off by 0.4."""

import numpy as np
import pytest

from deciban.decide.score import probability_scores, reliability
from deciban.errors import ParameterError


def test_bins_by_hand():
    posterior = np.array([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [1.0, 0.0]])
    found = reliability(posterior, np.array([0, 1, 1, 0], dtype=np.int32))
    assert found.counts.tolist() == [1, 3]  # 0.6; 0.9, 0.9 and 1
    assert found.confidence == pytest.approx([0.6, 2.8 / 3])
    assert found.accuracy == pytest.approx([1.0, 2 / 3])
    assert found.error == pytest.approx((0.4 + 3 * (2.8 / 3 - 2 / 3)) / 4)


def test_a_model_that_is_as_sure_as_it_is_right_has_no_error():
    posterior = np.array([[0.75, 0.25]] * 4)
    assert reliability(posterior, np.array([0, 0, 0, 1], dtype=np.int32)).error == pytest.approx(0.0)


@pytest.mark.parametrize(("rows", "bins"), [(1, 0), (0, 10)])
def test_without_rows_or_bins_there_is_nothing_to_compare(rows, bins):
    with pytest.raises(ParameterError, match="at least one bin and one row"):
        reliability(np.ones((rows, 2)) / 2, np.zeros(rows, dtype=np.int32), bins)


def test_scores_of_one_row_have_the_widest_intervals():
    found = probability_scores(np.array([[0.8, 0.2]]), np.array([0], dtype=np.int32))
    assert found.log_loss == (pytest.approx(-np.log(0.8)), 0.0, pytest.approx(36.04, abs=0.01))
    assert found.brier == (pytest.approx(0.04), 0.0, 1.0)


def test_an_impossible_class_costs_a_finite_loss():
    found = probability_scores(np.array([[1.0, 0.0]] * 2), np.array([0, 1], dtype=np.int32))
    assert found.log_loss.value == pytest.approx(36.04 / 2, abs=0.01)
