"""The type of a column may differ between fit and later rows, text for numbers or the reverse: no answer changes."""

from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError

CELLS = {
    "codes": st.integers(0, 3),
    "whole": st.integers(-200, 200),
    "floats": st.integers(-400, 400).map(lambda n: n / 8),
    "digits": st.integers(0, 3).map(str),
    "words": st.sampled_from(["sun", "rain", "fog"]),
    "booleans": st.booleans(),
    "dates": st.integers(1, 3).map(lambda day: date(2020, 1, day)),
}
MODELS = {
    "NaiveBayes": lambda: db.NaiveBayes(missing="skip"),
    "states": lambda: db.NaiveBayes(missing="state", weights=None),
    "TAN": lambda: db.TAN(missing="skip"),
    "AODE": lambda: db.AODE(missing="skip"),
    "KDB": db.KDB,
    "Discriminant": db.Discriminant,
    "CountForest": db.CountForest,
    "BayesNetClassifier": lambda: db.BayesNetClassifier(missing="skip"),
    "AutoBayes": db.AutoBayes,
    "JointBayes": lambda: db.JointBayes(missing="skip"),
    "CategoricalNB": lambda: db.CategoricalNB(missing="skip"),
}


def as_text(value):
    return None if value is None else str(value)


def as_json_text(value):
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def as_number(value):
    return float(value) if isinstance(value, str) else value


def drifted(draw, column):
    """The same values in another type: as text of Python or JSON, or as numbers where all are text that spells them."""
    if all(isinstance(value, str) or value is None for value in column):
        is_spelled = all(value is None or value.isdigit() for value in column)
        return list(map(as_number, column)) if is_spelled else column
    return list(map(draw(st.sampled_from([as_text, as_json_text])), column))


@st.composite
def tables(draw, kinds=tuple(CELLS), gaps=True):
    """Rows, their classes, and the same with some columns in another type."""
    rows, names = draw(st.integers(6, 14)), draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    cells = [st.one_of(st.none(), CELLS[kind]) if gaps and draw(st.booleans()) else CELLS[kind] for kind in names]
    table = {f"{kind} {i}": draw(st.lists(cell, min_size=rows, max_size=rows)) for i, (kind, cell) in
             enumerate(zip(names, cells, strict=True))}  # fmt: skip
    assume(all(any(value is not None for value in column) for column in table.values()))
    y = draw(st.lists(CELLS[draw(st.sampled_from(["codes", "digits", "booleans"]))], min_size=rows, max_size=rows))
    assume(len(set(y)) > 1)
    other = {name: drifted(draw, column) for name, column in table.items()}
    return table, y, other, drifted(draw, y)


def row(table, i):
    return {name: column[i] for name, column in table.items()}


@pytest.mark.parametrize("make", MODELS)
@given(drawn=tables())
@settings(max_examples=30)
def test_no_posterior_depends_on_the_type_that_later_rows_have(make, drawn):
    table, y, other, other_y = drawn
    model = MODELS[make]()
    if make == "CategoricalNB":
        table, other = ({n: c for n, c in t.items() if not n.startswith(("whole", "floats"))} for t in (table, other))
        assume(table)
    model.fit(table, y)
    expected = model.predict_proba(table)
    assert model.predict_proba(other) == pytest.approx(expected, abs=1e-12)
    assert model.score(other, other_y) == model.score(table, y)
    explained = model.explain(row(table, 0)), model.explain(row(other, 0))
    assert explained[1].probabilities == pytest.approx(explained[0].probabilities, abs=1e-12)
    assert list(model.predict_proba_one(row(other, 1)).values()) == pytest.approx(expected[1], abs=1e-9)


@pytest.mark.parametrize("make", MODELS)
@given(drawn=tables())
@settings(max_examples=30)
def test_what_is_learned_and_forgotten_does_not_depend_on_the_type_of_later_rows(make, drawn):
    table, y, other, other_y = drawn
    if make == "CategoricalNB":
        table, other = ({n: c for n, c in t.items() if not n.startswith(("whole", "floats"))} for t in (table, other))
        assume(table)
    model, plain = MODELS[make]().fit(table, y), MODELS[make]().fit(table, y)
    model.partial_fit(other, other_y)
    plain.partial_fit(table, y)
    assert model.tally_ == plain.tally_
    assert model.classes_.tolist() == plain.classes_.tolist()
    model.forget(other, other_y)
    assert model.predict_proba(table) == pytest.approx(plain.forget(table, y).predict_proba(table), abs=1e-9)


@given(drawn=tables())
@settings(max_examples=30)
def test_single_rows_are_learned_in_the_types_of_the_model(drawn):
    table, y, other, other_y = drawn
    model, plain = (db.NaiveBayes(weights=None).fit(table, y) for _ in range(2))
    for i in range(len(y)):
        model.learn_one(row(other, i), other_y[i])
        plain.learn_one(row(table, i), y[i])
        assert model.predict_proba_one(row(other, 0)) == pytest.approx(plain.predict_proba_one(row(table, 0)))
    assert model.tally_ == plain.tally_


@given(drawn=tables(kinds=("codes", "digits", "words", "booleans", "dates"), gaps=False))
@settings(max_examples=50)
def test_nets_read_evidence_and_rows_in_the_types_of_their_states(drawn):
    table, _, other, _ = drawn
    nodes = list(table)
    net = db.BayesNet(db.DAG(list(pairwise(nodes)), nodes)).fit(table)
    last = nodes[-1]
    assert np.array_equal(net.predict_proba(other, last), net.predict_proba(table, last))
    given_states = {node: states[0] for node, states in other.items() if node != last}
    expected = net.query(last, {node: table[node][0] for node in given_states})
    assert np.array_equal(net.query(last, given_states).as_array(), expected.as_array())
    before = net.tally_
    assert net.partial_fit(other).forget(other).tally_ == before
    assert net.partial_fit(other).states == db.BayesNet(net.dag).fit(table).states


@given(drawn=tables(kinds=("floats", "whole"), gaps=False))
@settings(max_examples=30)
def test_numeric_models_read_text_as_the_numbers_that_it_spells(drawn):
    table, y, other, other_y = drawn
    model = db.GaussianNB().fit(table, y)
    assert model.predict_proba(other) == pytest.approx(model.predict_proba(table))
    assert model.partial_fit(other, other_y).classes_.tolist() == sorted(set(y))
    net = db.GaussianNet(db.DAG([], list(table))).fit(table)
    assert net.log_likelihood(other) == net.log_likelihood(table)


COLUMNS = {"codes": [1, 2, 3] * 4, "warm": [1.5, 2.5, 3.5, 4.25] * 3}
Y = [0, 1] * 6


@pytest.mark.parametrize(
    "make", [name for name in MODELS if name not in ("JointBayes", "CategoricalNB", "Discriminant")]
)
def test_one_odd_cell_is_unseen_among_labels_and_named_among_numbers(make):
    model = MODELS[make]().fit(COLUMNS, Y)
    plain = model.predict_proba(COLUMNS)
    odd = {"codes": ["1", "unknown", *map(str, COLUMNS["codes"][2:])], "warm": COLUMNS["warm"]}
    found = model.predict_proba(odd)
    assert np.delete(found, 1, axis=0) == pytest.approx(np.delete(plain, 1, axis=0))
    assert found[1] == pytest.approx(model.predict_proba({"codes": [99], "warm": COLUMNS["warm"][1:2]})[0])
    with pytest.raises(InputError, match=r"column 'warm' has 'unknown' \(row 2\), which is not a number"):
        model.predict({"codes": [1, 2, 3], "warm": ["1.5", "2", "unknown"]})
    with pytest.raises(InputError, match=r"column 'y' has 'unknown' \(row 1\)"):
        model.partial_fit({"codes": [1, 2], "warm": [1.5, 2]}, ["0", "unknown"])


def test_unseen_says_what_the_odd_cell_is():
    model = db.NaiveBayes(unseen="error").fit(COLUMNS, Y)
    with pytest.raises(InputError, match="unknown"):
        model.predict({"codes": ["1", "unknown"], "warm": [1.5, 2.5]})


def test_a_number_and_its_text_stay_apart_where_both_are_labels():
    table = {"sky": [1, "1", 2, "1", 1, 2]}
    model = db.NaiveBayes(weights=None).fit(table, ["a", "b", "b", "b", "a", "a"])
    apart = model.predict_proba({"sky": [1, "1"]})
    assert apart[0, 0] > 0.5 > apart[1, 0]
    assert model.predict_proba_one({"sky": 1})["a"] == pytest.approx(apart[0, 0])
    assert model.predict_proba_one({"sky": "1"})["a"] == pytest.approx(apart[1, 0])
    assert model.predict_proba({"sky": ["2"]}) == pytest.approx(model.predict_proba({"sky": [2]}))


def test_a_merged_batch_takes_the_types_of_the_model():
    text = {"codes": list(map(str, COLUMNS["codes"])), "warm": COLUMNS["warm"]}
    for make in (db.NaiveBayes, db.CategoricalNB, db.JointBayes):
        table, other = (({"codes": t["codes"]}) for t in (COLUMNS, text))
        whole = make().fit(table, Y).merge(make().fit(other, list(map(str, Y))))
        assert whole.tally_ == make().fit(table, Y).merge(make().fit(table, Y)).tally_
    net, other = (db.BayesNet([("codes", "warm")]).fit(t) for t in (
        {"codes": COLUMNS["codes"], "warm": Y}, {"codes": text["codes"], "warm": Y}))  # fmt: skip
    assert net.merge(other).states == {"codes": (1, 2, 3), "warm": (0, 1)}


def test_markers_of_missing_values_are_read_in_the_type_of_the_model():
    table = {"codes": [1, 2, 3, -9] * 6, "warm": [1.5, 2.5, -9.0, 4.25] * 6}
    model = db.NaiveBayes(na_values=[-9]).fit(table, Y * 2)
    text = {name: list(map(str, column)) for name, column in table.items()}
    assert model.predict_proba(text) == pytest.approx(model.predict_proba(table))
    assert model.predict_proba_one(row(text, 3)) == pytest.approx(model.predict_proba_one(row(table, 3)))


def test_documents_have_the_labels_of_the_model_in_any_type():
    documents = ["free prize", "lunch at noon", "win a prize", "a meeting at noon"] * 3
    model = db.TextNB().fit(documents, [1, 0, 1, 0] * 3)
    model.partial_fit(["a prize"], ["1"]).learn_one("at noon", "0").forget(["a prize"], ["1"])
    assert model.classes_.tolist() == [0, 1]
    assert model.tally_.total == 13
    assert model.score(documents, ["1", "0"] * 6) == 1.0
    assert db.evaluate(["1", "0"], [1, 0], labels=model.classes_).accuracy == 1.0


def test_types_drift_in_frames_too():
    model = db.NaiveBayes().fit(pd.DataFrame(COLUMNS), Y)
    text = pd.DataFrame(COLUMNS).astype(str)
    assert model.predict_proba(text) == pytest.approx(model.predict_proba(pd.DataFrame(COLUMNS)))
    floats = pd.DataFrame(COLUMNS).astype(float)
    assert model.predict_proba(floats) == pytest.approx(model.predict_proba(pd.DataFrame(COLUMNS)))
