"""One document at a time: learned as in batches, in time that the vocabulary does not lengthen."""

import pickle
import sys
import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import deciban as db
from deciban.errors import DecibanError
from deciban.models.text import counting_in_parts as pending

WORDS = ["sun", "rain", "hail", "snow", "é", "wind"]
rows = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), st.sampled_from("abc")),
    min_size=1,
    max_size=9,
)
SETTINGS = [
    {}, {"event": "multinomial"}, {"event": "bernoulli"}, {"event": "complement"}, {"n_bits": 5},
    {"ngram_range": (1, 2)}, {"tokenizer": str.split}, {"min_count": 2},
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@given(pairs=rows, often=st.booleans())
def test_learned_one_by_one_is_learned_together(settings, pairs, often):
    documents, labels = zip(*pairs, strict=True)
    together = db.TextNB(**settings).partial_fit(documents, labels)
    model = db.TextNB(**settings)
    for document, label in pairs:
        assert model.learn_one(document, label) is model
        if often:
            model.predict_one("sun rain")
    assert model.tally_ == together.tally_
    assert model.predict_proba(WORDS) == pytest.approx(together.predict_proba(WORDS))
    assert list(model.predict_proba_one("sun").values()) == pytest.approx(together.predict_proba(["sun"])[0])


def test_nothing_reads_what_is_out_of_date(tmp_path):
    model = db.TextNB().fit(["sun sea", "rain"], ["dry", "wet"])
    assert set(model.vocabulary_) == {"sun", "sea", "rain"}
    model.calibrate(["sun", "rain"], ["dry", "wet"])
    model.learn_one("hail", "wet")
    assert not hasattr(model, "calibration_")
    assert "hail" in model.vocabulary_
    model.learn_one("snow", "cold")
    assert model.classes_.tolist() == ["cold", "dry", "wet"]
    model.learn_one("snow ice", "cold")
    db.save(model, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(model.learn_one("ice", "cold"))), model):  # noqa: S301
        assert other.tally_.total == 6
    assert db.load(tmp_path / "model").tally_.total == 5
    assert model.forget(["ice"], ["cold"]).tally_.total == 5


def test_what_cannot_be_learned_leaves_the_model_as_it_was():
    model = db.TextNB(tokenizer=str.split).fit(["sun", "rain"], ["dry", "wet"]).learn_one("sun", "dry")
    for document, label in [(None, "dry"), (3, "dry"), (["a", "b"], "dry"), ("sun", None), ("sun", [])]:
        with pytest.raises(DecibanError):
            model.learn_one(document, label)
    assert model.tally_.total == 3
    with pytest.raises(DecibanError, match="twcnb"):
        db.TextNB("twcnb").learn_one("sun", "dry")


def test_much_text_is_counted_as_it_comes(monkeypatch):
    monkeypatch.setattr(pending, "_MOST_TEXT", 10)
    model = db.TextNB().fit(["sun", "rain"], ["dry", "wet"])
    for _ in range(20):
        model.learn_one("sun sea", "dry")
    assert len(model._pending.documents) <= 2
    assert model.tally_.total == 22


def test_work_does_not_grow_with_the_vocabulary():
    """The same calls and the same memory, whatever was learned before: nothing of the vocabulary is copied."""

    def work(words):
        model = db.TextNB().fit([" ".join(f"w{i}" for i in range(words)), "rain"], ["dry", "wet"])
        model.learn_one("sun", "dry")
        calls = Counter()
        tracemalloc.start()
        sys.setprofile(lambda frame, event, _: calls.update([event]))
        for _ in range(50):
            model.learn_one("sun and sea", "dry")
        sys.setprofile(None)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return calls, peak

    (calls, peak), (many_calls, many_peak) = work(10), work(300_000)
    assert many_calls == calls
    assert many_peak < 2 * peak  # one number a token would be 100 times as much


@pytest.mark.parametrize("model", [db.TextNB(), db.LogCountRatio(), db.TextEM()], ids=repr)
def test_one_document_in_any_form(model):
    model = clone(model).fit(["sun sea", "rain wind", "sun", "wind"], ["dry", "wet", "dry", "wet"])
    forms = ["sun", b"sun", ["sun"], ("sun",), np.array(["sun"]), pd.Series(["sun"]), pa.array(["sun"])]
    for form in forms:
        assert model.predict_one(form) == "dry"
        assert list(model.predict_proba_one(form)) == ["dry", "wet"]
        assert model.explain(form).text == "sun"
    for form in (None, np.nan, 3, ["sun", "sea"], [], {"text": "sun"}, [None]):
        for method in (model.predict_one, model.explain):
            with pytest.raises(DecibanError):
                method(form)


@pytest.mark.parametrize("model", [db.TextNB(), db.TextNB("complement"), db.LogCountRatio(), db.TextEM()], ids=repr)
def test_top_tokens_need_no_other_class(model):
    X = ["sun sea", "rain wind", "sun sand", "wind hail"]
    model = clone(model).fit(X, ["dry", "wet", "dry", "wet"])
    assert model.top_tokens("dry", n=3) == model.top_tokens("dry", "wet", n=3)
    assert "against wet" in str(model.top_tokens("dry"))
    model.fit([*X, "snow ice", "snow"], ["dry", "wet", "dry", "wet", "cold", "cold"])
    top = model.top_tokens("cold", n=2)
    assert {token for token, _ in top} == {"snow", "ice"} or top[0][0] == "snow"
    assert "against the rest" in str(top)
    with pytest.raises(DecibanError, match=r"no class 'colt'.*cold"):
        model.top_tokens("colt")


def test_the_rest_is_the_mixture_of_the_other_classes():
    model = db.TextNB("multinomial", smoothing=1.0).fit(["sun sea", "rain", "snow rain", "hail"], ["a", "b", "c", "b"])
    given = {c: np.exp(model._prior[i]) for i, c in enumerate("abc")}
    counts = {"a": {"sun": 1, "sea": 1}, "b": {"rain": 1, "hail": 1}, "c": {"snow": 1, "rain": 1}}
    p = {c: {t: (counts[c].get(t, 0) + 1) / (2 + 5) for t in ("sun", "sea", "rain", "snow", "hail")} for c in "abc"}
    for token, weight in model.top_tokens("a", n=5):
        rest = (given["b"] * p["b"][token] + given["c"] * p["c"][token]) / (given["b"] + given["c"])
        assert weight == pytest.approx(10 * np.log10(p["a"][token] / rest))
