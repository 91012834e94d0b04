"""Rules: ties, losses, and no decision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.decide import check_loss, expected_loss, finish, least_loss, most_probable
from deciban.errors import ParameterError

posteriors = st.lists(st.floats(0.01, 1), min_size=3, max_size=3).map(lambda p: np.array([p]) / sum(p))


def test_ties_go_to_the_first_class():
    even = np.full((1, 3), 1 / 3)
    assert most_probable(even).tolist() == [0]
    assert least_loss(even, 1 - np.eye(3)).tolist() == [0]
    model = db.CategoricalNB().fit([[0], [0]], ["b", "a"])
    assert model.predict([[0]]).tolist() == ["a"]


@given(posteriors, st.lists(st.floats(0, 9), min_size=9, max_size=9))
def test_no_decision_has_less_expected_loss(posterior, losses):
    loss = np.array(losses).reshape(3, 3)
    risk = expected_loss(posterior, loss)
    assert risk[0, least_loss(posterior, loss)[0]] == risk.min()


def test_rejection():
    posterior = np.array([[0.6, 0.4], [0.95, 0.05]])
    assert most_probable(posterior, db.Reject(posterior=0.9)).tolist() == [-1, 0]
    loss = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert least_loss(posterior, loss, db.Reject(loss=0.1)).tolist() == [-1, 0]
    assert least_loss(posterior, loss, db.Reject(posterior=0.5)).tolist() == [0, 0]
    with pytest.raises(ParameterError):
        db.Reject(posterior=1.5)


def test_losses_are_checked():
    with pytest.raises(ParameterError, match="2 × 2 matrix"):
        check_loss([[1]], ["no", "yes"])
    with pytest.raises(ParameterError, match="finite"):
        check_loss([[0, np.inf], [1, 0]], ["no", "yes"])


def test_infinite_joints_are_settled_without_nan():
    prior = np.log([0.25, 0.75])
    joint = np.array([[-np.inf, -np.inf], [np.inf, 0.0], [np.inf, np.inf], [-np.inf, 0.0]])
    posterior = np.exp(finish(joint, prior, "log_posterior"))
    assert posterior == pytest.approx(np.array([[0.25, 0.75], [1, 0], [0.25, 0.75], [0, 1]]))
    assert finish(joint, prior, "best").tolist() == [1, 0, 1, 1]
    assert finish(joint, prior, "joint") is joint
