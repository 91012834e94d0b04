"""Probabilities given a parent fall back on those of the class."""

import numpy as np
import pytest

from deciban.estimate import Laplace, backed_off_logs, column_logs, conditional_information
from deciban.read import Variable
from deciban.tallies import Counts


def test_rare_parents_fall_back_on_the_class():
    counts = Counts(Variable.of("x", ["a", "b"]), np.array([[3, 1]]))
    alone = column_logs(counts, Laplace())
    assert np.exp(alone)[:, 0] == pytest.approx([4 / 6, 2 / 6, 1 / 6])
    table = np.array([[[2], [1]], [[0], [0]]])
    logs = np.exp(backed_off_logs(table, alone, 2.0))[:, :, 0]
    assert logs[0] == pytest.approx([(2 + 2 * 4 / 6) / 5, (1 + 2 * 2 / 6) / 5, 1 / 6])
    assert logs[1] == pytest.approx([4 / 6, 2 / 6, 1 / 6])
    unsmoothed = np.exp(backed_off_logs(table, alone, 0.0))[:, :, 0]
    assert unsmoothed[0, :2] == pytest.approx([2 / 3, 1 / 3])
    assert unsmoothed[1, :2] == pytest.approx([4 / 6, 2 / 6])


def test_information_within_classes_is_their_mean():
    copied, apart = np.eye(2) * 2, np.ones((2, 2))
    assert conditional_information(np.stack([copied, apart], axis=-1)) == pytest.approx(np.log(2) / 2)
    assert conditional_information(np.zeros((2, 3, 2))) == 0.0
