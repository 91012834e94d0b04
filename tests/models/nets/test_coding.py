"""Numbers are cut once, when a model first sees rows: later rows fall into the same bins."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError

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
