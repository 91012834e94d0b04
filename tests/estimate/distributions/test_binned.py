"""Bins of equal width, of equal frequency and by minimum description length (Fayyad and Irani): cuts by hand."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from tests.estimate.samples import counts_of


def test_equal_widths_and_smoothed_counts():
    part = counts_of([0, 1, 2, 9, 10, 10], [0, 0, 0, 1, 1, 1], 2)
    kind = db.Binned(bins=5)
    assert kind.cuts(part).tolist() == [2, 4, 6, 8]
    column = kind.estimate([part]).column(0, np.array([-99.0, 2.0, 5.0, 99.0]))
    assert np.exp(column) == pytest.approx(np.array([[4, 1], [4, 1], [1, 1], [1, 4]]) / 8)


def test_equal_frequencies_keep_equal_numbers_together():
    assert db.Binned(bins=3, how="frequency").cuts(counts_of(range(6), [0] * 6, 1)).tolist() == [1.5, 3.5]
    tied = counts_of([1, 1, 1, 1, 2, 3], [0] * 6, 1)
    assert db.Binned(bins=3, how="frequency").cuts(tied).tolist() == [1.5]


def test_mdl_cuts_where_the_classes_part_and_nowhere_else():
    kind = db.Binned(how="mdl")
    assert kind.cuts(counts_of(range(10), [0] * 5 + [1] * 5, 2)).tolist() == [4.5]
    assert kind.cuts(counts_of(range(10), [0, 1] * 5, 2)).tolist() == []
    assert kind.cuts(counts_of(range(60), [0] * 20 + [1] * 20 + [0] * 20, 2)).tolist() == [19.5, 39.5]


def test_mdl_stops_where_the_gain_does_not_pay():
    # Three rows of each of two classes: gain 1 bit; price (log2 5 + log2 7 - 2·1) / 6 = 0.522.
    kind = db.Binned(how="mdl")
    assert kind.cuts(counts_of(range(6), [0] * 3 + [1] * 3, 2)).tolist() == [2.5]
    # Of 2 rows: log2(2 - 1) + log2 7 - 2 = 0.807 over 2 rows is below the gain of 1.
    assert kind.cuts(counts_of(range(2), [0, 1], 2)).tolist() == [0.5]
    # 0 0 1 0 1 1: gain 0.459 at best (after the second), price (log2 5 + log2 7 - (2 - 0 - 2·0.811)) / 6 = 0.792.
    assert kind.cuts(counts_of(range(6), [0, 0, 1, 0, 1, 1], 2)).tolist() == []


def test_a_column_without_cuts_says_nothing():
    model = db.NaiveBayes(db.Binned(how="mdl"), weights=None).fit(np.arange(10)[:, None], [0, 1] * 5)
    assert not model.evidence([[3], [99]]).columns.any()


@pytest.mark.parametrize("wrong", [{"bins": 0}, {"bins": 2.5}, {"how": "best"}, {"missing": "drop"}])
def test_wrong_parameters_of_bins_are_refused(wrong):
    with pytest.raises(ParameterError):
        db.Binned(**wrong)
