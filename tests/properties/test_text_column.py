"""A column of text is one more column: it learns in parts, forgets, leaves out and sums as all others do."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.estimate.missing import leave_one_out
from deciban.models.text.model import Discounts, choose_discounts, discount_scores
from deciban.read import read_table
from deciban.read.documents import read_documents

CLASSES = [0, 1, 2]
WORDS = st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "Ee", "x"]), max_size=6).map(" ".join)
KINDS = {
    "boolean": db.Text(),
    "multinomial": db.Text(event="multinomial"),
    "sequences": db.Text(ngram_range=(1, 2), smoothing="discount"),
    "lidstone": db.Text(smoothing=0.5),
    "laplace": db.Text(event="multinomial", smoothing=db.Laplace()),
    "m-estimate": db.Text(smoothing=db.MEstimate(2.0)),
    "mle": db.Text(event="multinomial", smoothing=db.MLE()),
    "hashed": db.Text(n_bits=3),
    "hashed-lidstone": db.Text(event="multinomial", n_bits=4, smoothing=0.1),
    "callable": db.Text(tokenizer=str.split),
}
kinds = pytest.mark.parametrize("name", KINDS)


def on_samples(examples):
    """For every kind of text and both treatments of missing texts, on so many samples."""
    both = pytest.mark.parametrize("missing", ["skip", "state"])
    return lambda test: kinds(both(settings(max_examples=examples)(given(data=st.data())(test))))


@st.composite
def samples(draw, least=2):
    """Texts, some of them missing, beside numbers; their classes, and weights or none."""
    n = draw(st.integers(least, 8))
    texts = draw(st.lists(st.one_of(WORDS, WORDS, WORDS, st.none()), min_size=n, max_size=n))
    numbers = draw(st.lists(st.sampled_from([0.5, 1.0, 4.0, None]), min_size=n, max_size=n))
    y = np.array(draw(st.lists(st.sampled_from(CLASSES), min_size=n, max_size=n)))
    weights = draw(st.one_of(st.none(), st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n)))
    assume(weights is None or np.count_nonzero(weights) >= 2)
    return Table(texts, numbers), y, None if weights is None else np.array(weights)


class Table:
    """Two columns, of which some rows can be taken."""

    def __init__(self, texts, numbers):
        self.texts, self.numbers = texts, numbers

    def __getitem__(self, rows):
        texts, numbers = np.array(self.texts, dtype=object), np.array(self.numbers, dtype=float)
        return {"text": texts[rows].astype(object), "number": numbers[rows]}


def model_of(kind, **parameters):
    return db.NaiveBayes({"text": kind, "number": db.Categorical()}, **{"weights": None, **parameters})


def text_column(model, table):
    """The places of the column of text, its part, and its rows."""
    return model.schema_["text"].distribution, [model.tally_.parts[0]], [read_table(table).columns[0]]


@on_samples(20)
def test_leaving_out_is_refitting(name, missing, data):
    table, y, weights = data.draw(samples())
    model = model_of(KINDS[name], missing=missing).partial_fit(table[:], y, CLASSES, weights)
    kind, parts, columns = text_column(model, table[:])
    rows = y.astype(np.int32), np.ones(len(y)) if weights is None else weights
    found = leave_one_out(kind, parts, columns, rows, model.smoothing)[:, 0]
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        held = None if weights is None else weights[rest]
        again = model_of(KINDS[name], missing=missing).partial_fit(table[rest], y[rest], CLASSES, held)
        expected = again.evidence(table[i : i + 1]).columns[0, 0]
        if isinstance(KINDS[name].smoothing, str) and table.texts[i] is not None:
            expected = expected + by_kept_discounts(kind, parts[0], again.tally_.parts[0], table.texts[i])
        assert found[i] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def by_kept_discounts(kind, part, part_left, text):
    """What discounts from all rows change in a model of the others, whose background is their own."""
    whole, rest = (kind._model(getattr(each, "part", each)) for each in (part, part_left))
    distinct, smoothing = rest.scores.distinct, "kneser-ney" if whole.discounts.is_kneser else "discount"
    background = choose_discounts(rest.bag, distinct, np.ones(rest.bag.classes), smoothing).background
    scores = discount_scores(rest.bag, Discounts(whole.smoothing, background), distinct)
    document = read_documents([text])
    return (replace(rest, scores=scores).score(document)[0] - rest.score(document)[0])[0]


@kinds
@settings(max_examples=20)
@given(data=st.data())
def test_parts_in_any_order_and_what_is_forgotten_give_the_same_tally(name, data):
    table, y, weights = data.draw(samples(3))
    held = np.ones(len(y)) if weights is None else weights
    first = np.array(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y))))
    assume(held[first].any() and held[~first].any())

    def learned(*parts):
        model = model_of(KINDS[name])
        for rows in parts:
            model.partial_fit(table[rows], y[rows], None if model._is_fitted() else CLASSES, held[rows])
        return model

    whole, other = learned(slice(None)), learned(~first)
    assert learned(~first, first).tally_ == whole.tally_
    assert learned(first).merge(other).tally_ == whole.tally_
    assert whole.forget(table[first], y[first], sample_weight=held[first]).tally_ == other.tally_
    assert whole.forget(table[~first], y[~first], sample_weight=held[~first]).tally_.is_empty


@on_samples(15)
def test_the_parts_of_an_explanation_sum_to_the_log_odds(name, missing, data):
    table, y, weights = data.draw(samples())
    model = model_of(KINDS[name], missing=missing, weights={"text": 0.5}).partial_fit(table[:], y, CLASSES, weights)
    new = {"text": [data.draw(WORDS), None, "zz unknown"], "number": [1.0, None, None]}
    joint = model.predict_joint_log_proba(new)
    assert not np.isnan(joint).any()
    assert model.evidence(new).joint == pytest.approx(joint, rel=1e-12, abs=1e-12)
    why = model.explain({name: values[0] for name, values in new.items()}, against=0)
    if np.isfinite(joint[0]).all():
        odds = joint[0, model.classes_.tolist().index(why.label)] - joint[0, 0]
        assert why.total_db == pytest.approx(odds * 10 / np.log(10), abs=1e-9)


@on_samples(10)
def test_one_row_at_a_time_is_the_same_as_all_of_them(name, missing, data):
    table, y, _ = data.draw(samples())
    rows = [dict(zip(table[:], row, strict=True)) for row in zip(*table[:].values(), strict=True)]
    whole = model_of(KINDS[name], missing=missing).partial_fit(table[:], y, CLASSES)
    model = model_of(KINDS[name], missing=missing).partial_fit(table[:1], y[:1], CLASSES)
    for row, label in list(zip(rows, y.tolist(), strict=True))[1:]:
        model.predict_one(row)
        model.learn_one(row, label)
    for row, expected in zip(rows, whole.predict_proba(table[:]), strict=True):
        assert list(model.predict_proba_one(row).values()) == pytest.approx(expected, rel=1e-9)
        assert list(whole.predict_proba_one(row).values()) == pytest.approx(expected, rel=1e-9)
    assert model.tally_.parts[0] == whole.tally_.parts[0]
