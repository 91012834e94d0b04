"""A table with a free-text column is one model: what it reads, says of itself, explains and refuses."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, InputTypeError, NegativeCountError, ParameterError

SUBJECTS = ["Win a free prize", "Lunch at noon", "free prize now, win", None, "noon meeting moved", "the prize: lunch"]
LINKS = [9, 0, 7, 8, None, 1]
Y = np.array(["spam", "ham", "spam", "spam", "ham", "ham"])
TABLE = {"subject": SUBJECTS, "links": LINKS}
NEW = {"subject": ["a prize, free", "unknown words", None], "links": [None, None, 3]}
COLUMNS = {"subject": db.Text(), "links": db.Poisson()}


def model(**parameters):
    return db.NaiveBayes(COLUMNS, **parameters)


def texts(n=60, seed=0):
    """Free text of six words, nearly all distinct, whose class its first word tells."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    words = [f"word{k}" for k in range(30)]
    return [" ".join([("good", "bad")[c], *rng.choice(words, 5)]) for c in y], y


# The same as elsewhere -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["boolean", "multinomial"])
@pytest.mark.parametrize("smoothing", ["auto", "loo", 0.5, db.Jeffreys()])
def test_a_table_of_one_text_is_a_text_model(event, smoothing):
    documents, y = texts()
    alone = db.TextNB(event, ngram_range=(1, 2), smoothing=smoothing, temperature=None).fit(documents[:40], y[:40])
    column = db.Text(event=event, ngram_range=(1, 2), smoothing=smoothing)
    table = db.NaiveBayes(column, weights=None).fit({"text": documents[:40]}, y[:40])
    new = {"text": documents[40:]}
    assert table.predict_proba(new) == pytest.approx(alone.predict_proba(documents[40:]), rel=1e-12)
    assert table.tally_.parts[0] == alone.tally_.parts[0]


def test_columns_add_up():
    both = model(weights=None).fit(TABLE, Y)
    alone = db.NaiveBayes(db.Poisson(), priors="uniform", weights=None).fit({"links": LINKS}, Y)
    known = [i for i, subject in enumerate(SUBJECTS) if subject is not None]
    text = db.TextNB(priors="uniform", temperature=None).fit([SUBJECTS[i] for i in known], Y[known])
    joint = both.predict_joint_log_proba({"subject": ["free lunch"], "links": [4]})
    parts = text.predict_joint_log_proba(["free lunch"]) + alone.predict_joint_log_proba({"links": [4]})
    assert np.diff(joint) == pytest.approx(np.diff(parts), rel=1e-12)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_text_comes_from_any_frame(frame):
    expected = model().fit(TABLE, Y).predict_proba(NEW)
    assert model().fit(frame(TABLE), Y).predict_proba(frame(NEW)) == pytest.approx(expected, rel=1e-12)


def test_categories_bytes_and_repeated_texts_are_texts_too():
    expected = model().fit(TABLE, Y).tally_
    table = pd.DataFrame(TABLE)
    assert model().fit(table.astype({"subject": "category"}), Y).tally_ == expected
    encoded = [None if s is None else s.encode() for s in SUBJECTS]
    assert model().fit({"subject": encoded, "links": LINKS}, Y).tally_ == expected
    twice = model().fit(pd.concat([table, table]), np.concatenate([Y, Y]))
    assert twice.tally_.parts[0].totals().tolist() == (2 * expected.parts[0].totals()).tolist()


# Missing, unknown ----------------------------------------------------------------------------------------------------


def test_a_missing_text_and_one_of_unknown_tokens_say_nothing():
    evidence = model().fit(TABLE, Y).evidence(NEW)
    assert evidence.columns[0, 0].any() and not evidence.columns[1:, 0].any()


def test_that_a_text_is_missing_can_be_evidence():
    known = db.NaiveBayes(COLUMNS, missing="state", weights=None).fit(TABLE, Y)
    logs = known.evidence(NEW).columns[:, 0]
    assert np.exp(logs[2]) == pytest.approx([1 / 5, 2 / 5])  # ham, then spam: missing + 1 of rows + 2
    assert np.exp(logs[1]) == pytest.approx([4 / 5, 3 / 5])
    assert known.schema_["subject"].distribution.missing == "state"


def test_a_missing_text_can_be_an_error_and_markers_are_missing():
    with pytest.raises(InputError, match="subject"):
        db.NaiveBayes({"subject": db.Text(missing="error")}).fit(TABLE, Y)
    marked = {**TABLE, "subject": ["n/a" if s is None else s for s in SUBJECTS]}
    assert model(na_values=["n/a"]).fit(marked, Y).tally_ == model().fit(TABLE, Y).tally_


def test_a_table_whose_texts_are_all_missing_is_learned():
    empty = model().fit({"subject": [None] * 6, "links": LINKS}, Y)
    assert empty.tally_.parts[0].is_empty
    assert np.isfinite(empty.predict_proba(NEW)).all()
    assert empty.partial_fit(TABLE, Y).tally_.parts[0] == model().fit(TABLE, Y).tally_.parts[0]
    for kind in (db.Text(smoothing=1.0), db.Text(smoothing=db.MLE()), db.Text(min_count=50, smoothing="loo")):
        assert np.isfinite(db.NaiveBayes({"subject": kind}).fit(TABLE, Y).predict_proba(NEW)).all()


@pytest.mark.parametrize("values", [[3, 4], [True, "x"], [2.5, None]])
def test_what_is_no_text_is_an_error_that_names_the_column(values):
    with pytest.raises(InputTypeError, match=r"column 'subject' has the value .*, which is not text"):
        db.NaiveBayes(db.Text()).fit(pd.DataFrame({"subject": values}), [0, 1])
    fitted = model().fit(TABLE, Y)
    with pytest.raises(InputTypeError, match="column 'subject' has the value 3, which is not text"):
        fitted.predict_one({"subject": 3})
    with pytest.raises(InputTypeError, match="column 'subject' has the value 3"):
        fitted.learn_one({"subject": 3}, "ham")


# Learning over time --------------------------------------------------------------------------------------------------


def test_the_vocabulary_and_the_classes_grow():
    grown = model().fit(TABLE, Y).partial_fit({"subject": ["brand new words"], "links": [2]}, ["new"])
    assert grown.classes_.tolist() == ["ham", "new", "spam"]
    assert "brand" in grown.tally_.parts[0].vocabulary.tokens
    assert grown.evidence({"subject": ["brand words"], "links": [None]}).columns[0, 0].argmax() == 1


def test_texts_that_were_never_learned_cannot_be_forgotten():
    fitted = model().fit(TABLE, Y)
    before = fitted.tally_
    with pytest.raises(NegativeCountError, match="'zebra'"):
        fitted.forget({"subject": ["zebra"], "links": [0]}, ["ham"])
    assert fitted.tally_ is before
    fitted.forget(TABLE, Y)
    assert fitted.tally_.is_empty


def test_models_that_cut_differently_do_not_merge():
    other = db.NaiveBayes({**COLUMNS, "subject": db.Text(ngram_range=(1, 2))}).fit(TABLE, Y)
    with pytest.raises(ColumnMismatchError, match="cannot be added"):
        model().fit(TABLE, Y).merge(other)
    labels = db.NaiveBayes({**COLUMNS, "subject": db.Categorical()}).fit(TABLE, Y)
    with pytest.raises(ColumnMismatchError, match=r"is Text\(\) in one model"):
        model().fit(TABLE, Y).merge(labels)


def test_a_model_is_made_from_a_tally():
    whole = model(missing="state", weights=None).fit(TABLE, Y)
    again = db.NaiveBayes.from_tally(whole.tally_, columns={"links": db.Poisson()})
    assert again.predict_proba(NEW) == pytest.approx(whole.predict_proba(NEW), rel=1e-12)
    other = db.NaiveBayes.from_tally(whole.tally_, columns={**COLUMNS, "subject": db.Text(smoothing=1.0)})
    assert other.predict_proba(NEW)[0] != pytest.approx(whole.predict_proba(NEW)[0])
    hashed = db.NaiveBayes({**COLUMNS, "subject": db.Text(n_bits=6)}).fit(TABLE, Y)
    assert db.NaiveBayes.from_tally(hashed.tally_).schema_["subject"].distribution.n_bits == 6
    chars = db.NaiveBayes({**COLUMNS, "subject": db.Text(analyzer="char", ngram_range=(1, 3))}).fit(TABLE, Y)
    assert db.NaiveBayes.from_tally(chars.tally_).schema_["subject"].distribution.ngram_range == (1, 3)


def test_a_tally_of_something_else_is_refused():
    tally = model().fit(TABLE, Y).tally_
    with pytest.raises(ParameterError, match="pass the same settings"):
        db.NaiveBayes.from_tally(tally, columns={"subject": db.Text(lowercase=False)})
    with pytest.raises(ParameterError, match="cannot be Categorical: the tally holds Bag of it, not Counts"):
        db.NaiveBayes.from_tally(tally, columns={"subject": db.Categorical()})
    with pytest.raises(ParameterError, match=r"'links' cannot be Text: the tally holds .* of it, not Bag"):
        db.NaiveBayes.from_tally(tally, columns={"links": db.Text()})
    cut = db.NaiveBayes({**COLUMNS, "subject": db.Text(tokenizer=str.split)}).fit(TABLE, Y).tally_
    with pytest.raises(ParameterError, match="made by a callable"):
        db.NaiveBayes.from_tally(cut)


def test_a_first_row_that_is_learned_alone():
    one = db.NaiveBayes({"subject": db.Text()}).learn_one({"subject": "free prize"}, "spam")
    one.learn_one({"subject": "lunch"}, "ham").learn_one({"subject": None}, "ham")
    assert one.predict_one({"subject": "a free prize"}) == "spam"
    assert one.tally_.class_counts.tolist() == [2, 1]


def test_what_ages_weighs_less():
    aged = model().fit(TABLE, Y).decay(half_life=1.0)
    assert aged.tally_.parts[0].totals() == pytest.approx(model().fit(TABLE, Y).tally_.parts[0].totals() / 2)


# Files, copies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", [db.Text(), db.Text(event="multinomial", ngram_range=(1, 2), smoothing=db.Lidstone(0.1)), db.Text(n_bits=5)]
)
@pytest.mark.parametrize("missing", ["skip", "state"])
def test_a_saved_model_predicts_the_same_and_goes_on_learning(kind, missing, tmp_path):
    whole = db.NaiveBayes({**COLUMNS, "subject": kind}, missing=missing).fit(TABLE, Y)
    db.save(whole, tmp_path / "model")
    loaded = db.load(tmp_path / "model")
    assert loaded.schema_ == whole.schema_ and loaded.tally_ == whole.tally_
    assert loaded.predict_proba(NEW).tobytes() == whole.predict_proba(NEW).tobytes()
    assert loaded.partial_fit(TABLE, Y).tally_ == whole.partial_fit(TABLE, Y).tally_


def test_a_callable_cannot_be_saved_and_the_error_names_the_column(tmp_path):
    cut = db.NaiveBayes({"subject": db.Text(tokenizer=str.split)}).fit({"subject": ["a b", "c"]}, [0, 1])
    with pytest.raises(ParameterError, match="cannot be written"):
        db.save(cut, tmp_path / "model")


def test_clones_and_pickles_are_the_same_model():
    whole = model().fit(TABLE, Y)
    expected = whole.predict_proba(NEW)
    assert clone(whole).columns == COLUMNS
    assert pickle.loads(pickle.dumps(whole)).predict_proba(NEW).tobytes() == expected.tobytes()  # noqa: S301


# What it says of itself ----------------------------------------------------------------------------------------------


def test_a_long_text_is_shown_shortened_and_its_weight_is_its_evidence():
    long = "free   prize\n" * 400
    fitted = db.NaiveBayes({**COLUMNS, "subject": db.Text(event="multinomial")}).fit(TABLE, Y)
    why = fitted.explain({"subject": long, "links": 3})
    reason = why.reasons[0]
    assert reason.value == long
    assert reason.weight_db == pytest.approx(
        fitted.evidence({"subject": [long], "links": [3]}).weights_db("spam", "ham")[0, 0]
    )
    shown = why.to_text()
    assert "subject  free prize free prize free prize free p…  " in shown
    assert max(map(len, shown.splitlines())) < 200
    product = next(line for line in shown.splitlines() if line.startswith("P(ham)"))
    assert "1e-" in product and "= 0\n" not in product + "\n"  # what a float cannot hold is written as a power
    assert "…" in why._repr_html_()


def test_the_tally_and_the_nomogram_show_themselves():
    fitted = model(missing="state").fit(TABLE, Y)
    assert "prize" in str(fitted.tally_) and "(missing)" in str(fitted.tally_)
    assert "subject" in {scale.name for scale in fitted.nomogram().scales}


def test_columns_are_measured_weighed_and_selected():
    documents, y = texts(200)
    noise = np.random.default_rng(1).normal(size=200)
    table = {"text": documents, "noise": noise, "label": np.where(y, "a", "b").tolist()}
    fitted = db.NaiveBayes({"text": db.Text(), "noise": db.Gaussian(), "label": db.Categorical()}, weights="mi").fit(
        table, y
    )
    found = fitted.associations()
    assert list(found) == ["label", "text", "noise"]
    assert found["text"] > 0.1
    assert fitted.weights_["text"] == pytest.approx(3 * found["text"] / sum(found.values()))
    assert fitted.select(2).predict(table).tolist() == y.tolist()
    with pytest.raises(ParameterError, match="column 'text' has no labels"):
        fitted.associations("chi2")
    gappy = db.NaiveBayes({"text": db.Text(missing="state")}).fit({"text": documents}, y)
    assert gappy.associations()["text"] == pytest.approx(found["text"])


def test_learned_weights_and_calibration_work_with_text():
    documents, y = texts(120)
    table = {"text": documents, "number": np.random.default_rng(1).normal(size=120)}
    learned = db.NaiveBayes({"text": db.Text()}, weights="auto").fit(table, y)
    assert set(learned.weights_) == {"text", "number"}
    assert learned.weights_["number"] != 1
    calibrated = db.NaiveBayes({"text": db.Text()}).fit(table, y).calibrate(table, y)
    assert calibrated.predict_proba(table).sum(axis=1) == pytest.approx(np.ones(120))


# Parameters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"event": "bernoulli"}, "event of a Text column is one of"),
        ({"analyzer": "lines"}, "analyzer is one of"),
        ({"ngram_range": (2, 1)}, "ngram_range is"),
        ({"smoothing": "none"}, "smoothing is"),
        ({"smoothing": -1}, "smoothing is"),
        ({"n_bits": 40}, "n_bits is"),
        ({"n_bits": 4, "min_count": 2}, "hashed tokens cannot be dropped"),
        ({"drop_top": -1}, "drop_top is"),
        ({"missing": "no"}, "missing of a Text column"),
    ],
)
def test_a_wrong_parameter_says_what_is_right(wrong, message):
    with pytest.raises(ParameterError, match=message):
        db.Text(**wrong)


def test_tokens_are_dropped_without_counting_again():
    table = {"text": ["aa aa aa aa", "aa bb dd", "bb cc dd", "bb cc ee"]}
    tally = db.NaiveBayes(db.Text()).fit(table, [0, 0, 1, 1]).tally_
    few = db.NaiveBayes.from_tally(tally, columns=db.Text(drop_top=1, min_count=2))
    assert few.tally_ == tally
    assert not few.evidence({"text": ["aa ee"]}).columns.any()
    assert few.evidence({"text": ["bb"]}).columns.any()
    assert few.loo_predict_proba(table, [0, 0, 1, 1]).sum(axis=1) == pytest.approx(np.ones(4))


# Word by word --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["skip", "state"])
@pytest.mark.parametrize("event", ["boolean", "multinomial"])
@pytest.mark.parametrize("weights", [None, {"subject": 0.5}])
def test_a_text_is_explained_word_by_word(event, missing, weights):
    """A sum over a whole text does not say which word spoke."""
    column = db.Text(event=event, missing=missing)
    fitted = db.NaiveBayes({"subject": column, "links": db.Poisson()}, weights=weights).fit(TABLE, Y)
    told = fitted.explain({"subject": "Free prize: free lunch, zork", "links": 3}, against="ham")
    reason = told.reasons[0]
    assert reason.words.total_db == pytest.approx(reason.weight_db, abs=1e-9)
    assert {word.token: word.count for word in reason.words.reasons} == {
        "free": 2 if event == "multinomial" else 1,
        "prize": 1,
        "lunch": 1,
    }
    alone = fitted.explain({"subject": "prize"}, against="ham").reasons[0].words
    assert {word.token: word.weight_db for word in reason.words.reasons}["prize"] == pytest.approx(
        alone.reasons[0].weight_db
    )
    lines = [line.strip() for line in str(told).splitlines()]
    assert any(line.startswith("· prize ") for line in lines) and "· unknown: zork" in lines
    assert any(line.startswith("· not missing") for line in lines) == (missing == "state")
    html = told._repr_html_()
    assert 'title="unknown">zork</span>' in html and "<div>· prize " in html
    words = next(reason for reason in told.to_dict()["reasons"] if reason["column"] == "subject")["words"]
    assert {word["token"] for word in words} == {"free", "prize", "lunch"}


def test_a_missing_text_has_no_words():
    told = model().fit(TABLE, Y).explain({"subject": None, "links": 3})
    assert told.reasons[0].words is None and "·" not in str(told)


def test_a_long_text_is_shown_in_part():
    told = model().fit(TABLE, Y).explain({"subject": "free prize <b> " * 5000 + "the end", "links": 3})
    assert len(told._repr_html_()) < 50_000 and "<b>" not in told._repr_html_()
    assert len(str(told)) < 2_000
