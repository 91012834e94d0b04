"""A draft learns beside the model: the model in use never changes, and the result is that of learning in place."""

from copy import deepcopy

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError, NegativeCountError, ParameterError, UnfittedError
from deciban.models.draft import Draft

rng = np.random.default_rng(5)
ROWS = [
    {"sky": str(sky), "warm": float(warm), "count": int(count)}
    for sky, warm, count in zip(
        rng.choice(["sun", "rain", "fog"], 90), rng.normal(15, 5, 90).round(2), rng.poisson(3, 90), strict=True
    )
]
LABELS = rng.choice(["no", "yes"], 90).tolist()
NUMBERS = [[row["warm"], row["count"]] for row in ROWS]
CODES = [[len(row["sky"]), row["count"]] for row in ROWS]
TEXTS = [f"{row['sky']} of {row['count']} {LABELS[i]} day{i % 7}" for i, row in enumerate(ROWS)]

CLASSIFIERS = {
    "naive": (db.NaiveBayes(), ROWS),
    "gaussian": (db.GaussianNB(), NUMBERS),
    "multinomial": (db.MultinomialNB(), CODES),
    "categorical": (db.CategoricalNB(), CODES),
    "joint": (db.JointBayes(), CODES),
    "tan": (db.TAN(), ROWS),
    "aode": (db.AODE(), ROWS),
    "kdb": (db.KDB(), ROWS),
    "discriminant": (db.Discriminant(), ROWS),
    "forest": (db.CountForest(n_trees=3), ROWS),
    "auto": (db.AutoBayes(), ROWS),
    "text": (db.TextNB(), TEXTS),
    "text-capped": (db.TextNB(max_terms=20, temperature=None), TEXTS),
}


@pytest.fixture(scope="module", params=CLASSIFIERS)
def fitted(request):
    model, rows = CLASSIFIERS[request.param]
    return model.fit(rows[:60], LABELS[:60]), rows


def test_a_draft_ends_as_the_model_that_learned_in_place_would(fitted):
    model, rows = fitted
    before, there = model.predict_proba(rows), deepcopy(model)
    draft = Draft(model)
    for start in (60, 70, 80):
        draft.learn(rows[start : start + 10], LABELS[start : start + 10])
        there.partial_fit(rows[start : start + 10], LABELS[start : start + 10])
    if getattr(model, "max_terms", None) is None:
        draft.forget(rows[65:75], LABELS[65:75])
        there.forget(rows[65:75], LABELS[65:75])
    after = draft.finish()
    assert after.tally_ == there.tally_
    assert np.array_equal(after.predict_proba(rows), there.predict_proba(rows))
    assert np.array_equal(model.predict_proba(rows), before)
    assert model.tally_.total == 60


def test_a_batch_that_is_refused_leaves_the_draft_as_it_was():
    model = db.NaiveBayes().fit(ROWS[:60], LABELS[:60])
    draft = Draft(model)
    draft.learn(ROWS[60:61], LABELS[60:61])
    for rows in ([{**ROWS[0], "wind": 3}], ROWS[:2], [{**ROWS[0], "warm": "hot"}]):
        with pytest.raises(InputError):
            draft.learn(rows, ["no"])
    with pytest.raises(NegativeCountError):
        draft.forget([{**ROWS[0], "sky": "never"}], LABELS[:1])
    with pytest.raises(InputError, match="class 'perhaps' was never learned"):
        draft.forget(ROWS[:1], ["perhaps"])
    assert draft.finish().tally_ == deepcopy(model).partial_fit(ROWS[60:61], LABELS[60:61]).tally_


def test_a_finished_model_does_not_change_when_the_draft_goes_on():
    draft = Draft(db.NaiveBayes().fit(ROWS[:60], LABELS[:60]))
    draft.learn(ROWS[60:70], LABELS[60:70])
    first = draft.finish()
    draft.learn(ROWS[70:], LABELS[70:])
    assert (first.tally_.total, draft.finish().tally_.total) == (70, 90)


def test_a_net_learns_rows_without_labels():
    days = [{"sky": row["sky"], "label": label} for row, label in zip(ROWS, LABELS, strict=True)]
    net = db.BayesNet([("label", "sky")]).fit(days[:60])
    draft = Draft(net)
    draft.learn(days[60:])
    draft.forget(days[:10])
    with pytest.raises(ParameterError, match="without labels"):
        draft.learn(days[:1], ["no"])
    assert draft.finish().tally_ == db.BayesNet([("label", "sky")]).fit(days[10:]).tally_
    assert net.tally_.rows == 60


def test_a_model_that_cannot_learn_more_says_so():
    with pytest.raises(ParameterError, match="a LogCountRatio cannot learn more rows"):
        Draft(db.LogCountRatio().fit(TEXTS, LABELS))
    with pytest.raises(ParameterError, match="twcnb"):
        Draft(db.TextNB(event="twcnb").fit(TEXTS, LABELS)).learn(TEXTS[:1], LABELS[:1])
    with pytest.raises(UnfittedError, match="given, not counted"):
        Draft(db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": (0, 1)}, {"a": [0.5, 0.5]})).learn([{"a": 1}])


def test_rows_learned_one_by_one_stay_in_their_model():
    model = db.NaiveBayes().fit({"a": ["x", "y", "x"]}, [0, 1, 0]).learn_one({"a": "y"}, 1)
    before = model.predict_proba_one({"a": "x"})
    other = Draft(model).finish()
    assert other.tally_.total == 4
    other.learn_one({"a": "x"}, 1)
    assert model.predict_proba_one({"a": "x"}) == before != other.predict_proba_one({"a": "x"})
