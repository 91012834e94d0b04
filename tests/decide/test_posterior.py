"""Joint log-probabilities become posteriors without NaN, also where all classes are impossible or some are certain."""

import numpy as np
import pytest

from deciban.decide.rules import finish, is_impossible

PRIOR = np.log([0.25, 0.75])


def test_rows_are_normalized():
    assert np.exp(finish(np.log([[0.2, 0.1]]), PRIOR, "log_posterior"))[0] == pytest.approx([2 / 3, 1 / 3])


def test_a_row_that_no_class_allows_has_the_prior():
    joint = np.full((1, 2), -np.inf)
    assert is_impossible(joint).tolist() == [True]
    assert finish(joint, PRIOR, "log_posterior")[0] == pytest.approx(PRIOR)


def test_certain_classes_share_the_posterior_by_their_prior():
    joint = np.array([[np.inf, 3.0], [np.inf, np.inf]])
    assert np.exp(finish(joint, PRIOR, "log_posterior")) == pytest.approx(np.array([[1.0, 0.0], [0.25, 0.75]]))


def test_tiny_and_huge_numbers_keep_their_ratio():
    joint = np.array([[-1e5, -1e5 + np.log(3)]])
    assert np.exp(finish(joint, PRIOR, "log_posterior"))[0] == pytest.approx([0.25, 0.75])


def test_other_results():
    joint = np.array([[-1.0, -2.0], [-2.0, -1.0]])
    assert finish(joint, PRIOR, "joint") is joint
    assert finish(joint, PRIOR, "best").tolist() == [0, 1]
    assert finish(joint, PRIOR, "posterior").sum(axis=1) == pytest.approx([1.0, 1.0])
