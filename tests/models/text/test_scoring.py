"""From documents to posteriors: what depends on the temperature, and a warning where nothing is known."""

import warnings

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanWarning

X = ["sun sea sand", "sun sand", "rain wind", "wind rain fog"] * 8
Y = ["dry", "dry", "wet", "wet"] * 8


@pytest.mark.parametrize("rule", ["map", "ml"])
def test_a_rejection_depends_on_the_temperature(rule):
    sure, unsure = (db.TextNB(temperature=t, reject=0.9, rule=rule).fit(X, Y) for t in (1.0, 50.0))
    assert sure.predict(["sun sand sea"]).tolist() == ["dry"]
    assert unsure.predict(["sun sand sea"]).tolist() == [None]


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"])
def test_a_batch_without_known_tokens_is_one_warning(method):
    model = db.TextNB().fit(X, Y)
    with pytest.warns(DecibanWarning, match="most documents have no known token") as found:
        getattr(model, method)(["zork"] * 9 + ["sun"])
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(model, method)(["zork"] * 5 + ["sun"] * 5)
        getattr(model, method)(["zork"] * 9)
        model.predict_one("zork")


def test_a_first_batch_without_tokens_is_a_warning():
    with pytest.warns(DecibanWarning, match="empty vocabulary"):
        model = db.TextNB().partial_fit(["a"] * 10, [0, 1] * 5)
    assert np.isfinite(model.predict_proba(["a"])).all()


def test_a_class_without_documents_stays_impossible():
    model = db.TextNB(temperature=4.0).partial_fit(X, Y, classes=["dry", "snow", "wet"])
    posterior = model.predict_proba(X)
    assert (posterior[:, 1] == 0).all()
    assert posterior.sum(axis=1) == pytest.approx(1.0)
