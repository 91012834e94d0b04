"""The panel starts from real rows of a model that fits into a page; else a sentence says why there is none."""

import json

import numpy as np
import pytest

import deciban as db
from deciban.reports.classifiers import evidence as module
from deciban.reports.classifiers.data import gather
from deciban.reports.classifiers.evidence import what_if
from deciban.reports.page import asset
from tests.models.assess.tables import DAYS


@pytest.fixture(scope="module")
def facts():
    return gather(db.NaiveBayes().fit(DAYS, "play"), DAYS, "play")


def test_the_model_and_ten_rows_are_in_the_page(facts):
    section, data = what_if(facts)
    held = json.loads(json.dumps(data["what-if-model"], allow_nan=False))
    assert held["model"]["classes"] == ["no", "yes"] and len(held["rows"]) == 10
    column = held["model"]["columns"][0]
    for start, chosen in zip(held["rows"], facts.chosen, strict=True):
        assert column["labels"][start["values"][0]] == DAYS["outlook"][chosen.row]
        assert start["name"] == f"row {chosen.row} ({chosen.why})"
    assert "<noscript>" in section.html and "hidden" in section.html


@pytest.mark.parametrize("model", [db.AODE(), db.JointBayes(), db.NaiveBayes(columns={"n": db.Kernel()})])
def test_a_model_without_a_closed_form_has_a_sentence(model):
    X = DAYS.assign(n=np.arange(14.0))
    section, data = what_if(gather(model.fit(X, "play"), X, "play"))
    assert data == {} and "There is no panel for this model" in section.html


@pytest.mark.parametrize(
    ("limit", "message"), [("_MOST_FIELDS", "4 columns are too many"), ("_MOST_NUMBERS", "numbers")]
)
def test_a_model_that_is_too_large_has_a_sentence(facts, monkeypatch, limit, message):
    monkeypatch.setattr(module, limit, 3)
    section, data = what_if(facts)
    assert data == {} and message in section.html


def test_the_script_is_strict_and_asks_for_nothing():
    script = asset("what_if.js")
    assert '"use strict"' in script
    for word in ("eval(", "innerHTML", "fetch(", "XMLHttpRequest", "import(", "http:", "https:", "onclick"):
        assert word not in script.replace("http://www.w3.org/2000/svg", "")
