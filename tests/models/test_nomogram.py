"""The nomogram of a model shows the weights that `evidence` gives, and no more values than were asked for."""

import pytest

import deciban as db
from deciban.errors import DecibanError

TABLE = {"sky": ["sun", "sun", "rain", "rain", "fog"], "n": [1.0, 2.0, 8.0, 9.0, 5.0]}
Y = ["no", "no", "yes", "yes", "yes"]


def test_every_weight_is_that_of_the_evidence():
    model = db.NaiveBayes({"n": db.Gaussian()}).fit(TABLE, Y)
    nomogram = model.nomogram("yes", against="no")
    scales = {scale.name: dict(scale.points) for scale in nomogram.scales}
    for sky, weight in scales["sky"].items():
        found = model.evidence({"sky": [sky], "n": [None]}).weights_db("yes", "no")[0, 0]
        assert weight == pytest.approx(found)
    assert nomogram.prior_db == pytest.approx(model.evidence(TABLE).prior_db("yes", "no"))


def test_a_class_that_is_not_there_is_named():
    with pytest.raises(DecibanError, match="'maybe'"):
        db.NaiveBayes().fit(TABLE, Y).nomogram("maybe", against="no")
