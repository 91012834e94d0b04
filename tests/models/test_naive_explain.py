"""NaiveBayes.explain: what it shows of a row is what the prediction is made of."""

import re

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, ParameterError, UnfittedError
from deciban.units import decibans_from_nats

DAYS = pd.DataFrame(
    {
        "sky": ["sun", "sun", "rain", "rain", None, "sun", "rain", "<snow>"],
        "warm": [21.5, 18.0, 9.5, 12.0, 15.0, np.nan, 8.0, -2.0],
        "guests": [3, 5, 0, 1, 2, 4, 0, 0],
        "wait": [0.5, 1.5, 9.0, 4.0, 2.0, 0.7, 6.0, 8.0],
        "cost": [5.0, 4.0, 50.0, 20.0, 9.0, 6.0, 80.0, 30.0],
        "open": [True, True, False, True, True, True, False, False],
        "note": list("abcdefgh"),
    }
)
PLAY = np.array(["play", "play", "stay", "stay", "work", "play", "stay", "work"])
KINDS = {
    "guests": db.Poisson(),
    "wait": db.Exponential(),
    "cost": db.LogNormal(),
    "open": db.Bernoulli(),
    "note": db.Ignore(),
}
MODEL = db.NaiveBayes(KINDS).fit(DAYS, PLAY)
STRANGE = DAYS.assign(sky="hail", note=None)


@pytest.mark.parametrize("table", [DAYS, STRANGE], ids=["known", "unseen and missing"])
@pytest.mark.parametrize("row", range(len(DAYS)))
@pytest.mark.parametrize("against", [None, "play", "stay", "work"])
def test_the_total_is_the_log_odds(table, row, against):
    told = MODEL.explain(table.iloc[[row]], against=against)
    log = dict(zip(MODEL.classes_, MODEL.predict_log_proba(table.iloc[[row]])[0], strict=True))
    assert told.total_db == pytest.approx(decibans_from_nats(log[told.label] - log[told.against]), abs=1e-9)
    if against is None:
        assert told.label == MODEL.predict(table.iloc[[row]])[0]
        assert log[told.against] == sorted(log.values())[-2]
    else:
        assert told.against == against != told.label


def test_a_row_may_be_a_mapping_of_values():
    row = {**DAYS.iloc[1].to_dict(), "warm": None}
    assert MODEL.explain(row).to_text() == MODEL.explain({name: [value] for name, value in row.items()}).to_text()
    assert [reason.name for reason in MODEL.explain(row).reasons] == list(DAYS)


def test_a_row_may_be_an_array():
    model = db.NaiveBayes().fit(DAYS[["warm", "wait"]].to_numpy(), PLAY)
    assert model.explain(np.array([[20.0, 1.0]])).label == "play"


def test_the_text_holds_the_product():
    model = db.NaiveBayes(smoothing=db.MLE(), weights=None).fit(
        {"sky": ["sun", "sun", "rain", "sun"]}, ["p", "p", "q", "q"]
    )
    assert model.explain({"sky": "sun"}).to_text().splitlines() == [
        "P(p)·P(sun|p) = 0.5 · 1 = 0.5",
        "P(q)·P(sun|q) = 0.5 · 0.5 = 0.25",
        "P(p) = 0.667 against P(q) = 0.333",
        "  column  value  decibans",
        "  prior             +0.00",
        "  sky     sun       +3.01",
        "  total             +3.01",
    ]


def test_html_escapes_values():
    html = MODEL.explain(DAYS.iloc[[7]])._repr_html_()
    assert "<snow>" not in html
    assert "&lt;snow&gt;" in html


def test_a_row_that_no_class_can_have_made_rests_on_the_prior_and_says_so():
    table = {"a": list("uuvvv"), "b": list("rrsss")}
    model = db.NaiveBayes(smoothing=db.MLE()).fit(table, list("ppqqq"))
    told = model.explain({"a": "u", "b": "s"})
    assert told.is_impossible
    assert told.label == model.predict({"a": ["u"], "b": ["s"]})[0] == "q"
    assert "The row has probability 0 in every class" in told.to_text()
    assert told.total_db == pytest.approx(10 * np.log10(3 / 2))


def test_a_marker_is_shown_as_missing():
    model = db.NaiveBayes(na_values=["?"]).fit({"c": ["a", "?", "b"]}, ["p", "p", "q"])
    assert re.search(r"^  c +\? ", model.explain({"c": "?"}).to_text(), re.MULTILINE)
    assert model.explain({"c": "?"}).reasons[0].value is None


def test_the_label_is_the_one_that_the_rule_decides_for():
    model = db.NaiveBayes(rule="ml").fit({"c": list("uuuvv")}, list("ppppq"))
    assert model.explain({"c": "v"}).label == model.predict({"c": ["v"]})[0] == "q"


def test_more_rows_than_one_are_refused():
    with pytest.raises(InputError, match="one row is expected, not 8"):
        MODEL.explain(DAYS)


def test_what_cannot_be_explained_is_named():
    with pytest.raises(ColumnMismatchError, match="there is no column 'skye'"):
        MODEL.explain({"skye": "sun"})
    with pytest.raises(ParameterError, match="there is no class 'rest'"):
        MODEL.explain(DAYS.iloc[[0]], against="rest")
    with pytest.raises(UnfittedError):
        db.NaiveBayes().explain(DAYS.iloc[[0]])


def test_ignored_columns_are_not_in_the_nomogram():
    model = db.NaiveBayes(columns={"b": db.Ignore()}).fit({"a": ["x", "y"] * 4, "b": ["u", "v"] * 4}, [0, 1] * 4)
    assert [scale.name for scale in model.nomogram().scales] == ["a"]


IGNORING = DAYS[["warm", "sky", "note"]].fillna({"sky": "sun", "warm": 10.0})


@pytest.mark.parametrize("make", [db.NaiveBayes, db.AutoBayes, db.KDB, db.Discriminant, db.CountForest])
def test_an_ignored_column_shows_no_weight(make):
    """A weight of 1.00 and evidence of +0.00 look as if the column had been asked."""
    table = pd.concat([IGNORING] * 10, ignore_index=True)
    fitted = make({"note": db.Ignore()}).fit(table, np.tile(PLAY, 10))
    told = fitted.explain(table.iloc[[0]])
    lines = [line.split() for line in str(told).splitlines()]
    assert ["note", "a", "ignored"] in lines
    assert [reason.name for reason in told.reasons if reason.is_ignored] == ["note"]
    assert "<td>ignored</td>" in told._repr_html_()
    assert next(r for r in told.to_dict()["reasons"] if r["column"] == "note")["is_ignored"]
