"""Evidence sums to the log-odds, by hand, and impossible values weigh infinitely, or nothing where both are."""

import numpy as np
import pytest

from deciban.errors import ParameterError
from deciban.explain.evidence import Evidence


def evidence(columns):
    with np.errstate(divide="ignore"):
        return Evidence(np.array(["no", "yes"]), ("sky", "wind"), np.log([0.2, 0.8]), np.log(np.array(columns)))


def test_decibans_by_hand():
    found = evidence([[[0.1, 0.01], [0.5, 0.5]]])
    assert found.prior_db("yes", "no") == pytest.approx(10 * np.log10(4))
    assert found.weights_db("no", "yes")[0] == pytest.approx([10.0, 0.0])
    assert found.total_db("no", "yes")[0] == pytest.approx(10 - 10 * np.log10(4))
    assert found.log_odds("no", "yes")[0] == pytest.approx(np.log(0.2 * 0.1 / (0.8 * 0.01)))
    assert np.exp(found.joint)[0] == pytest.approx([0.2 * 0.1 * 0.5, 0.8 * 0.01 * 0.5])


def test_what_is_impossible_either_way_weighs_nothing():
    found = evidence([[[0.0, 0.0], [0.5, 0.0]]])
    assert found.weights_db("no", "yes")[0].tolist() == [0.0, np.inf]
    assert found.log_odds("yes", "no")[0] == -np.inf


def test_a_class_that_is_not_there_is_named():
    with pytest.raises(ParameterError, match=r"no class 'yess'. Did you mean 'yes'"):
        evidence([[[0.5, 0.5], [0.5, 0.5]]]).log_odds("yess", "no")
