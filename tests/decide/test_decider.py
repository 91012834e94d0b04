"""The decision is the user's: most probable, most likely, least expected loss, or none where the model is not sure."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError

# P(sun | no) = 6/9, P(sun | yes) = 4/5: "yes" is likelier on a sunny day, but seven of ten days are "no"
SKY, Y = ["sun"] * 5 + ["rain"] * 2 + ["sun"] * 3, ["no"] * 7 + ["yes"] * 3
SUN = {"sky": ["sun"]}


def decide(**parameters):
    return db.NaiveBayes(**parameters).fit({"sky": SKY}, Y).predict(SUN).tolist()


def test_map_and_ml_differ_by_the_prior():
    posterior = db.NaiveBayes(weights=None).fit({"sky": SKY}, Y).predict_proba(SUN)[0]
    assert posterior == pytest.approx(np.array([7 * 6 / 9, 3 * 4 / 5]) / (7 * 6 / 9 + 3 * 4 / 5))
    assert decide(rule="map") == ["no"]
    assert decide(rule="ml") == ["yes"]


def test_a_loss_moves_the_decision():
    assert decide(loss={"no": {"yes": 1.0}, "yes": {"no": 1.0}}) == ["no"]
    assert decide(loss={"no": {"yes": 1.0}, "yes": {"no": 3.0}}) == ["yes"]  # 3·P(yes) > P(no)


def test_no_decision_where_the_model_is_not_sure_enough():
    assert decide(reject=0.99) == [None]
    assert decide(reject=0.5) == ["no"]


def test_a_rejected_row_is_wrong_in_the_score():
    """cross_val_score and GridSearchCV call `score`: None among the labels must not stop them."""
    rows, labels = {"sky": SKY}, np.array(Y)
    model = db.NaiveBayes(weights=None, reject=0.69).fit(rows, labels)
    decided = model.predict(rows)
    assert {*decided.tolist()} == {None, "no"}
    assert model.score(rows, labels) == np.mean([a == b for a, b in zip(decided, Y, strict=True)])
    weights = np.where(np.equal(decided, None), 0.0, 1.0)
    assert model.score(rows, labels, sample_weight=weights) == np.mean(labels[weights > 0] == "no")
    with pytest.raises(DecibanError, match="10 rows, and 9 labels"):
        model.score(rows, labels[1:])


@pytest.mark.parametrize("parameters", [{"rule": "best"}, {"reject": 2.0}, {"loss": [[0, 1]]}], ids=str)
def test_what_makes_no_sense_is_refused(parameters):
    with pytest.raises((DecibanError, ValueError)):
        decide(**parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"rule": "ml"},
        {"loss": {"no": {"yes": 5}}},
        {"reject": 0.7},
        {"loss": [[0, 1], [3, 0]], "reject": db.Reject(loss=0.4)},
    ],
)
def test_posteriors_decide_as_likelihoods_do(parameters):
    """Leave-one-out and reports have posteriors only; their decisions are those of `predict`."""
    model = db.NaiveBayes(weights=None, **parameters).fit({"sky": SKY}, Y)
    codes = model._decider().decide_by(model.predict_proba({"sky": SKY}), model._prior, model.classes_)
    found = [None if code < 0 else model.classes_[code] for code in codes]
    assert found == model.predict({"sky": SKY}).tolist()
