"""`explain` takes a row in every form in which a user has one, and gives the same answer for all."""

import pandas as pd
import pytest

import deciban as db
from deciban.errors import DecibanError

TABLE = pd.DataFrame({"sky": ["sun", "sun", "rain"], "n": [1.0, 2.0, 5.0]})
MODEL = db.NaiveBayes({"n": db.Gaussian()}).fit(TABLE, ["no", "no", "yes"])
FORMS = {
    "a mapping": {"sky": "rain", "n": 5.0},
    "a Series": TABLE.iloc[2],
    "a table of one row": TABLE.iloc[[2]],
    "a mapping of columns": {"sky": ["rain"], "n": [5.0]},
}


@pytest.mark.parametrize("row", FORMS.values(), ids=FORMS)
def test_every_form_of_a_row_is_explained_alike(row):
    found, wanted = MODEL.explain(row), MODEL.explain({"sky": "rain", "n": 5.0})
    assert str(found) == str(wanted)


def test_the_weights_are_those_of_the_evidence():
    evidence = MODEL.evidence(TABLE.iloc[[2]])
    text = str(MODEL.explain({"sky": "rain", "n": 5.0}, against="no"))
    for weight in evidence.weights_db("yes", "no")[0]:
        assert f"{weight:+.2f}" in text


def test_more_than_one_row_is_refused():
    with pytest.raises(DecibanError, match="row"):
        MODEL.explain(TABLE)
