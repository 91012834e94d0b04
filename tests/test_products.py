"""What grows with a product of sizes is refused before it is made, with the sizes and what to do."""

import tracemalloc

import numpy as np
import pytest

import deciban as db
from deciban.engines.tally import tally
from deciban.errors import TooLargeError

MANY = 60_000
LIMIT = 64 << 20
CODES = np.arange(MANY)[:, None]
LABELS = np.array([f"c{i}" for i in range(MANY)])
FEW = np.arange(MANY) % 2
INPUT = MANY * 200 * 8  # the largest of the tables below


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(LIMIT))


def frame(columns=1):
    return {f"x{i}": LABELS for i in range(columns)}


FITS = {
    "CategoricalNB of codes": lambda: db.CategoricalNB().fit(CODES, np.arange(MANY)),
    "CategoricalNB of labels": lambda: db.CategoricalNB().fit(LABELS[:, None], LABELS),
    "NaiveBayes of labels": lambda: db.NaiveBayes({"x0": db.Categorical()}).fit(frame(), LABELS),
    "NaiveBayes of two columns": lambda: db.NaiveBayes({"x0": db.Categorical(), "x1": db.Categorical()}).fit(
        frame(2), LABELS
    ),
    "JointBayes": lambda: db.JointBayes().fit(frame(), LABELS),
    "TAN": lambda: db.TAN().fit(frame(2), FEW),
    "AODE": lambda: db.AODE().fit(frame(2), FEW),
    "a tally": lambda: tally({"x": LABELS, "y": LABELS}, target="y"),
    "GaussianNB": lambda: db.GaussianNB().fit(np.zeros((MANY, 60)), np.arange(MANY)),
    "MultinomialNB": lambda: db.MultinomialNB().fit(np.ones((MANY, 200)), np.arange(MANY)),
    "BernoulliNB": lambda: db.BernoulliNB().fit(np.ones((MANY, 200)), np.arange(MANY)),
    "ComplementNB": lambda: db.ComplementNB().fit(np.ones((MANY, 200)), np.arange(MANY)),
    "a confusion matrix": lambda: db.evaluate(LABELS, LABELS),
    "rows of a net": lambda: coin().sample(1 << 30),
    "rows of Gibbs sampling": lambda: coin().sample_gibbs(1 << 30),
}


def coin():
    return db.BayesNet.from_tables(db.DAG(nodes=["coin"]), {"coin": (0, 1)}, {"coin": [0.5, 0.5]})


@pytest.mark.parametrize("make", FITS.values(), ids=FITS)
def test_a_product_of_sizes_is_refused_before_it_is_made(make):
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match=r"\([\d,]+ × .*\) would take .*; the limit is 64 MiB"):
            make()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < INPUT + LIMIT


def test_scores_of_many_rows_and_classes_are_refused():
    classes = np.arange(5_000)
    model = db.GaussianNB().fit(classes[:, None] + 0.0, classes)
    rows = np.zeros((5_000, 1))
    with pytest.raises(TooLargeError, match=r"the scores of rows × classes \(5,000 × 5,000\) .* Pass fewer rows"):
        model.predict_proba(rows)
    with pytest.raises(TooLargeError, match=r"the evidence, rows × columns × classes, \(5,000 × 1 × 5,000\)"):
        model.evidence(rows)
    assert model.predict(rows).tolist() == [0] * 5_000  # needs no table of all scores


def test_merging_models_of_different_classes_is_refused():
    half = MANY // 2
    first = db.CategoricalNB().fit([[i % 90] for i in range(half)], LABELS[:half])
    second = db.CategoricalNB().fit([[i % 90 + 90] for i in range(half)], LABELS[half:])
    with pytest.raises(TooLargeError, match=r"the counts of both tallies \(60,000 × "):
        first.merge(second)


def test_what_fits_is_counted_as_before(monkeypatch):
    codes, y = np.arange(3_000)[:, None] % 700, np.arange(3_000) % 900
    small = db.CategoricalNB().fit(codes, y).tally_
    monkeypatch.delenv("DECIBAN_MEMORY_LIMIT")
    assert small == db.CategoricalNB().fit(codes, y).tally_
