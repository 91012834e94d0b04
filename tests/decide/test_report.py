"""Evaluation: scikit-learn's figures, with plain names, and no decision counted as what it is: a miss."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

import deciban as db
from deciban.errors import InputError, ParameterError

labels = st.sampled_from(["ant", "bee", "cat", "dog"])
pairs = st.lists(st.tuples(labels, labels), min_size=1, max_size=30)


def peers(truth, decided, average, classes=None):
    return precision_recall_fscore_support(truth, decided, average=average, labels=classes, zero_division=0.0)


@given(pairs=pairs, chosen=st.none() | st.lists(labels, min_size=1, max_size=4, unique=True))
def test_figures_are_scikit_learns(pairs, chosen):
    truth, decided = zip(*pairs, strict=True)
    if chosen is not None and not set(chosen) & set(truth):
        chosen = None
    report = db.evaluate(truth, decided, labels=chosen)
    for k, name in enumerate(("precision", "recall", "f1", "rows")):
        expected = peers(truth, decided, None, chosen)[k]
        assert [getattr(scores, name) for scores in report.scores] == pytest.approx(expected, abs=1e-12)
    for average in ("micro", "macro"):
        p, r, f, _ = peers(truth, decided, average, chosen)
        found = getattr(report, average)
        assert (found.precision, found.recall, found.f1) == pytest.approx((p, r, f), abs=1e-12)
    assert report.accuracy == pytest.approx(accuracy_score(truth, decided), abs=1e-12)
    if len(report.classes) > 1:  # of one class, scikit-learn warns
        assert report.confusion.tolist() == confusion_matrix(truth, decided, labels=chosen).tolist()
    assert str(report) and report._repr_html_()


def test_no_decision_is_a_miss_and_has_a_column():
    report = db.evaluate(["a", "a", "b", "b"], ["a", None, "b", "a"])
    assert report.decisions == ("a", "b", "(none)")
    assert report.confusion.tolist() == [[1, 0, 1], [1, 1, 0]]
    assert (report["a"].precision, report["a"].recall) == (0.5, 0.5)
    assert (report.micro.precision, report.micro.recall, report.accuracy) == (2 / 3, 0.5, 0.5)
    rejected = np.array(["a", None, "b", "a"], dtype=object)
    assert db.evaluate(np.array(["a", "a", "b", "b"]), rejected).confusion.tolist() == report.confusion.tolist()


def test_it_prints_as_a_table_and_says_what_0_by_0_is():
    text = str(db.evaluate(["a", "b"], ["a", "a"]))
    assert "0/0 is taken as 0" in text and "truth \\ decision" in text
    assert "0/0" not in str(db.evaluate(["a", "b"], ["a", "b"]))
    html = db.evaluate(["<i>", "b"], ["<i>", "b"])._repr_html_()
    assert "&lt;i&gt;" in html and "<i>" not in html


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, pl.Series])
@pytest.mark.parametrize("values", [["a", "b", "b"], [1, 2, 2], [True, False, False]])
def test_any_column_of_labels(make, values):
    report = db.evaluate(make(values), make(values))
    assert report.accuracy == 1 and report.classes.tolist() == sorted(set(values))
    assert report[values[1]].rows == 2


def test_what_cannot_be_compared_says_so():
    with pytest.raises(InputError, match="y_true has 2 labels, and y_pred 1"):
        db.evaluate(["a", "b"], ["a"])
    with pytest.raises(InputError, match="no labels to compare"):
        db.evaluate([], [])
    with pytest.raises(InputError, match="true label of row 1 is None"):
        db.evaluate(["a", None], ["a", "b"])
    with pytest.raises(InputError, match="no order: int, str"):
        db.evaluate(["a", "b"], [1, 2])
    with pytest.raises(ParameterError, match="each once"):
        db.evaluate(["a", "b"], ["a", "b"], labels=["a", "a"])
    with pytest.raises(ParameterError, match="no class 'c'"):
        db.evaluate(["a", "b"], ["a", "b"])["c"]


POSTERIOR = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]])


def test_the_parts_are_one_table_with_common_columns():
    lines = str(db.evaluate(["ant", "bee", "bee", "bee"], posterior=POSTERIOR)).split("\n")
    ends = [{match.end() for match in re.finditer(r"\S+", line[18:])} for line in lines if line]
    widest = ends[lines.index(next(line for line in lines if "lowest" in line)) - 1]
    assert len(widest) == 4
    assert all(found <= widest for found in ends[:-1])


def test_a_notebook_shows_one_table_and_how_reliable_the_probabilities_are():
    html = db.evaluate(["ant", "bee", "bee", "bee"], posterior=POSTERIOR)._repr_html_()
    assert html.count("<table") == 1 and html.count("<svg") == 1
    rows = re.findall(r"<tr.*?</tr>", html)
    widths = [
        row.count("<th") + row.count("<td") + sum(int(n) - 1 for n in re.findall(r'colspan="(\d+)"', row))
        for row in rows
    ]
    assert set(widths) == {5}
    assert "Reliability diagram" in html and "1 rows: 90.0% sure, 100.0% right" in html
    assert "<svg" not in db.evaluate(["ant", "bee"], ["ant", "ant"])._repr_html_()


def test_decisions_alone_have_an_interval_and_a_baseline():
    lines = str(db.evaluate(["ant", "bee", "bee"], ["ant", "bee", "ant"])).split("\n")
    line = next(line for line in lines if line.startswith("accuracy"))
    assert line.split() == ["accuracy", "0.6667", "0.2077", "0.9385", "0.6667"]
