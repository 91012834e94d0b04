"""Numbers are cut once, when a model first sees rows: later rows fall into the same bins."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError
from deciban.tallies import sketch_column
from tests.estimate.choice.test_rows import sample_of

rng = np.random.default_rng(0)
X = {"n": np.concatenate([rng.normal(0, 1, 100), rng.normal(5, 1, 100)]), "label": np.array(["u", "v"] * 100)}
Y = np.arange(200) // 100


def test_labels_stay_and_numbers_are_cut_where_the_classes_part():
    kinds = {plan.name: plan.distribution for plan in db.AODE().fit(X, Y).schema_}
    assert isinstance(kinds["label"], db.Categorical)
    assert isinstance(kinds["n"], db.Cut) and all(0 < cut < 5 for cut in kinds["n"].at)


def test_later_rows_fall_into_the_same_bins():
    model = db.AODE().partial_fit(X, Y, classes=[0, 1])
    before = model.schema_
    model.partial_fit({"n": [-100.0, 100.0], "label": ["u", "v"]}, [1, 0])
    assert model.schema_ == before


def test_models_with_other_cuts_do_not_merge():
    other = db.AODE().fit({"n": X["n"] * 2, "label": X["label"]}, Y)
    with pytest.raises(DecibanError, match="n"):
        db.AODE().fit(X, Y).merge(other)
    same = db.AODE(db.AODE().fit(X, Y).schema_).fit({"n": X["n"] * 2, "label": X["label"]}, Y)
    assert db.AODE().fit(X, Y).merge(same).tally_.total == 400


@pytest.mark.parametrize("make", [db.TAN, db.AODE])
def test_a_column_without_cuts_by_description_length_does_not_vanish_where_it_predicts(make):
    rows = np.arange(250)
    table = {"bands": rows + 0.5, "other": rows % 7 / 2}
    y = rows // 50 % 2 ^ (rows % 7 < 2)  # the class alternates from band to band, with errors
    assert db.Binned(how="mdl").cuts(sketch_column("", table["bands"], sample_of(y.tolist()))).tolist() == []
    schema = make().fit(table, y).schema_
    assert schema["bands"].distribution.at == (50.0, 100.0, 150.0, 200.0)
    assert schema["bands"].reason.endswith("5 bins by 'frequency'")


@pytest.mark.parametrize("make", [db.TAN, db.AODE, db.BayesNetClassifier])
def test_labels_that_hardly_repeat_are_left_out_unless_they_are_named(make):
    table = {"ticket": [f"T{i // 4 * 3 + min(i % 4, 2)}" for i in range(200)], "label": X["label"]}
    model = make().fit(table, Y)
    assert isinstance(model.schema_["ticket"].distribution, db.Ignore)
    assert model.schema_["ticket"].reason == "150 distinct labels in 200 rows, left out"
    assert model.predict(table).shape == (200,)


def test_named_labels_stay_even_if_they_hardly_repeat():
    table = {"ticket": [f"T{i // 4 * 3 + min(i % 4, 2)}" for i in range(200)], "label": X["label"]}
    assert isinstance(db.TAN({"ticket": db.Categorical()}).fit(table, Y).schema_["ticket"].distribution, db.Categorical)
    alone = db.TAN().fit({"ticket": table["ticket"]}, Y)
    assert isinstance(alone.schema_["ticket"].distribution, db.Categorical)


@pytest.mark.parametrize("make", [db.TAN, db.AODE, db.BayesNetClassifier])
def test_what_is_bought_or_not_is_evidence(make):
    """A table of purchases has one label in each column, and missing values where a thing was not bought."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    bought = {f"thing{i}": np.where(rng.random(300) < 0.2 + 0.5 * y, "t", None) for i in range(4)}
    model = make().fit(bought, y)
    assert model.schema_["thing0"].reason.endswith("missing as a state, beside one label")
    assert model.score(bought, y) > 0.75


def test_models_that_take_missing_values_differently_are_not_merged():
    first = db.AODE().fit({"s": ["u", None] * 30, "t": ["x", "y", "z"] * 20}, [0, 1] * 30)
    second = db.AODE().fit({"s": ["u", "v", None] * 20, "t": ["x", "y", "z"] * 20}, [0, 1] * 30)
    with pytest.raises(DecibanError, match=r"column 's' is Categorical\(missing='state'\) in one model"):
        first.merge(second)
