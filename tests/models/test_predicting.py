"""The four predictions agree with one another and with the evidence."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import TooLargeError
from deciban.models import base as predicting

X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
Y = ["spam", "spam", "ham", "ham"]


@pytest.fixture(scope="module")
def model():
    return db.BernoulliNB().fit(X, Y)


def test_the_predictions_are_normalized_joint_probabilities(model):
    joint = model.predict_joint_log_proba(X)
    posterior = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), posterior)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(posterior))
    assert model.predict(X).tolist() == model.classes_[posterior.argmax(axis=1)].tolist() == Y


def test_the_evidence_sums_to_the_joint_probabilities(model):
    np.testing.assert_allclose(model.evidence(X).joint, model.predict_joint_log_proba(X))


def test_evidence_beyond_the_limit_of_memory_is_an_error(model, monkeypatch):
    def refuse(what, *sizes, advice):
        raise TooLargeError(f"{what} {sizes} {advice}")

    monkeypatch.setattr(predicting, "check_memory", refuse)
    with pytest.raises(TooLargeError, match=r"\(4, 3, 2\) Pass fewer rows"):
        model.evidence(X)
