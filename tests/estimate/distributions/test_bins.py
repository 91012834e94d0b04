"""Bins: a number at a cut is below it, counts become probabilities, and a row can be taken out of its bin."""

import numpy as np
import pytest

from deciban.estimate import MLE, Laplace
from deciban.estimate.distributions.binned import bin_logs, count_bins, estimate_bins, logs_given_cuts
from deciban.tallies import Sketch

PART = Sketch("x", np.array([1.0, 2.0, 5.0]), np.array([[2, 1, 0], [0, 1, 3]]))
CUTS = np.array([2.0])


def test_a_number_at_a_cut_is_in_the_bin_below_it():
    assert count_bins(PART, CUTS).tolist() == [[3.0, 0.0], [1.0, 3.0]]
    assert count_bins(PART, np.empty(0)).tolist() == [[3.0], [4.0]]


def test_counts_become_smoothed_probabilities():
    assert np.exp(bin_logs(PART, CUTS, MLE())) == pytest.approx(np.array([[1.0, 0.25], [0.0, 0.75]]))
    likelihood = estimate_bins([PART], [CUTS], None)
    assert np.exp(likelihood.column(0, np.array([-9.0, 2.0, 99.0]))) == pytest.approx(
        np.array([[4 / 5, 2 / 6], [4 / 5, 2 / 6], [1 / 5, 4 / 6]])
    )


def test_a_row_is_taken_out_of_its_bin():
    rows = np.array([2.0, 5.0]), np.array([1, 1]), np.array([1.0, 1.0])
    assert np.exp(logs_given_cuts(PART, CUTS, Laplace(), rows)) == pytest.approx(
        np.array([[4 / 5, 1 / 5], [1 / 5, 3 / 5]])
    )
